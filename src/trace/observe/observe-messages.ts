import { countLeading } from "../../collections.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { identityOf, type Message } from "../../session/messages/message.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { type Draft, toMs } from "./observation.js";
import { spanIdOf } from "./span-ids.js";

export interface Exchange {
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
}

export interface ExchangePlace {
  readonly parentSpanId: string;
  /** What the first generation was asked. */
  readonly input: unknown;
  readonly startMs: number | null;
  /** Of a sub-agent; null for the main conversation. */
  readonly agentId: string | null;
  readonly prices: PriceTable | undefined;
  /** What runs inside a tool call: the sub-agents that it launched. */
  inside(call: ToolCall, toolSpanId: string): readonly Draft[];
}

/** Generations, each with its tools below it, and API errors between them, in the order of the conversation. */
export function observeMessages(exchange: Exchange, place: ExchangePlace): Draft[] {
  const calls = new Map(exchange.toolCalls.map((call) => [call.id, call]));
  const times = eventTimes(exchange, place.startMs);
  let input = place.input;
  return exchange.messages.flatMap((message) => {
    if (message.isApiError) return [toError(message, place)];
    if (message.author !== "model") return [];
    const own = message.blocks.flatMap((block) => (block.kind === "toolCall" ? (calls.get(block.id) ?? []) : []));
    const generation = toGeneration(message, own, { ...place, input, startMs: startOf(message, times) });
    input = undefined;
    return [generation, ...own.flatMap((call) => toTool(call, generation.spanId, place))];
  });
}

/** When something ended that the model may have been waiting for. */
function eventTimes({ messages, toolCalls }: Exchange, startMs: number | null): number[] {
  const ends = [...messages, ...toolCalls].map(({ endedAt }) => toMs(endedAt));
  return [startMs, ...ends].filter((time) => time !== null).sort((a, b) => a - b);
}

/** A record is written when its block ends; the model started after the event before it. */
function startOf({ startedAt }: Message, times: readonly number[]): number | null {
  const written = toMs(startedAt);
  if (written === null) return null;
  return times[countLeading(times.length, (at) => (times[at] ?? 0) < written) - 1] ?? null;
}

function toGeneration(message: Message, calls: readonly ToolCall[], place: ExchangePlace): Draft {
  const { id, recordUuids, stopReason, usage, outputKnown, speed, isAborted } = message;
  const model = message.model?.replace(/\[[^\]]*\]$/, "") ?? null; // `[1m]` matches no price of any backend
  const isRecorded = Object.values(usage).some((count) => count > 0);
  const cost = isRecorded ? costOf(usage, model ?? undefined, speed ?? undefined, place.prices) : null;
  return {
    kind: "generation",
    spanId: spanIdOf("generation", spanKey(message, place.agentId)),
    parentSpanId: place.parentSpanId,
    name: model ?? "generation",
    startMs: place.startMs,
    endMs: toMs(message.endedAt),
    input: place.input,
    output: { role: "assistant", content: textOf(message) },
    level: isAborted ? "WARNING" : "DEFAULT",
    statusMessage: isAborted ? "interrupted while it streamed" : null,
    metadata: {
      tool_count: calls.length,
      ...(calls.length === 0 ? {} : { tool_ids: calls.map((call) => call.id) }),
      ...(outputKnown ? {} : { output_tokens_unknown: true }),
    },
    events: [],
    generation: {
      model,
      responseId: id ?? recordUuids[0] ?? null,
      stopReason,
      usage: isRecorded ? usage : null,
      outputKnown,
      costUsd: cost,
      speed,
    },
  };
}

function spanKey(message: Message, agentId: string | null): string {
  return agentId === null ? identityOf(message) : `${identityOf(message)} ${agentId}`;
}

export function textOf({ blocks }: Message): string {
  const texts = blocks.flatMap((block) => (block.kind === "text" && block.text.trim() !== "" ? [block.text] : []));
  return texts.join("\n");
}

function toTool(call: ToolCall, generationSpanId: string, place: ExchangePlace): Draft[] {
  const isFailed = call.status === "error" || call.status === "denied";
  const spanId = spanIdOf("tool", call.id);
  const tool: Draft = {
    kind: "tool",
    spanId,
    parentSpanId: generationSpanId,
    name: call.name,
    startMs: toMs(call.startedAt),
    endMs: toMs(call.endedAt),
    input: call.input,
    output: call.result,
    level: isFailed ? "ERROR" : call.status === "ok" ? "DEFAULT" : "WARNING",
    statusMessage: call.status === "ok" ? null : isFailed ? (call.result ?? call.status) : STATUS_WORDS[call.status],
    metadata: {
      tool_name: call.name,
      tool_id: call.id,
      status: call.status,
      ...(call.agentId === null ? {} : { agent_id: call.agentId }),
      ...(call.notification === null ? {} : { background: call.notification.status ?? true }),
    },
    events: [],
    generation: null,
  };
  return [tool, ...place.inside(call, spanId)];
}

const STATUS_WORDS = { interrupted: "interrupted", orphan: "no result was recorded" };

function toError(message: Message, place: ExchangePlace): Draft {
  const at = toMs(message.startedAt);
  return {
    kind: "error",
    spanId: spanIdOf("error", spanKey(message, place.agentId)),
    parentSpanId: place.parentSpanId,
    name: "API error",
    startMs: at,
    endMs: toMs(message.endedAt) ?? at,
    input: undefined,
    output: undefined,
    level: "ERROR",
    statusMessage: textOf(message),
    metadata: {},
    events: [],
    generation: null,
  };
}
