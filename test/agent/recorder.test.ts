import { join } from "node:path";
import { expect, test } from "vitest";
import { Clock } from "../../src/agent/record/clock.js";
import { ProgressBudget } from "../../src/agent/record/progress-budget.js";
import { Recorder } from "../../src/agent/record/recorder.js";
import { createSlug } from "../../src/agent/record/session-slug.js";
import { metaLine, progressLine } from "../../src/agent/wire/line.js";
import { faultyFileOps } from "../format/faulty-file-ops.js";
import { makePlace, readRecorded } from "./chat-world.js";

const ID = "0a0a0a0a-1111-4222-8333-444444444444";

function open(ops = faultyFileOps()) {
  const place = makePlace();
  const stalls: string[] = [];
  const recorder = new Recorder({
    path: join(place.home, `${ID}.jsonl`),
    sessionId: ID,
    slug: "a-b-c",
    cwd: () => place.project,
    ownVersion: "1",
    ops,
    onStalled: ({ code }) => stalls.push(code ?? ""),
  });
  return { recorder, ops, stalls };
}

test("on a full disk lines wait, are told once, and go out in order when there is room", async () => {
  const { recorder, ops, stalls } = open();
  recorder.add(metaLine("one", "p"));
  ops.space = 0;
  recorder.add(metaLine("two", "p"));
  recorder.add(metaLine("three", "p"));
  expect(recorder.isStalled).toBe(true);
  expect(stalls).toEqual(["ENOSPC"]);
  ops.space = Number.POSITIVE_INFINITY;
  recorder.add(metaLine("four", "p"));
  expect(recorder.isStalled).toBe(false);
  expect(await recorder.close()).toBe(true);
  expect(readRecorded(recorder.path).lines.map((line) => JSON.stringify(line["message"]))).toEqual(
    ["one", "two", "three", "four"].map((content) => JSON.stringify({ role: "user", content })),
  );
});

test("nothing hangs on progress", () => {
  const { recorder } = open();
  recorder.add(metaLine("one", "p"));
  recorder.addAside(progressLine({ type: "bash_progress" }, "t", "t"));
  recorder.add(metaLine("two", "p"));
  const [one, progress, two] = readRecorded(recorder.path).lines;
  expect([progress?.["parentUuid"], two?.["parentUuid"]]).toEqual([one?.["uuid"], one?.["uuid"]]);
});

test("progress is taken at most once a second, and never without bound", () => {
  let now = 0;
  const budget = new ProgressBudget(() => now);
  const taken = Array.from({ length: 5_000 }, () => {
    now += 300;
    return budget.takes("call", { output: "x".repeat(100) });
  }).filter((isTaken) => isTaken);
  expect(taken.length).toBeLessThanOrEqual(500);
  expect(new ProgressBudget().takes("call", { output: "x".repeat(3_000_000) })).toBe(false);
});

test("times only grow, whatever the system's clock does", () => {
  const times = [5, 5, 3, 9];
  const clock = new Clock(4, () => times.shift() ?? 0);
  expect([1, 2, 3, 4].map(() => Date.parse(clock.next()))).toEqual([5, 6, 7, 9]);
});

test("a session has a name that people can say", () => {
  expect(createSlug()).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
});
