import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planUncompact } from "../../../src/edit/uncompact/plan-uncompact.js";
import { arrayAt, isObject, type JsonObject, stringAt } from "../../../src/format/json.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import {
  answer,
  attachment,
  call,
  chain,
  prompt,
  type Row,
  result,
  system,
  toLines,
  uuidOf,
} from "../../builders/session-builder.js";
import { edit, NEW_ID, withSource } from "../edited-session.js";

type Wish = Parameters<typeof planUncompact>[1];
const undo =
  (wish: Wish = {}) =>
  (source: EditSource) =>
    planUncompact(source, wish, { id: NEW_ID });
const all = { from: 1 };

const TESTS = join(import.meta.dirname, "../..");
const RECORDED: readonly (readonly [string, Buffer])[] = [
  "2.0.50/print/projects/-home-dev-p-2-0-50-demo-app/d0c6046f-816c-4087-af54-ebc97702a03b.jsonl",
  "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
  "2.1.325/print/projects/-home-dev-p-2-1-325-demo-app/5328d007-63b4-4ded-9476-10de599de25c.jsonl",
  "2.1.326/interactive/projects/-home-dev-demo-app/c1f42ebc-7c25-4509-a27f-c31b44a38897.jsonl",
  "2.1.326/print/projects/-home-dev-demo-app/71958ba7-fca6-4326-85c6-8340495a29ee.jsonl",
  "2.1.45/interactive/projects/-home-dev-tproj/fb5ea67d-3e1e-4230-b4bf-d30d23f010b0.jsonl",
  "2.1.45/interactive2/projects/-home-dev-tproj2/9a9010e6-937d-43d5-9b46-6da48c30276c.jsonl",
  "2.1.45/print/projects/-home-dev-p-2-1-45-demo-app/0e55136a-9d39-4055-b942-42f0e0ad4a14.jsonl",
  "handwritten/c08_compact_nometa.jsonl",
  "handwritten/c08_summary_noboundary.jsonl",
].map((path) => [path, corpusBytes(path)] as const);
const CRAFTED = ["compact-attachments", "compact-summary-only"].map(
  (name) => [name, readFileSync(join(TESTS, "crafted", `${name}.jsonl`))] as const,
);

/** Blocks of the request by what tells them apart; prompts and answers by their text. */
function said(messages: readonly unknown[]): string[] {
  return messages.flatMap((message) =>
    arrayAt(message, "content").map(
      (block) => stringAt(block, "id") ?? stringAt(block, "tool_use_id") ?? textOf(block),
    ),
  );
}

function textOf(block: unknown): string {
  return (stringAt(block, "text") ?? "").trim();
}

const summariesOf = (rows: readonly JsonObject[]) => rows.filter((row) => row["isCompactSummary"] === true);

describe.each([...RECORDED, ...CRAFTED])("%s without its compactions", (_, bytes) => {
  const before = withSource(bytes, ({ outline }) => outline);
  const { replay, rows, session, errors } = edit(bytes, undo(all));

  test("has every turn once, in the order in which they were written", () => {
    expect(session.turns.map(({ prompt: words }) => words.slice(0, 1024))).toEqual(
      before.turns.map(({ start }) => start.text),
    );
    expect(session.compactions).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("sends every call that has a result, and no summary", () => {
    const calls = before.turns.flatMap(({ nodes }) => nodes.flatMap(({ calls: own = [] }) => own.map(({ id }) => id)));
    const sent = said(replay.messages);
    expect(calls.filter((id) => before.calls.get(id)?.status === "ok" && !sent.includes(id))).toEqual([]);
    expect(summariesOf(rows)).toEqual([]);
    expect(replay.report.dropped).toEqual([]);
  });
});

const boundary = (logical: number, more: Row = {}) =>
  system("compact_boundary", { parentUuid: null, logicalParentUuid: uuidOf(logical), ...more });
const summary = (text = "what was said before") => prompt(text, { isCompactSummary: true });
const kept = (anchor: number, uuids: readonly number[]): Row => ({
  compactMetadata: { trigger: "auto", preservedMessages: { anchorUuid: uuidOf(anchor), uuids: uuids.map(uuidOf) } },
});
const TALK = [prompt("one"), answer("1"), prompt("two"), answer("2"), prompt("three"), answer("3")];
const ON = [prompt("on"), answer("4")];

const PARTLY: readonly (readonly [string, readonly Row[]])[] = [
  ["all before it", [...TALK, boundary(6), summary(), ...ON]],
  ["all but the last turn", [...TALK, boundary(6, kept(8, [5, 6])), summary(), ...ON]],
  ["what came after a prompt", [...TALK, boundary(2, kept(7, [1, 2])), summary(), ...ON]],
  ["what came up to a prompt", [...TALK, boundary(4, kept(8, [5, 6])), summary(), ...ON]],
];

test.each(PARTLY)("a compaction that summarised %s is undone, and nothing is there twice", (_, rows) => {
  const { replay } = edit(toLines(chain(...rows)), undo());
  expect(said(replay.messages)).toEqual(["one", "1", "two", "2", "three", "3", "on", "4"]);
});

test("so it is in a fork, where preserved messages were written again behind the summary", () => {
  const text = toLines(chain(...TALK, boundary(6, kept(8, [5, 6])), summary(), ...ON));
  const forked = edit(text, (source) => planFork(source, { at: source.outline.turns.length }, { id: NEW_ID })).text;
  expect(said(edit(forked, undo()).replay.messages)).toEqual(["one", "1", "two", "2", "three", "3", "on", "4"]);
});

const TWICE = chain(
  ...[prompt("one"), answer("1"), boundary(2), summary("first summary")],
  ...[prompt("two"), answer("2"), boundary(6, kept(8, [5])), summary("second summary")],
  ...ON,
);

test.each([
  [undefined, ["first summary", "two", "2", "on", "4"]],
  [2, ["first summary", "two", "2", "on", "4"]],
  [1, ["one", "1", "two", "2", "on", "4"]],
])("of two compactions, those from %s on are undone", (from, expected) => {
  expect(said(edit(toLines(TWICE), undo({ from })).replay.messages)).toEqual(expected);
});

test("what Claude Code told again behind a summary goes with it; what a person asked there stays", () => {
  const file = (name: string) => ({ filename: name, content: { type: "text", file: { content: name } } });
  const rows = [
    ...TALK,
    boundary(6),
    attachment("environment", { content: "surroundings" }),
    summary(),
    prompt("caveat", { isMeta: true }),
    prompt("<command-name>/compact</command-name>\n<command-args></command-args>"),
    prompt("<local-command-stdout>Compacted</local-command-stdout>"),
    attachment("file", file("read before.ts")),
    prompt("look at @mentioned.ts"),
    attachment("file", file("mentioned.ts")),
    answer("4"),
  ];
  const { text, rows: left } = edit(toLines(chain(...rows)), undo());
  expect(text).not.toMatch(/surroundings|caveat|Compacted|read before/);
  expect(text).toContain("look at @mentioned.ts");
  expect(left.filter(({ type }) => type === "attachment")).toHaveLength(1);
});

const LONG = "line of output ".repeat(2000);
const GROWN = chain(
  ...[1, 2, 3].flatMap((at) => [
    prompt(`do ${at}`),
    call(`t${at}`, "Bash", { command: `try ${at}` }),
    result(`t${at}`, `${at} ${LONG}`),
    answer(`done ${at}`),
  ]),
  ...[boundary(12), summary(), ...ON],
);

test("what comes back is pruned to the size that was asked for, oldest output first, and no words go", () => {
  const whole = withSource(toLines(GROWN), undo());
  const toTokens = whole.tokensAfter - 5000;
  const plan = withSource(toLines(GROWN), undo({ toTokens }));
  const { replay, text } = edit(toLines(GROWN), undo({ toTokens }));
  expect(plan.tokensAfter).toBeLessThanOrEqual(toTokens);
  expect(plan.tokensBefore).toBe(whole.tokensBefore);
  expect([...plan.savedTokens.values()].reduce((sum, tokens) => sum + tokens, 0)).toBe(
    plan.tokensBefore - plan.tokensAfter,
  );
  expect(said(replay.messages)).toEqual(expect.arrayContaining(["do 1", "done 1", "do 3", "done 3", "on", "t1", "t3"]));
  expect([text.includes(`1 ${LONG}`), text.includes(`3 ${LONG}`)]).toEqual([false, true]);
});

test("where not even words fit, it says how many tokens they take", () => {
  expect(() => withSource(toLines(GROWN), undo({ toTokens: 10 }))).toThrow(
    /about \d+ tokens are left .*, more than 10/,
  );
});

test("no message counts more than what is sent before it, so that Claude Code does not compact at once", () => {
  const counting = (row: Row, tokens: number): Row => {
    const message = isObject(row["message"]) ? row["message"] : {};
    return { ...row, message: { ...message, usage: { input_tokens: tokens, output_tokens: 5 } } };
  };
  const counted = chain(
    ...[prompt("go"), counting(call("t1", "Bash", { command: "try" }), 900), result("t1", LONG.repeat(20))],
    ...[counting(answer("done"), 190_000), boundary(4), summary()],
  );
  const { rows } = edit(toLines(counted), undo({ toTokens: 30_000 }));
  const counts = rows.flatMap((row) => {
    const message = isObject(row["message"]) ? row["message"] : {};
    return isObject(message["usage"]) ? [Number(message["usage"]["input_tokens"])] : [];
  });
  expect(Math.max(...counts)).toBeLessThanOrEqual(30_000);
});

test("the summary of messages that are no longer there stays", () => {
  const lost = chain(boundary(99), summary("first summary"), ...TALK, boundary(8), summary("second summary"), ...ON);
  const plan = withSource(toLines(lost), undo(all));
  const { replay } = edit(toLines(lost), undo(all));
  expect(said(replay.messages)).toEqual(["first summary", "one", "1", "two", "2", "three", "3", "on", "4"]);
  expect(plan.notes).toContain("compaction 1 stays: the messages before it are no longer there");
});

test.each([
  ["was never compacted", chain(...TALK), all, "the session was not compacted: there is nothing to bring back"],
  [
    "lost what was before",
    chain(boundary(9), summary(), ...ON),
    {},
    "the messages before the compaction are no longer there",
  ],
  ["has one compaction", chain(...TALK, boundary(6), summary()), { from: 2 }, "there is no compaction 2"],
])("a session that %s says so in one line", (_, rows, wish, message) => {
  expect(() => withSource(toLines(rows), undo(wish))).toThrow(message);
});

test("a microcompaction leaves everything in the file, so there is nothing to undo", () => {
  const bytes = readFileSync(join(TESTS, "recorded/microcompact-2.1.61.jsonl"));
  expect(() => withSource(bytes, undo())).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("only microcompacted") }),
  );
});
