import { numberAt } from "../../format/json.js";
import type { LogRecord } from "../../format/record/record.js";
import type { FollowUp } from "../../session/turns/build-turn.js";
import type { Compaction } from "../../session/turns/compactions.js";
import type { OrphanResult } from "../../session/turns/tool-calls.js";
import { messagesContent, userMessage } from "./conversation.js";
import { type Draft, PLAIN, toMs } from "./observation.js";
import { originOf, spanIdOf } from "./span-ids.js";
import type { TurnSource } from "./turn-source.js";

interface MomentPlace {
  readonly rootSpanId: string;
  readonly sessionId: string;
}

/** What happened in a turn beside answers, tools and hooks: messages that were typed meanwhile, compactions, lost results. */
export function observeMoments({ turn, records, compactions }: TurnSource, place: MomentPlace): Draft[] {
  const byLine = new Map(records.map((record) => [record.line, record]));
  return [
    ...turn.followUps.map((followUp) => toFollowUp(followUp, byLine.get(followUp.line), place)),
    ...compactions.map((compaction) => toCompaction(compaction, byLine.get(compaction.line), place)),
    ...turn.orphanResults.map((result) => toLostResult(result, place)),
  ].sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
}

function toFollowUp(followUp: FollowUp, record: LogRecord | undefined, { rootSpanId, sessionId }: MomentPlace): Draft {
  const { prompt, at, uuid, line, deliveryRecorded } = followUp;
  const atMs = toMs(at);
  return {
    ...PLAIN,
    kind: "followUp",
    spanId: spanIdOf("followUp", originOf(record) ?? uuid ?? `${sessionId} line ${line}`),
    parentSpanId: rootSpanId,
    name: "follow-up",
    startMs: atMs,
    endMs: atMs,
    input: messagesContent(userMessage(prompt)),
    metadata: deliveryRecorded ? {} : { delivery_recorded: false },
  };
}

/** The boundary is written when the compaction has ended. */
function toCompaction(compaction: Compaction, record: LogRecord | undefined, place: MomentPlace): Draft {
  const { at, line, trigger, preTokens, postTokens, summary } = compaction;
  const endMs = toMs(at);
  const tookMs = record?.kind === "system" ? (numberAt(record.raw, "compactMetadata", "durationMs") ?? 0) : 0;
  const known = { trigger, pre_tokens: preTokens, post_tokens: postTokens };
  return {
    ...PLAIN,
    kind: "compaction",
    spanId: spanIdOf(
      "compaction",
      originOf(record) ?? (at === null ? `${place.sessionId} line ${line}` : `${at} ${preTokens}`),
    ),
    parentSpanId: place.rootSpanId,
    name: "compaction",
    startMs: endMs === null ? null : endMs - tookMs,
    endMs,
    output: summary === null || summary === "" ? undefined : messagesContent(userMessage(summary)),
    metadata: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

function toLostResult({ toolUseId, result, isError, at }: OrphanResult, { rootSpanId }: MomentPlace): Draft {
  const atMs = toMs(at);
  return {
    ...PLAIN,
    kind: "lostResult",
    spanId: spanIdOf("lostResult", toolUseId),
    parentSpanId: rootSpanId,
    name: "tool result without a call",
    startMs: atMs,
    endMs: atMs,
    output: { kind: "value", value: result },
    level: isError ? "WARNING" : "DEFAULT",
    metadata: { tool_id: toolUseId },
  };
}
