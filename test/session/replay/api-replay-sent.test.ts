import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import type { ApiMessage } from "../../../src/format/record/api-message.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { type Json, stringAt, valueAt } from "../../oracle/json-at.js";
import { hashOf, type SentRequest, sentRequests } from "./sent-requests.js";

/**
 * Clients since 2.1.301 log what they send. In the corpus, paths were replaced and long texts of the client became
 * filler of the same length, so a message is compared in one of two ways:
 * - by its hash, where nothing in it was replaced: then it is the same to the last byte;
 * - by its outline, where its content was logged: roles, types, ids, short texts, and the length of long texts.
 *
 * Known differences, set aside here:
 * - the client sends results in the order in which they arrived, we in the order of the calls;
 * - the client moves calls behind the text of the same message, we leave the blocks where the model put them;
 * - the client ends some texts with a newline and others not; we end every text that another record's text follows;
 * - the client adds a text of its own to task notifications that it does not record;
 * - an empty system message that only sets the effort has no record.
 */
interface Compared {
  readonly sent: SentRequest["messages"][number];
  readonly ours: ApiMessage | undefined;
  readonly line: number;
}

const FILLER = "lorem ipsum";
const LONG_TEXT = 90;
const NOTIFICATION = "<task-notification>";

function readRows(name: string): Json[] {
  const lines = readFileSync(join(CORPUS, name), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => withReminderTags(JSON.parse(line) as Json));
}

/** The filler covers the tags around reminders; the lengths say that they were there. */
function withReminderTags(row: Json): Json {
  const rendered = valueAt(row, "rendered");
  if (!Array.isArray(rendered) || row["renderedRole"] !== "system") return row;
  return { ...row, rendered: rendered.map((part) => ({ content: tagged(stringAt(part, "content") ?? "") })) };
}

function tagged(text: string): string {
  const [open, close] = ["<system-reminder>\n", "\n</system-reminder>"];
  return text.startsWith(FILLER) ? open + text.slice(open.length, -close.length) + close : text;
}

function compareAll(name: string): Compared[] {
  const rows = readRows(name);
  const records = parseRecords(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return sentRequests(rows).flatMap(({ messages, leaf, line }) => {
    if (leaf === null) return [];
    const ours = toApiMessages(records, { leaf, systemRole: "separate" }).messages;
    const sent = joinNeighbours(messages.filter(({ message }) => blocksOf(message)?.length !== 0));
    const length = Math.max(sent.length, ours.length);
    return Array.from({ length }, (_, at) => ({ sent: sent[at] ?? NOTHING, ours: ours[at], line }));
  });
}

const NOTHING = { hash: "", message: undefined };

function joinNeighbours(messages: SentRequest["messages"]): SentRequest["messages"] {
  const joined: SentRequest["messages"][number][] = [];
  for (const next of messages) {
    const last = joined.at(-1);
    const isSame = last?.message !== undefined && last.message["role"] === next.message?.["role"];
    if (!isSame) joined.push(next);
    else joined[joined.length - 1] = { hash: "", message: joinMessages(last.message, next.message) };
  }
  return joined;
}

function joinMessages(a: Json | undefined, b: Json | undefined): Json {
  return { role: a?.["role"], content: [...(blocksOf(a) ?? []), ...(blocksOf(b) ?? [])] };
}

function blocksOf(message: Json | undefined): Json[] | undefined {
  const content = message?.["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as Json[] | undefined);
}

/** Roles, types, ids and short texts as they are; of long texts the length. */
function outlineOf(message: Json | undefined): string {
  const blocks = (blocksOf(message) ?? []).map(outlineOfBlock);
  const isLast = (block: string) => message?.["role"] === "assistant" && block.startsWith("tool_use");
  return [message?.["role"], ...blocks.filter((block) => !isLast(block)), ...blocks.filter(isLast)].join(" | ");
}

function outlineOfBlock(block: Json): string {
  const { type, text = "" } = block;
  const words = String(text).trimEnd();
  switch (type) {
    case "text":
      if (words.startsWith(NOTIFICATION)) return "text ~";
      return words.length < LONG_TEXT ? `text ${words}` : "text ~";
    case "tool_use":
      return `tool_use ${block["id"]} ${block["name"]} ${Object.keys(block["input"] as Json)}`;
    case "tool_result":
      return `tool_result ${block["tool_use_id"]} ${block["is_error"]}`;
    default:
      return `${type} ${block["thinking"]} ${block["signature"]}`;
  }
}

/** Of each text that is long on both sides, by how much ours differs in length. */
function lengthDifferences({ sent, ours }: Compared): number[] {
  const lengths = (message: Json | undefined) =>
    (blocksOf(message) ?? []).filter(({ type }) => type === "text").map(({ text }) => String(text));
  const other = lengths(sent.message);
  return lengths(ours as Json | undefined).map((text, at) =>
    text.startsWith(NOTIFICATION) ? 0 : Math.abs(text.length - (other[at] ?? "").length),
  );
}

function isAsRecorded({ sent, ours }: Compared): boolean {
  return sent.message === undefined && !/\/home\/dev|lorem ipsum/.test(JSON.stringify(ours));
}

/** The client's order of results is the order of their arrival, so every order counts. */
function hashes(message: ApiMessage | undefined): string[] {
  return orders(message?.content ?? []).map((content) => hashOf({ role: message?.role, content }));
}

function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

const logged = corpusSessions().filter((name) =>
  readFileSync(join(CORPUS, name), "utf8").includes('"api-request-blob"'),
);
const compared = logged.map((name) => ({ name, pairs: compareAll(name) }));

describe("what was really sent", () => {
  test.each(compared)("has the outline of the replay: $name", ({ pairs }) => {
    const known = pairs.filter(({ sent }) => sent.message !== undefined);
    expect(known.map(({ ours }) => outlineOf(ours as Json | undefined))).toEqual(
      known.map(({ sent }) => outlineOf(sent.message)),
    );
    expect(pairs.filter(({ sent, ours }) => ours === undefined || sent === NOTHING)).toEqual([]);
  });

  test.each(compared)("has texts of the replay's lengths, but for a newline: $name", ({ pairs }) => {
    const known = pairs.filter(({ sent }) => sent.message !== undefined);
    expect(known.flatMap(lengthDifferences).filter((difference) => difference > 1)).toEqual([]);
  });

  test("is the replay to the last byte wherever the corpus left a message as it was", () => {
    const untouched = compared.flatMap(({ pairs }) => pairs.filter(isAsRecorded));
    const distinct = [...new Map(untouched.map((pair) => [pair.sent.hash, pair])).values()];
    expect(distinct.filter(({ sent, ours }) => !hashes(ours).includes(sent.hash))).toEqual([]);
    expect(distinct.length).toBeGreaterThan(40);
  });
});
