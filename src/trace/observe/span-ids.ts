import { hash } from "node:crypto";

/**
 * Ids come from what the records themselves carry, never from the session: a copy of the history in another file (fork,
 * resume, sync) has the same ids, so nothing is counted twice.
 */
export function traceIdOf(key: string): string {
  return digest(`trace ${key}`, 32);
}

export type SpanKey = "turn" | "generation" | "tool" | "agent" | "error";

export function spanIdOf(kind: SpanKey, key: string): string {
  return digest(`${kind} ${key}`, 16);
}

function digest(text: string, length: number): string {
  const hex = hash("sha256", text, "hex").slice(0, length);
  // Backends take an id of zeros for no id at all.
  return /^0+$/.test(hex) ? `1${hex.slice(1)}` : hex;
}

/** For comparing text without storing it. */
export function hashText(words: string): string {
  return hash("sha256", words.trim(), "hex");
}
