import { numberAt, objectAt, stringAt } from "../../format/json.js";
import type { LogRecord } from "../../format/record/record.js";
import { costOf, type PriceTable, priceOf } from "../../session/messages/cost.js";
import { identityOf, type Message } from "../../session/messages/message.js";
import type { Usage } from "../../session/messages/usage.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { answerMessage, type ChatMessage, lastThatFit, messagesContent, userMessage, wordsOf } from "./conversation.js";
import type { Exchange } from "./exchange.js";
import { findGenerationStarts, type StartOf } from "./generation-starts.js";
import { givenToModel, linesOf } from "./given-to-model.js";
import { type Costs, type Draft, type DraftEvent, PLAIN, toMs } from "./observation.js";
import { observeHooks } from "./observe-hooks.js";
import { indexResults, observeTool } from "./observe-tool.js";
import { spanIdOf } from "./span-ids.js";

export interface ExchangePlace {
  readonly parentSpanId: string;
  /** What the first generation was asked. */
  readonly prompt: ChatMessage | null;
  /** The conversation before it; null where it was not asked for. */
  readonly earlier: readonly ChatMessage[] | null;
  readonly startMs: number | null;
  /** Of a sub-agent; null for the main conversation. */
  readonly agent: { readonly id: string; readonly type: string | null } | null;
  readonly prices: PriceTable | undefined;
  /** What runs inside a tool call: the sub-agents that it launched. */
  inside(call: ToolCall, toolSpanId: string): readonly Draft[];
}

/** Generations, each with its tools below it, API errors between them, and hooks: in the order of the conversation. */
export function observeExchange(exchange: Exchange, place: ExchangePlace): Draft[] {
  const calls = new Map(exchange.toolCalls.map((call) => [call.id, call]));
  const startOf = findGenerationStarts(exchange.records, place.startMs);
  const given = givenToModel(exchange, place.prompt);
  const retries = retriesOf(exchange.records);
  const conversation = place.earlier === null ? null : openConversation(place.earlier, exchange);
  const hooks = observeHooks(exchange, place.parentSpanId);
  const results = indexResults(exchange.records);
  const drafts = exchange.messages.flatMap((message): Draft[] => {
    if (message.isApiError) return [{ ...toError(message, place), events: retries(message) }];
    if (message.author !== "model") return [];
    const own = message.blocks.flatMap((block) => (block.kind === "toolCall" ? (calls.get(block.id) ?? []) : []));
    const read = given(message);
    const earlier = conversation?.before(message) ?? [];
    const generation = toGeneration(message, { own, read, startOf, retries, earlier }, place);
    conversation?.add(...read, answerMessage(message));
    const tools = own.flatMap((call) => [
      ...observeTool(call, generation.spanId, results),
      ...hooks.ofTool(call.id),
      ...place.inside(call, spanIdOf("tool", call.id)),
    ]);
    return [generation, ...tools];
  });
  return [...drafts, ...hooks.others()];
}

interface Conversation {
  before(message: Message): readonly ChatMessage[];
  add(...messages: readonly ChatMessage[]): void;
}

/** Of what precedes a compaction only its summary remains. */
function openConversation(earlier: readonly ChatMessage[], { records, compactions }: Exchange): Conversation {
  const lines = linesOf(records);
  const ahead = compactions.toSorted((a, b) => a.line - b.line);
  let messages = [...earlier];
  return {
    before: ({ recordUuids }) => {
      const line = lines.get(recordUuids[0] ?? "") ?? 0;
      const passed = ahead.splice(0, ahead.findLastIndex((compaction) => compaction.line < line) + 1).at(-1);
      if (passed) messages = passed.summary ? [userMessage(passed.summary)] : [];
      return [...lastThatFit(messages)]; // it goes on growing
    },
    add: (...more) => {
      messages.push(...more);
    },
  };
}

interface GenerationParts {
  readonly own: readonly ToolCall[];
  readonly read: readonly ChatMessage[];
  readonly startOf: StartOf;
  readonly retries: (message: Message) => readonly DraftEvent[];
  readonly earlier: readonly ChatMessage[];
}

function toGeneration(message: Message, parts: GenerationParts, place: ExchangePlace): Draft {
  const { own, read, startOf, retries, earlier } = parts;
  const { outputKnown, isAborted } = message;
  return {
    ...PLAIN,
    kind: "generation",
    spanId: spanIdOf("generation", spanKey(message, place)),
    parentSpanId: place.parentSpanId,
    name: modelOf(message) ?? "generation",
    startMs: startOf(message),
    endMs: toMs(message.endedAt),
    input: read.length === 0 ? undefined : messagesContent(...read),
    output: messagesContent(answerMessage(message)),
    level: isAborted ? "WARNING" : "DEFAULT",
    statusMessage: isAborted ? "interrupted while it streamed" : null,
    metadata: {
      tool_count: own.length,
      ...(own.length === 0 ? {} : { tool_ids: own.map(({ id }) => id) }),
      ...(outputKnown ? {} : { output_tokens_unknown: true }),
    },
    events: retries(message),
    generation: {
      ...spendOf(message, place.prices),
      responseId: message.id ?? message.recordUuids[0] ?? null,
      stopReason: message.stopReason,
      speed: message.speed,
      agentType: place.agent === null ? null : (place.agent.type ?? "sub-agent"),
      earlier,
    },
  };
}

/** `[1m]` matches no price of any backend. */
function modelOf({ model }: Message): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}

function spendOf(message: Message, prices: PriceTable | undefined) {
  const { usage, outputKnown, speed } = message;
  const model = modelOf(message);
  const isRecorded = Object.values(usage).some((count) => count > 0);
  return {
    model,
    outputKnown,
    usage: isRecorded ? usage : null,
    costUsd: isRecorded ? costOf(usage, model ?? undefined, speed ?? undefined, prices) : null,
    costs: isRecorded ? costsOf(usage, model, speed, prices) : null,
  };
}

const PER_MILLION = 1_000_000;

function costsOf(
  usage: Usage,
  model: string | null,
  speed: string | null,
  prices: PriceTable | undefined,
): Costs | null {
  const price = priceOf(model ?? undefined, speed ?? undefined, prices);
  if (!price) return null;
  return {
    input: (usage.input * price.input) / PER_MILLION,
    output: (usage.output * price.output) / PER_MILLION,
    cacheRead: (usage.cacheRead * price.cacheRead) / PER_MILLION,
    cacheWrite5m: (usage.cacheWrite5m * price.cacheWrite5m) / PER_MILLION,
    cacheWrite1h: (usage.cacheWrite1h * price.cacheWrite1h) / PER_MILLION,
  };
}

function spanKey(message: Message, { agent }: ExchangePlace): string {
  return agent === null ? identityOf(message) : `${identityOf(message)} ${agent.id}`;
}

/** Requests that failed and were sent again, by the message that answered at last. */
function retriesOf(records: readonly LogRecord[]): (message: Message) => readonly DraftEvent[] {
  const byMessage = new Map<string, DraftEvent[]>();
  let waiting: DraftEvent[] = [];
  for (const record of records) {
    if (record.kind === "system" && record.subtype === "api_error") waiting.push(toRetry(record));
    if (record.kind !== "assistant" || waiting.length === 0) continue;
    byMessage.set(record.messageId ?? record.uuid ?? "", waiting);
    waiting = [];
  }
  return ({ id, recordUuids }) => byMessage.get(id ?? recordUuids[0] ?? "") ?? [];
}

function toRetry(record: Extract<LogRecord, { kind: "system" }>): DraftEvent {
  const { raw, timestamp, content } = record;
  const error = objectAt(raw, "error");
  const known = {
    status: numberAt(error, "status"),
    attempt: numberAt(raw, "retryAttempt"),
    wait_ms: numberAt(raw, "retryInMs"),
  };
  return {
    name: "retry",
    atMs: toMs(timestamp),
    attributes: Object.fromEntries(
      Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
    content: stringAt(error, "message") ?? content ?? null,
  };
}

function toError(message: Message, place: ExchangePlace): Draft {
  const at = toMs(message.startedAt);
  return {
    ...PLAIN,
    kind: "error",
    spanId: spanIdOf("error", spanKey(message, place)),
    parentSpanId: place.parentSpanId,
    name: "API error",
    startMs: at,
    endMs: toMs(message.endedAt) ?? at,
    level: "ERROR",
    statusMessage: textOf(message),
  };
}

export function textOf(message: Message): string {
  return wordsOf(messagesContent(answerMessage(message, "words")));
}
