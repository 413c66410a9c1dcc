import { describe, expect, test } from "vitest";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { describeSession } from "../../src/session/describe-session.js";
import { assembleMessages } from "../../src/session/messages/message.js";
import { mergeByTime, toEvents } from "../../src/session/turns/session-events.js";
import { pairToolCalls } from "../../src/session/turns/tool-calls.js";
import { answer, assistant, call, chain, prompt, type Row, result, toLines } from "../builders/session-builder.js";

const MANY = 20_000;
const TIMEOUT_MS = 20_000;

const recordsOf = (rows: readonly Row[]) => parseRecords(toLines(rows));
const many = (toRow: (index: number) => Row): Row[] => Array.from({ length: MANY }, (_, index) => toRow(index));
const toolUse = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });

describe("what comes in large numbers is read in full:", () => {
  test("local commands between two answers", { timeout: TIMEOUT_MS }, () => {
    const locals = many((index) => prompt(`<bash-input>ls ${index}</bash-input>`));
    const rows = chain(prompt("start"), answer("before"), ...locals, prompt("go on"), answer("after"));
    const said = [...toEvents(describeSession(recordsOf(rows)))].map(({ input }) => input);
    expect(said).toHaveLength(MANY + 4);
    expect(said.slice(0, 4)).toEqual(["start", "before", "ls 0", "ls 1"]);
    expect(said.slice(-3)).toEqual([`ls ${MANY - 1}`, "go on", "after"]);
  });

  test("records of one message", { timeout: TIMEOUT_MS }, () => {
    const rows = chain(...many((index) => assistant("m", [toolUse(`t${index}`)], { stopReason: null })));
    const [message, ...others] = assembleMessages([...recordsOf(rows), ...recordsOf(rows)]);
    expect(others).toEqual([]);
    expect(message?.recordUuids).toHaveLength(MANY);
    expect(message?.blocks.at(-1)).toMatchObject({ id: `t${MANY - 1}` });
  });

  test("results of one call", { timeout: TIMEOUT_MS }, () => {
    const rows = chain(prompt("go"), call("t", "Bash", {}), ...many((index) => result("t", `result ${index}`)));
    const { toolCalls, orphanResults } = pairToolCalls(recordsOf(rows));
    expect(toolCalls).toMatchObject([{ result: `result ${MANY - 1}` }]);
    expect(toolCalls[0]?.resultUuids).toHaveLength(MANY);
    expect(orphanResults).toEqual([]);
  });
});

describe("merging by time", () => {
  const at = (name: string, second?: number) => ({
    name,
    timestamp: second === undefined ? null : new Date(second * 1000).toISOString(),
  });
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name).join(" ");

  test.each([
    ["before what came later", [at("a", 1), at("b", 3)], [at("x", 2)], "a x b"],
    ["behind what came at the same time", [at("a", 1), at("b", 2)], [at("x", 1), at("y", 1)], "a x y b"],
    ["in the order of time, not of the list", [at("a", 1), at("b", 4)], [at("x", 3), at("y", 2)], "a y x b"],
    ["over neighbours without a time", [at("a", 1), at("?"), at("b", 3)], [at("x", 2)], "a ? x b"],
    ["behind its own neighbour if it has no time", [at("a", 1), at("b", 3)], [at("x", 2), at("?")], "a x ? b"],
    ["at the end if nothing tells", [at("a", 1), at("b", 3)], [at("?"), at("x", 2)], "a x b ?"],
  ])("puts an item %s", (_, items, beside, expected) => {
    expect(names(mergeByTime(items, beside))).toBe(expected);
  });

  test("takes the lists beside in their order where times are the same", () => {
    expect(names(mergeByTime([at("a", 1)], [at("x", 2), at("?")], [at("y", 2)]))).toBe("a x ? y");
  });
});

describe("blocks that are numbered", () => {
  const numbered = (index: number, block: Row) => assistant("m", [block], { stopReason: null, apiBlockIndex: index });
  const kept = (...rows: readonly Row[]) =>
    assembleMessages(recordsOf(chain(...rows))).flatMap(({ blocks }) => blocks.map(({ raw }) => raw));
  const text = (words: string) => ({ type: "text", text: words });
  const redacted = { type: "redacted_thinking", data: "abc" };

  test("stand in the order of their numbers", () => {
    expect(kept(numbered(1, text("two")), numbered(0, text("one")))).toEqual([text("one"), text("two")]);
  });

  test.each([
    ["text", text("one")],
    ["redacted thinking", redacted],
    ["a tool call", toolUse("t")],
  ])("and stand twice under one number are one: %s", (_, block) => {
    expect(kept(numbered(0, block), numbered(1, text("two")), numbered(0, block))).toEqual([block, text("two")]);
  });

  test("are kept where only the number differs", () => {
    expect(kept(numbered(0, text("one")), numbered(1, text("one")))).toEqual([text("one"), text("one")]);
  });
});
