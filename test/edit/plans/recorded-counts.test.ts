import { describe, expect, test } from "vitest";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { assistant, chain, prompt, type Row, toLines } from "../../builders/session-builder.js";
import { NEW_ID, withSource } from "../edited-session.js";

/** One request: how many bytes were added before it, and what it counted. */
type Request = readonly [bytes: number, count: number];

function withUsage(row: Row, count: number): Row {
  const message = row["message"] as Row;
  return { ...row, message: { ...message, usage: { input_tokens: count, output_tokens: 1 } } };
}

function estimate(requests: readonly Request[]): number {
  const rows = requests.flatMap(([bytes, count], at): Row[] => [
    prompt("word ".repeat(bytes / 5)),
    withUsage(assistant(`m${at}`, [{ type: "text", text: "ok" }], { stopReason: "end_turn" }), count),
  ]);
  return withSource(toLines(chain(...rows)), (source) => planClone(source, { id: NEW_ID }).tokensAfter);
}

/** Requests that count a token for every four bytes, on top of instructions and tools. */
function counted(instructions: number, ...added: readonly number[]): Request[] {
  return added.map((bytes, at) => [
    bytes,
    instructions + added.slice(0, at + 1).reduce((sum, it) => sum + it / 4 + 20, 0),
  ]);
}

const usedBy = (requests: readonly Request[]) => {
  const last = requests.at(-1)?.[1] ?? 0;
  return Math.abs(estimate(requests) - last) < 0.05 * last;
};

describe("recorded counts are used", () => {
  test.each<[string, Request[]]>([
    ["of a session with large tools", counted(90_000, 400, 8000, 1200, 20_000)],
    ["of one request", counted(60_000, 400)],
    ["where steps repeat with texts of one size", counted(30_000, 800, 800, 800, 800)],
    ["where results were left out once", [...counted(30_000, 4000, 40_000, 400), [400, 31_500], [4000, 32_600]]],
    ["where tools were added once", [...counted(30_000, 400, 4000, 800, 2000, 6000), [400, 52_000]]],
    ["of a small request without tools", counted(300, 400, 2000)],
  ])("%s", (_what, requests) => {
    expect(usedBy(requests)).toBe(true);
  });
});

describe("recorded counts are not used", () => {
  test.each<[string, Request[]]>([
    ["where they stay the same", [400, 8000, 1200].map((bytes): Request => [bytes, 60_000])],
    [
      "where they grow by the same number whatever was added",
      [400, 8000, 1200, 400].map((bytes, at): Request => [bytes, 60_000 + 101 * at]),
    ],
    ["where a request is smaller than any that Claude Code sends", [[400, 10]]],
    ["where a request is far too small for what it held", [[400_000, 9000]]],
    [
      "where nothing explains the only step",
      [
        [400, 805],
        [400, 60_000],
      ],
    ],
  ])("%s", (_what, requests) => {
    expect(usedBy(requests)).toBe(false);
  });
});
