import { join } from "node:path";
import { expect, test } from "vitest";
import { metaLine, progressLine } from "../../../../src/agent/conversation/session-log/lines.js";
import { Clock, ProgressBudget, Recorder } from "../../../../src/agent/conversation/session-log/recorder.js";
import { createSlug } from "../../../../src/agent/conversation/session-log/session-files.js";
import { faultyFileOps } from "../../../format/writer/faulty-file-ops.js";
import { makePlace, readRecorded } from "../../chat-world.js";

const ID = "0a0a0a0a-1111-4222-8333-444444444444";

function open(ops = faultyFileOps()) {
  const place = makePlace();
  const stalls: string[] = [];
  const lost: string[] = [];
  const recorder = new Recorder({
    path: join(place.home, `${ID}.jsonl`),
    sessionId: ID,
    slug: "a-b-c",
    cwd: () => place.project,
    ownVersion: "1",
    ops,
    onStalled: ({ code }) => stalls.push(code ?? ""),
    onLost: ({ message }) => lost.push(message),
  });
  return { recorder, ops, stalls, lost };
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

test("a disk that fails is told of like a full one, and what waited is written when it works again", async () => {
  const { recorder, ops, stalls } = open();
  recorder.add(metaLine("one", "p"));
  ops.failingCall = "write";
  recorder.add(metaLine("two", "p"));
  expect([recorder.isStalled, stalls]).toEqual([true, ["EIO"]]);
  ops.failingCall = null;
  recorder.add(metaLine("three", "p"));
  expect([recorder.isStalled, await recorder.close()]).toEqual([false, true]);
  expect(readRecorded(recorder.path).lines).toHaveLength(3);
});

test("what comes after the end is told of, and does not end the process", async () => {
  const { recorder, lost } = open();
  recorder.add(metaLine("one", "p"));
  await recorder.close();
  recorder.add(metaLine("two", "p"));
  await expect.poll(() => lost).toEqual([expect.stringContaining("is closed")]);
});

/** How many of so many signs of life are taken, one after each pause. */
function countTaken(signs: number, pauseMs: number, data: object, callOf = (_: number) => "call"): number {
  let now = 0;
  const budget = new ProgressBudget(() => now);
  const taken = Array.from({ length: signs }, (_, at) => {
    now += pauseMs;
    return budget.takes(callOf(at), data);
  });
  return taken.filter((isTaken) => isTaken).length;
}

test("progress of a call is taken at most once a second, of all calls at most so often and so much", () => {
  expect(countTaken(31, 100, {})).toBe(4);
  expect(countTaken(32, 100, {}, (at) => `call-${at % 2}`)).toBe(8);
  expect(countTaken(10_000, 1_000, {})).toBe(500);
  expect(countTaken(10_000, 1_000, { output: "x".repeat(100_000) })).toBe(20);
});

test("times only grow, whatever the system's clock does", () => {
  const times = [5, 5, 3, 9];
  const clock = new Clock(4, () => times.shift() ?? 0);
  expect([1, 2, 3, 4].map(() => Date.parse(clock.next()))).toEqual([5, 6, 7, 9]);
});

test("a session has a name that people can say", () => {
  expect(createSlug()).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
});
