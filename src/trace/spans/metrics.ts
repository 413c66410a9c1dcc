import { numberAt, stringAt } from "../../format/json.js";
import type { Observation, Trace } from "../observe/observation.js";
import { metricIdOf } from "../observe/span-ids.js";

/** What was counted between two times. Delta: points of one name add up. */
export interface MetricPoint {
  /** The same for the same thing in whatever file, as with spans. */
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The numbers of a turn, from its prepared trace. Names, units and attributes that begin with `claude_code.` are those of Claude Code's own
 * export, so that its dashboards work; what it does not export begins with `turnlog.`.
 */
export function toMetricPoints(trace: Trace): MetricPoint[] {
  const root = trace.observations.find(({ spanId }) => spanId === trace.rootSpanId);
  const version = stringAt(root?.metadata, "client_version");
  const common = {
    "session.id": trace.sessionId,
    ...(trace.userId === null ? {} : { "user.id": trace.userId }),
    ...(version === undefined ? {} : { "app.version": version }),
  };
  const points = trace.observations.flatMap((observation) => {
    const own = countsOf(observation).filter(({ value }) => value > 0);
    return own.map((count) => toPoint(count, observation, common));
  });
  return root && trace.turnNumber === 1 ? [sessionPoint(root, trace, common), ...points] : points;
}

interface Counted {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

function toPoint(counted: Counted, observation: Observation, common: MetricPoint["attributes"]): MetricPoint {
  const { spanId, startMs, endMs } = observation;
  const { name, unit, value } = counted;
  const known = Object.entries(counted.attributes).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]));
  const attributes = { ...common, ...Object.fromEntries(known) };
  const id = metricIdOf(`${name} ${counted.attributes["type"] ?? ""} ${spanId}`);
  return { id, name, unit, value, startMs, endMs, attributes };
}

function sessionPoint({ startMs }: Observation, { sessionId }: Trace, common: MetricPoint["attributes"]): MetricPoint {
  const name = "claude_code.session.count";
  const attributes = { ...common, start_type: "fresh" };
  return { id: metricIdOf(`${name} ${sessionId}`), name, unit: "count", value: 1, startMs, endMs: startMs, attributes };
}

function countsOf(observation: Observation): Counted[] {
  switch (observation.kind) {
    case "turn":
      return turnCounts(observation);
    case "generation":
      return generationCounts(observation);
    case "tool":
      return toolCounts(observation);
    default:
      return [];
  }
}

/** Keystrokes are not recorded, so of the active time only what Claude Code worked. */
function turnCounts({ startMs, endMs, metadata, level }: Observation): Counted[] {
  const working = numberAt(metadata, "working_ms") ?? endMs - startMs;
  const status = level === "ERROR" ? "error" : level === "WARNING" ? "interrupted" : "ok";
  return [
    { name: "claude_code.active_time.total", unit: "s", value: working / 1000, attributes: { type: "cli" } },
    { name: "turnlog.turn.count", unit: "count", value: 1, attributes: { status } },
    { name: "turnlog.turn.duration", unit: "s", value: (endMs - startMs) / 1000, attributes: { status } },
  ];
}

function generationCounts({ generation }: Observation): Counted[] {
  if (!generation?.usage) return [];
  const { usage, model, speed, agentType, costUsd, outputKnown } = generation;
  const attributes = {
    model: model ?? undefined,
    query_source: agentType === null ? "main" : "subagent",
    "agent.name": agentType ?? undefined,
    speed: speed === "fast" ? speed : undefined,
  };
  const tokens = (type: string, value: number): Counted => ({
    name: "claude_code.token.usage",
    unit: "tokens",
    value,
    attributes: { type, ...attributes },
  });
  return [
    tokens("input", usage.input),
    tokens("output", outputKnown ? usage.output : 0),
    tokens("cacheRead", usage.cacheRead),
    tokens("cacheCreation", usage.cacheWrite5m + usage.cacheWrite1h),
    { name: "claude_code.cost.usage", unit: "USD", value: costUsd ?? 0, attributes },
  ];
}

function toolCounts({ name, level, effects, startMs, endMs }: Observation): Counted[] {
  const tool = { tool_name: name };
  const one = (metric: string, value: number, attributes: Counted["attributes"] = {}): Counted => ({
    name: metric,
    unit: "count",
    value,
    attributes,
  });
  const duration = { name: "turnlog.tool.duration", unit: "s", value: (endMs - startMs) / 1000, attributes: tool };
  const counts = [duration, one("turnlog.tool.error.count", level === "ERROR" ? 1 : 0, tool)];
  if (effects === null) return counts;
  const { linesAdded, linesRemoved, commits, pullRequests, fileExtension, decision } = effects;
  const isEdit = fileExtension !== null && decision !== null;
  const language = LANGUAGES[fileExtension ?? ""] ?? "unknown";
  const decided = { ...tool, decision: decision?.kind, source: decision?.source, language };
  return [
    ...counts,
    one("claude_code.lines_of_code.count", linesAdded, { type: "added" }),
    one("claude_code.lines_of_code.count", linesRemoved, { type: "removed" }),
    one("claude_code.commit.count", commits),
    one("claude_code.pull_request.count", pullRequests),
    one("claude_code.code_edit_tool.decision", isEdit ? 1 : 0, decided),
  ];
}

/** As Claude Code names them, of the commonest. */
const LANGUAGES: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  ".ts": "TypeScript",
  ".tsx": "TypeScript",
  ".js": "JavaScript",
  ".mjs": "JavaScript",
  ".jsx": "JavaScript",
  ".py": "Python",
  ".go": "Go",
  ".rs": "Rust",
  ".java": "Java",
  ".rb": "Ruby",
  ".cs": "C#",
  ".cpp": "C++",
  ".c": "C",
  ".php": "PHP",
  ".swift": "Swift",
  ".kt": "Kotlin",
  ".html": "HTML",
  ".css": "CSS",
  ".json": "JSON",
  ".yaml": "YAML",
  ".yml": "YAML",
  ".sh": "Shell",
  ".sql": "SQL",
  ".md": "Markdown",
});
