import { hash } from "node:crypto";
import type { LogRecord } from "../../format/record/record.js";
import type { ObservationKind } from "./observation.js";

/**
 * The trace of a turn: the first 32 hex digits of the SHA-256 of `trace ` and the uuid of the turn's first record, as
 * `turnlog show --json` names it. Langfuse's `createTraceId("trace <uuid>")` gives the same.
 *
 * Ids come from what the records themselves carry, never from the session: a copy of the history in another file (fork,
 * resume, sync) has the same ids, so nothing is counted twice. A copy with a new uuid names the original in `forkedFrom`.
 */
export function traceIdOf(key: string): string {
  return digest(`trace ${key}`, 32);
}

/** The same for those who know no uuid: of `trace <session id> turn <number>`. */
export function traceIdOfTurn(sessionId: string, number: number): string {
  return traceIdOf(`${sessionId} turn ${number}`);
}

export function spanIdOf(kind: ObservationKind, key: string): string {
  return digest(`${kind} ${key}`, 16);
}

export function metricIdOf(key: string): string {
  return digest(`metric ${key}`, 16);
}

/** The uuid that a record had where it was written first. */
export function originOf(record: LogRecord | undefined): string | undefined {
  if (!record || record.kind === "broken") return undefined;
  return record.forkedFrom?.messageUuid ?? record.uuid;
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
