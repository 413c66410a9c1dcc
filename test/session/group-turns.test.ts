import { expect, test } from "vitest";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { groupTurns } from "../../src/session/describe-session.js";

/** Rows of another writer: no uuid, and no type on the assistant's. */
const ROWS = [
  { sessionId: "sess1", type: "user", content: "read a file" },
  {
    message: {
      id: "m1",
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "/" } }],
    },
  },
  { type: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "file data" }] },
  { message: { id: "m2", role: "assistant", content: [{ type: "text", text: "done" }] } },
];

const toRecords = (rows: readonly object[]) => parseRecords(rows.map((row) => JSON.stringify(row)).join("\n"));

test("rows without type and uuid are one turn, all of it consumed", () => {
  const { turns, consumed } = groupTurns(toRecords(ROWS));
  expect(turns.map(({ prompt, kind }) => [prompt, kind])).toEqual([["read a file", "prompt"]]);
  expect(turns[0]?.messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
  expect(turns[0]?.toolCalls).toMatchObject([{ id: "t1", name: "Read", result: "file data", status: "ok" }]);
  expect(consumed).toBe(4);
});

test.each([
  ["a prompt without an answer", [...ROWS, { type: "user", content: "and now?" }], 4],
  ["a call without its result", [...ROWS, { type: "user", content: "again" }, ROWS[1] ?? {}].slice(0, 6), 4],
  ["nothing", [], 0],
])("%s is not consumed", (_what, rows, consumed) => {
  const renamed = rows.map((row, at) =>
    at < 4 ? row : JSON.parse(JSON.stringify(row).replaceAll("t1", "t9").replaceAll("m1", "m9")),
  );
  expect(groupTurns(toRecords(renamed)).consumed).toBe(consumed);
});

test("what was left over is consumed when its answer has come", () => {
  const question = { type: "user", content: "and now?" };
  const answer = { message: { id: "m3", role: "assistant", content: [{ type: "text", text: "now this" }] } };
  const first = groupTurns(toRecords([...ROWS, question]));
  const second = groupTurns(toRecords([...ROWS, question].slice(first.consumed).concat(answer)));
  expect(second.turns.map(({ prompt }) => prompt)).toEqual(["and now?"]);
  expect(second.consumed).toBe(2);
});
