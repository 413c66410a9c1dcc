import { isTrueAt, numberAt, objectAt, stringAt } from "../../format/json.js";
import { PLAN_TOOL } from "../../format/record/persons-words.js";
import type { LogRecord } from "../../format/record/record.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { effectsOf } from "./effects.js";
import { type Draft, type Effects, PLAIN, toMs } from "./observation.js";
import { spanIdOf } from "./span-ids.js";

/** The record of a result, by its uuid. */
export type ResultRecords = ReadonlyMap<string, LogRecord>;

export function indexResults(records: readonly LogRecord[]): ResultRecords {
  return new Map(records.flatMap((record) => (record.kind === "user" && record.uuid ? [[record.uuid, record]] : [])));
}

/** A call as a span, and below it the time in which it waited for a person. */
export function observeTool(call: ToolCall, generationSpanId: string, results: ResultRecords): Draft[] {
  const { id, name, status, result, agentId, notification } = call;
  const isFailed = status === "error" || status === "denied";
  const decision = decisionOf(call, results);
  const facts = {
    tool_name: name,
    tool_id: id,
    ...(decision === null ? {} : { decision: decision.kind, decision_source: decision.source }),
  };
  const tool: Draft = {
    ...PLAIN,
    kind: "tool",
    spanId: spanIdOf("tool", id),
    parentSpanId: generationSpanId,
    name,
    startMs: toMs(call.startedAt),
    endMs: toMs(call.endedAt),
    input: { kind: "value", value: call.input },
    output: { kind: "value", value: result },
    level: isFailed ? "ERROR" : status === "ok" ? "DEFAULT" : "WARNING",
    statusMessage: status === "ok" ? null : isFailed ? (result ?? status) : STATUS_WORDS[status],
    metadata: {
      ...facts,
      status,
      ...(agentId === null ? {} : { agent_id: agentId }),
      ...(notification === null ? {} : { background: notification.status ?? true }),
    },
    effects: effectsOf(call, decision && { kind: decision.kind, source: decision.source }),
  };
  return [tool, ...observeWait(call, decision, facts)];
}

const STATUS_WORDS = { interrupted: "interrupted", orphan: "no result was recorded" };

interface Decision extends NonNullable<Effects["decision"]> {
  /** A person was asked for this call; else a rule, a mode or a hook decided. */
  readonly isAsked: boolean;
}

/** Recorded since 2.1.325; that a person refused can be told in all versions. */
function decisionOf({ resultUuids, denial }: ToolCall, results: ResultRecords): Decision | null {
  const record = results.get(resultUuids.at(-1) ?? "");
  const noted = record?.kind === "user" ? objectAt(record.raw, "permissionDecision") : undefined;
  const kind = stringAt(noted, "decision");
  if (kind === "accept" || kind === "reject") {
    const source = stringAt(noted, "source") ?? "config";
    return { kind, source, isAsked: source.startsWith("user") && stringAt(noted, "reasonType") !== "rule" };
  }
  if (denial === "user") return { kind: "reject", source: "user_reject", isAsked: true };
  if (denial === "hook") return { kind: "reject", source: "hook", isAsked: false };
  const isByRule = denial === "rule" || denial === "settings";
  return isByRule ? { kind: "reject", source: "config", isAsked: false } : null;
}

const QUESTIONS: Readonly<Record<string, string>> = { AskUserQuestion: "question", [PLAN_TOOL]: "plan approval" };

/**
 * The records do not tell when a person answered. A question is nothing but waiting, and so is a refusal; an allowed call is waiting
 * except for the time that the tool says it took.
 */
function observeWait(call: ToolCall, decision: Decision | null, facts: Draft["metadata"]): Draft[] {
  const { id, name, resultData, status } = call;
  const question = Object.hasOwn(QUESTIONS, name) ? QUESTIONS[name] : undefined;
  const [startMs, endMs] = [toMs(call.startedAt), toMs(call.endedAt)];
  const isWait = question !== undefined || (decision?.isAsked ?? false);
  if (!isWait || startMs === null || endMs === null || status === "orphan") return [];
  const isRun = question === undefined && decision?.kind === "accept";
  const ranMs = isRun ? ranFor(call) : 0;
  const wait: Draft = {
    ...PLAIN,
    kind: "wait",
    spanId: spanIdOf("wait", id),
    parentSpanId: spanIdOf("tool", id),
    name: question ?? "permission",
    startMs,
    endMs: Math.max(startMs, endMs - (ranMs ?? 0)),
    metadata: {
      ...facts,
      waiting_for: question ?? "permission",
      ...(ranMs === undefined ? { includes_run: true } : {}),
      ...(isTrueAt(resultData, "userModified") ? { user_modified: true } : {}),
    },
  };
  return [wait];
}

/** Once they may, they take milliseconds. */
const INSTANT: ReadonlySet<string> = new Set([
  "Write",
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "Read",
  "Skill",
  "TodoWrite",
]);

function ranFor({ name, resultData }: ToolCall): number | undefined {
  if (INSTANT.has(name) || stringAt(resultData, "status") === "async_launched") return 0;
  return numberAt(resultData, "totalDurationMs") ?? numberAt(resultData, "durationMs");
}
