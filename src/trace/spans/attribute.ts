import type { ChatMessage, Content } from "../observe/conversation.js";
import { wordsOf } from "../observe/conversation.js";
import type { Observation, Trace } from "../observe/observation.js";

export type AttributeValue = string | number | boolean | readonly string[];
/** `undefined` is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** How one vocabulary names spans and what they hold. */
export interface Vocabulary {
  /** Of the span. */
  name(observation: Observation): string;
  attributes(observation: Observation, trace: Trace): Attributes;
}

/** For values that are not plain text. */
export function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Text as it is, anything else as JSON. */
export function plainText(value: unknown): string | undefined {
  return typeof value === "string" ? value : jsonText(value);
}

/** Numbers and booleans stay as they are. */
function plainValue(value: unknown): AttributeValue | undefined {
  return typeof value === "number" || typeof value === "boolean" ? value : plainText(value);
}

export function prefixed(prefix: string, facts: Observation["metadata"]): Attributes {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [`${prefix}.${key}`, plainValue(value)]));
}

/** The messages of an input or output; none where it is another value. */
export function messagesOf(content: Content | undefined): readonly ChatMessage[] {
  return content?.kind === "messages" ? content.messages : [];
}

/** Words of messages; the text or JSON of another value. */
export function textOf(content: Content | undefined): string | undefined {
  if (content === undefined) return undefined;
  return content.kind === "messages" ? wordsOf(content) : plainText(content.value);
}

/** Input tokens, including cached ones. */
export function promptTokens({ generation }: Observation): number | undefined {
  const usage = generation?.usage;
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h : undefined;
}

export function outputTokens({ generation }: Observation): number | undefined {
  return generation?.outputKnown ? generation.usage?.output : undefined;
}

export function cacheWriteTokens({ generation }: Observation): number | undefined {
  const usage = generation?.usage;
  return usage ? usage.cacheWrite5m + usage.cacheWrite1h : undefined;
}

/** Low in number, so that backends can group by it. */
export function errorTypeOf({ kind, level }: Observation): string | undefined {
  if (level !== "ERROR") return undefined;
  return kind === "tool" ? "tool_error" : "api_error";
}

/** The agent that a span stands for. */
export function agentNameOf({ kind, name }: Observation): string | undefined {
  return kind === "turn" ? "claude-code" : kind === "agent" ? name : undefined;
}

/** How a person reads an observation in a tree. */
export function displayName({ kind, name }: Observation): string {
  if (kind === "hook") return `hook ${name}`;
  return kind === "wait" ? `waiting: ${name}` : name;
}
