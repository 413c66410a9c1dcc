import type { Observation, Trace } from "../observe/observation.js";

export type AttributeValue = string | number | boolean | readonly string[];
/** `undefined` is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** One vocabulary of span attributes. */
export type NameAttributes = (observation: Observation, trace: Trace) => Attributes;

/** For values that are not plain text. */
export function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Text as it is, anything else as JSON. */
export function plainText(value: unknown): string | undefined {
  return typeof value === "string" ? value : jsonText(value);
}

/** Numbers and booleans stay as they are. */
export function plainValue(value: unknown): AttributeValue | undefined {
  return typeof value === "number" || typeof value === "boolean" ? value : plainText(value);
}

/** Input tokens, including cached ones. */
export function promptTokens({ generation }: Observation): number | undefined {
  const usage = generation?.usage;
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h : undefined;
}

export function outputTokens({ generation }: Observation): number | undefined {
  return generation?.outputKnown ? generation.usage?.output : undefined;
}
