import { join } from "node:path";
import { expect, test } from "vitest";
import { explainSession } from "../../../src/library/stats/explain-session.js";
import { readNumbers } from "../../../src/library/sync/read-numbers.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { readStatistics } from "./statistics-of.js";

const ORIGINAL = "b0000000-0000-4000-8000-000000000000";
const FORK = "a0000000-0000-4000-8000-000000000000";

interface AnswerOptions {
  readonly output: number;
  readonly time?: string;
  readonly isForked?: boolean;
}

function turn(id: string, { output, time = "12:00:00", isForked = false }: AnswerOptions): string {
  const shared = { timestamp: `2026-05-01T${time}Z`, ...(isForked ? { forkedFrom: { sessionId: ORIGINAL } } : {}) };
  const usage = { input_tokens: 10, output_tokens: output };
  const message = { id, role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text: id }], usage };
  const prompt = {
    ...shared,
    type: "user",
    uuid: `p-${id}`,
    parentUuid: null,
    cwd: "/home/p",
    message: { role: "user", content: id },
  };
  const answer = { ...shared, type: "assistant", uuid: `u-${id}`, parentUuid: `p-${id}`, message };
  return `${JSON.stringify(prompt)}\n${JSON.stringify(answer)}\n`;
}

const library = (files: Readonly<Record<string, string>>) =>
  temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([id, text]) => [`projects/-home-p/${id}.jsonl`, text])),
  );

const forked = () =>
  library({
    [ORIGINAL]: turn("m1", { output: 100 }),
    [FORK]: turn("m1", { output: 300, isForked: true }) + turn("m2", { output: 5, time: "13:00:00" }),
  });

test("a message that a fork brought along counts once, in the original, with the highest of its counters", () => {
  const { totals, bySession } = readStatistics(forked());
  expect(totals).toMatchObject({ messages: 2, turns: 2, sessions: 2, usage: { input: 20, output: 305 } });
  expect(bySession.map(({ id, messages, usage }) => [id, messages, usage.output])).toEqual([
    [ORIGINAL, 1, 300],
    [FORK, 1, 5],
  ]);
});

test("a copy without the mark of a fork counts in the file whose path comes first", () => {
  const root = library({ [ORIGINAL]: turn("m1", { output: 100 }), [FORK]: turn("m1", { output: 100 }) });
  const { totals, bySession } = readStatistics(root);
  expect(totals).toMatchObject({ messages: 1, sessions: 1 });
  expect(bySession.map(({ id }) => id)).toEqual([FORK]);
});

test("time cuts to the millisecond, also within a quarter of an hour", () => {
  const root = library({
    [ORIGINAL]: turn("m1", { output: 100, time: "12:01:00" }) + turn("m2", { output: 7, time: "12:02:00" }),
  });
  const since = Date.parse("2026-05-01T12:02:00Z");
  expect(readStatistics(root, { since }).totals).toMatchObject({ messages: 1, turns: 1, usage: { output: 7 } });
  expect(readStatistics(root, { until: since }).totals).toMatchObject({ messages: 1, usage: { output: 100 } });
  expect(readStatistics(root, { since: since + 1 }).totals.messages).toBe(0);
});

test("the explanation of a session tells its lines, what was taken, and where copies count; it adds up to the totals", () => {
  const root = forked();
  const db = readNumbers([root]);
  const path = (id: string) => join(root, "projects", "-home-p", `${id}.jsonl`);
  const fork = explainSession(db, [root], path(FORK));
  const original = explainSession(db, [root], path(ORIGINAL));
  expect(
    fork?.messages.map(({ id, lines, isCountedHere }) => [id, lines.map(({ line }) => line), isCountedHere]),
  ).toEqual([
    ["m1", [2], false],
    ["m2", [4], true],
  ]);
  expect(fork?.messages[0]).toMatchObject({ countedIn: path(ORIGINAL), usage: { output: 300 } });
  expect(original?.messages[0]).toMatchObject({
    lines: [{ line: 2, counters: { output: 100 } }],
    copies: [{ path: path(FORK), usage: { output: 300 } }],
    price: { input: 5, output: 25 },
  });
  const { bySession } = readStatistics(root);
  expect([original, fork].map((explanation) => explanation?.totals)).toMatchObject(
    bySession.map(({ usage, costUsd, messages }) => ({ usage, costUsd, messages })),
  );
  db.close();
});
