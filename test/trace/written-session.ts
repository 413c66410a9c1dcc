import { join } from "node:path";
import type { Observation, Trace } from "../../src/trace/observe/observation.js";
import { type TraceOptions, traceSession } from "../../src/trace/observe/trace-session.js";
import { type Row, sessionText } from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";

const WRITTEN = "22222222-2222-4222-8222-222222222222";

/** A row at a second after the start. */
export function at(second: number, row: Row): Row {
  return { ...row, timestamp: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString() };
}

/** The path of a session with these rows, each continuing the one before it. */
function writtenSession(...rows: readonly Row[]): string {
  return join(temporaryFolder({ [`${WRITTEN}.jsonl`]: sessionText(...rows) }), `${WRITTEN}.jsonl`);
}

/** Its traces, as those of a session that is over. */
export function tracesOf(rows: readonly Row[], options: TraceOptions = {}): Trace[] {
  return [...traceSession(writtenSession(...rows), { state: { kind: "ended" }, ...options })].map(({ trace }) => trace);
}

/** Of all traces: when each observation began and ended, in seconds after the start. */
export function secondsOf(
  traces: readonly Trace[],
  ...kinds: readonly Observation["kind"][]
): [string, number, number][] {
  const seconds = (ms: number) => (ms - Date.UTC(2026, 0, 1)) / 1000;
  return traces
    .flatMap(({ observations }) => observations)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ name, startMs, endMs }) => [name, seconds(startMs), seconds(endMs)]);
}
