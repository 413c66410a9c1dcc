import type { ChatMessage, ChatPart, Content } from "../observe/conversation.js";
import type { Observation, ObservationKind, Trace } from "../observe/observation.js";
import {
  type Attributes,
  displayName,
  jsonText,
  messagesOf,
  plainText,
  prefixed,
  type Vocabulary,
} from "./attribute.js";

const TYPES: Readonly<Record<ObservationKind, string>> = {
  turn: "agent",
  agent: "agent",
  generation: "generation",
  tool: "tool",
  error: "event",
  followUp: "event",
  lostResult: "event",
  compaction: "span",
  hook: "span",
  wait: "span",
};

/** Session, user, tags and trace name are on every span, as Langfuse requires since version 4. */
export const langfuse: Vocabulary = {
  name: displayName,
  attributes: (observation, trace) => ({
    "langfuse.trace.name": trace.name,
    "langfuse.trace.tags": trace.tags.length === 0 ? undefined : trace.tags,
    "langfuse.session.id": trace.sessionId,
    "langfuse.user.id": trace.userId ?? undefined,
    "langfuse.observation.type": typeOf(observation),
    "langfuse.observation.input": inputText(observation.input),
    "langfuse.observation.output": outputText(observation.output),
    "langfuse.observation.level": observation.level,
    "langfuse.observation.status_message": observation.statusMessage ?? undefined,
    ...prefixed("langfuse.observation.metadata", observation.metadata),
    ...(observation.spanId === trace.rootSpanId ? nameTrace(observation, trace) : {}),
    ...(observation.generation === null ? {} : nameGeneration(observation.generation)),
  }),
};

/** A hook that stopped something is what Langfuse calls a guardrail. */
function typeOf({ kind, level }: Observation): string {
  return kind === "hook" && level !== "DEFAULT" ? "guardrail" : TYPES[kind];
}

function nameTrace({ input, output, metadata }: Observation, trace: Trace): Attributes {
  return {
    "langfuse.trace.input": inputText(input),
    "langfuse.trace.output": outputText(output),
    ...prefixed("langfuse.trace.metadata", metadata),
    "langfuse.trace.metadata.session_id": trace.sessionId,
  };
}

/** One plain message stands for itself; Langfuse reads a list as a conversation. */
function inputText(content: Content | undefined): string | undefined {
  if (content?.kind === "value") return plainText(content.value);
  const messages = messagesOf(content).map(toMessage);
  return messages.length === 1 && messages[0]?.["role"] === "user" ? jsonText(messages[0]) : jsonList(messages);
}

function outputText(content: Content | undefined): string | undefined {
  if (content?.kind === "value") return plainText(content.value);
  const messages = messagesOf(content).map(toMessage);
  return messages.length === 1 ? jsonText(messages[0]) : jsonList(messages);
}

function jsonList(messages: readonly object[]): string | undefined {
  return messages.length === 0 ? undefined : jsonText(messages);
}

/** As Langfuse's own message format has it: it fills its tool columns from `tool_calls`, and shows `thinking` by itself. */
function toMessage({ role, parts }: ChatMessage): Record<string, unknown> {
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const thoughts = parts.flatMap((part) =>
    part.kind === "reasoning" ? [{ type: "thinking", content: part.text }] : [],
  );
  const calls = parts.flatMap((part) => (part.kind === "toolCall" ? [toCall(part)] : []));
  const result = parts.find((part) => part.kind === "toolResult");
  if (role === "tool" && result) {
    const name = result.name === null ? {} : { name: result.name };
    return { role, tool_call_id: result.id, ...name, content: result.text ?? "" };
  }
  return {
    role,
    content: texts.join("\n"),
    ...(thoughts.length === 0 ? {} : { thinking: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toCall({ id, name, input }: Extract<ChatPart, { kind: "toolCall" }>): object {
  return { id, type: "function", function: { name, arguments: jsonText(input) ?? "{}" } };
}

function nameGeneration(generation: NonNullable<Observation["generation"]>): Attributes {
  const { model, speed } = generation;
  return {
    "langfuse.observation.model.name": model ?? undefined,
    "langfuse.observation.model.parameters": speed === "fast" ? jsonText({ speed }) : undefined,
    "langfuse.observation.usage_details": jsonText(usageDetails(generation)),
    "langfuse.observation.cost_details": jsonText(costDetails(generation)),
  };
}

/** Disjoint kinds with their own prices; Langfuse adds them up. */
function usageDetails(generation: NonNullable<Observation["generation"]>): object | undefined {
  const { usage } = generation;
  return usage === null ? undefined : byKind(usage, generation);
}

/** USD, under the same names. Langfuse adds up only `input` and `output` itself, and shows no cost without the total. */
function costDetails(generation: NonNullable<Observation["generation"]>): object | undefined {
  const { costs } = generation;
  if (costs === null) return undefined;
  const kinds = byKind(costs, generation);
  return { ...kinds, total: Object.values(kinds).reduce((sum, usd) => sum + usd, 0) };
}

type Kinds = Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite5m" | "cacheWrite1h", number>>;

function byKind(
  amounts: Kinds,
  { usage, outputKnown }: NonNullable<Observation["generation"]>,
): Record<string, number> {
  return {
    input: amounts.input,
    ...(outputKnown ? { output: amounts.output } : {}),
    ...(usage?.cacheRead ? { input_cache_read: amounts.cacheRead } : {}),
    ...(usage?.cacheWrite5m ? { input_cache_creation_5m: amounts.cacheWrite5m } : {}),
    ...(usage?.cacheWrite1h ? { input_cache_creation_1h: amounts.cacheWrite1h } : {}),
  };
}
