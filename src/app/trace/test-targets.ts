import { randomUUID } from "node:crypto";
import { emptyUsage } from "../../session/messages/usage.js";
import { type ChatMessage, messagesContent, userMessage } from "../../trace/observe/conversation.js";
import { type Observation, PLAIN, type Trace } from "../../trace/observe/observation.js";
import { spanIdOf, traceIdOf } from "../../trace/observe/span-ids.js";
import { type Mask, type SendResult, sendRequest } from "../../trace/outbox/send-request.js";
import type { Target } from "../../trace/outbox/target.js";
import { toSpans } from "../../trace/spans/to-spans.js";
import type { Environment } from "../settings.js";
import { readTraceSettings, requireTarget } from "./trace-settings.js";

export interface TestedTarget {
  readonly name: string;
  readonly url: string;
  readonly traceId: string;
  readonly result: SendResult;
}

/** Sends one sample turn to each target, without the outbox. */
export async function* testTargets(name: string | undefined, environment: Environment): AsyncGenerator<TestedTarget> {
  const settings = await readTraceSettings(environment, name);
  requireTarget(settings);
  for (const target of settings.targets) {
    const trace = sampleTrace(Date.now());
    yield {
      name: target.name,
      url: target.url,
      traceId: trace.traceId,
      result: await send(target, trace, settings.mask),
    };
  }
}

async function send(target: Target, trace: Trace, mask: Mask): Promise<SendResult> {
  if (target.problem !== null) return { kind: "refused", reason: target.problem };
  const spans = toSpans(trace, target.attributes).map((span) => JSON.stringify(span));
  return sendRequest(target, { signal: "traces", items: spans }, mask);
}

function sampleTrace(now: number): Trace {
  const key = randomUUID();
  const rootId = spanIdOf("turn", key);
  const answer: ChatMessage = {
    role: "assistant",
    parts: [{ kind: "text", text: "Yes: this turn was sent by `turnlog trace test`." }],
    stopReason: "end_turn",
  };
  const metadata = { source: "claude-code", turn_number: 1, session_id: "turnlog-trace-test" };
  const input = messagesContent(userMessage("Does tracing work?"));
  const common = { ...PLAIN, input, output: messagesContent(answer), endMs: now } as const;
  const root: Observation = {
    ...common,
    kind: "turn",
    spanId: rootId,
    parentSpanId: null,
    name: "Turn 1",
    startMs: now - 2000,
    metadata,
  };
  const generation: Observation = {
    ...common,
    kind: "generation",
    spanId: spanIdOf("generation", key),
    parentSpanId: rootId,
    name: "sample",
    startMs: now - 1500,
    metadata: { tool_count: 0 },
    generation: {
      model: "sample",
      responseId: key,
      stopReason: "end_turn",
      usage: { ...emptyUsage(), input: 5, output: 12 },
      outputKnown: true,
      costUsd: null,
      costs: null,
      speed: null,
      agentType: null,
      earlier: [],
    },
  };
  const observations = [root, generation];
  return {
    traceId: traceIdOf(key),
    rootSpanId: rootId,
    name: "Turn 1",
    turnNumber: 1,
    sessionId: "turnlog-trace-test",
    userId: null,
    tags: [],
    observations,
  };
}
