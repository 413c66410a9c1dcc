import { expect, test } from "vitest";
import type { AgentSpan, OutlineCall, OutlineTurn } from "../../../src/server/api/session.js";
import { createTimeScale } from "../../../src/web/timeline/time-scale.js";
import { buildTimeline } from "../../../src/web/timeline/timeline-model.js";

const SECOND = 1000;
const at = (second: number) => new Date(second * SECOND).toISOString();
const call = (name: string, from: number, to: number): OutlineCall => ({
  id: `${name}-${from}`,
  name,
  status: "ok",
  startedAt: from * SECOND,
  endedAt: to * SECOND,
});

function turn(index: number, from: number, to: number, calls: readonly OutlineCall[] = []): OutlineTurn {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0, webFetches: 0 };
  const ends = { startedAt: at(from), endedAt: at(to), complete: true, interrupted: false };
  const place = { uuid: null, lastUuid: null, line: index, kind: "prompt", round: "new_round" } as const;
  return { index, ...place, prompt: `ask ${index}`, ...ends, calls, apiErrors: 0, usage, costUsd: null };
}

test("the time of a turn is divided between the model, tools and the person who was asked", () => {
  const calls = [call("Bash", 2, 5), call("Read", 4, 6), call("AskUserQuestion", 8, 20)];
  const { turns } = buildTimeline([turn(1, 0, 25, calls)], [], false);
  expect(turns[0]?.spent).toEqual({ model: 9 * SECOND, tool: 4 * SECOND, person: 12 * SECOND });
});

test("calls at the same time have lanes of their own, and so have sub-agents", () => {
  const agent = (from: number, to: number): AgentSpan => ({
    ...{ agentId: `a${from}`, turn: 1, name: "explore", calls: [] },
    ...{ startedAt: from * SECOND, endedAt: to * SECOND },
  });
  const calls = [call("Read", 1, 4), call("Grep", 2, 3), call("Glob", 3, 5), call("Bash", 4, 6)];
  const model = buildTimeline([turn(1, 0, 9, calls)], [agent(1, 8), agent(2, 4), agent(5, 7)], false);
  expect(model.calls.map(({ call: { name }, lane }) => [name, lane])).toEqual([
    ["Read", 0],
    ["Grep", 1],
    ["Glob", 1],
    ["Bash", 0],
  ]);
  expect(model.agents.map(({ lane }) => lane)).toEqual([0, 1, 1]);
});

test("a long pause is drawn short, and every place still has its time", () => {
  const day = 86_400 * SECOND;
  const busy = [0, day].map((from) => ({ from, to: from + 10 * SECOND }));
  const [real, cut] = [createTimeScale(busy, false), createTimeScale(busy, true)];
  expect(real.length).toBe(day + 10 * SECOND);
  expect(cut.length).toBe(25 * SECOND);
  expect(cut.cuts).toHaveLength(1);
  expect(cut.placeOf(day)).toBe(15 * SECOND);
  expect(cut.timeAt(cut.placeOf(day + 3 * SECOND))).toBe(day + 3 * SECOND);
});

test("turns that overlap, or whose times are missing, do not stop the drawing", () => {
  const broken = { ...turn(3, 0, 0), startedAt: null };
  const model = buildTimeline([turn(1, 0, 10), turn(2, 5, 7), broken], [], true);
  expect(model.turns.map(({ turn: { index }, pauseMs }) => [index, pauseMs])).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(model.scale.length).toBe(10 * SECOND);
});
