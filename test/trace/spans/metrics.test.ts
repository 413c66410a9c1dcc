import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Trace } from "../../../src/trace/observe/observation.js";
import { traceSession } from "../../../src/trace/observe/trace-session.js";
import { type MetricPoint, toMetricPoints } from "../../../src/trace/spans/metrics.js";
import { jsonMetricsRequest, protobufMetricsRequest } from "../../../src/trace/spans/metrics-request.js";
import { answer, call, prompt, result } from "../../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { at, tracesOf } from "../written-session.js";

const ROWS = [
  at(0, prompt("go", { version: "2.1.326" })),
  at(2, call("t1", "Edit", { file_path: "/a.ts" })),
  at(
    12,
    result("t1", "ok", {
      toolUseResult: { structuredPatch: [{ lines: [" a", "-b", "+c", "+d"] }] },
      permissionDecision: { decision: "accept", source: "user_temporary" },
    }),
  ),
  at(13, call("t2", "Bash", { command: "git add . && git commit -m 'x'" })),
  at(14, result("t2", "1 file changed")),
  at(15, call("t3", "Bash", { command: "gh pr create --fill" })),
  at(16, result("t3", "no such host", { isError: true })),
  at(20, answer("done")),
];

const summed = (points: readonly MetricPoint[]) =>
  Object.fromEntries(
    points.map(({ name, value, attributes }) => [[name, attributes["type"]].filter(Boolean).join(" "), value]),
  );

describe("the metrics of a turn", () => {
  test("have the names of Claude Code's own export", () => {
    expect(summed(tracesOf(ROWS).flatMap(toMetricPoints))).toMatchObject({
      "claude_code.session.count": 1,
      "claude_code.active_time.total cli": 10,
      "claude_code.lines_of_code.count added": 2,
      "claude_code.lines_of_code.count removed": 1,
      "claude_code.commit.count": 1,
      "claude_code.code_edit_tool.decision": 1,
      "turnlog.tool.error.count": 1,
      "turnlog.turn.duration": 20,
    });
  });

  test("tell who decided on an edit, and that a request that failed was not made", () => {
    const points = tracesOf(ROWS).flatMap(toMetricPoints);
    expect(points.find(({ name }) => name === "claude_code.code_edit_tool.decision")?.attributes).toMatchObject({
      tool_name: "Edit",
      decision: "accept",
      source: "user_temporary",
      language: "TypeScript",
      "app.version": "2.1.326",
    });
    expect(points.map(({ name }) => name)).not.toContain("claude_code.pull_request.count");
  });
});

const traces: Trace[] = corpusSessions().flatMap((path) =>
  [...traceSession(join(CORPUS, path), { state: { kind: "ended" } })].map(({ trace }) => trace),
);

test("tokens and cost of all recorded sessions are those of their spans", () => {
  const points = traces.flatMap(toMetricPoints);
  const sum = (name: string, type?: string) =>
    points
      .filter((point) => point.name === name && point.attributes["type"] === type)
      .reduce((all, { value }) => all + value, 0);
  const generations = traces.flatMap(({ observations }) => observations.flatMap(({ generation }) => generation ?? []));
  const total = (pick: (generation: (typeof generations)[number]) => number) =>
    generations.reduce((all, it) => all + pick(it), 0);
  expect(sum("claude_code.token.usage", "input")).toBe(total(({ usage }) => usage?.input ?? 0));
  expect(sum("claude_code.token.usage", "cacheRead")).toBe(total(({ usage }) => usage?.cacheRead ?? 0));
  expect(sum("claude_code.cost.usage")).toBeCloseTo(
    total(({ costUsd }) => costUsd ?? 0),
    9,
  );
  const times = points.flatMap(({ startMs, endMs }) => [startMs, endMs]);
  expect(times.filter((time) => !(time > 0))).toEqual([]);
});

test("a request holds delta sums with the times of the records", async () => {
  const points = tracesOf(ROWS)
    .flatMap(toMetricPoints)
    .map((point) => JSON.stringify(point));
  const { resourceMetrics } = JSON.parse(jsonMetricsRequest(points, { "service.name": "mine" }));
  const [{ resource, scopeMetrics }] = resourceMetrics;
  expect(resource.attributes).toEqual([{ key: "service.name", value: { stringValue: "mine" } }]);
  const commits = scopeMetrics[0].metrics.find(({ name }: { name: string }) => name === "claude_code.commit.count");
  expect(commits.sum).toMatchObject({
    aggregationTemporality: 1,
    isMonotonic: true,
    dataPoints: [{ asInt: "1", timeUnixNano: `${BigInt(Date.UTC(2026, 0, 1) + 14_000) * 1_000_000n}` }],
  });
  const bytes = Buffer.from(await protobufMetricsRequest(points)).toString("latin1");
  expect(bytes.split("claude_code.commit.count")).toHaveLength(2);
});
