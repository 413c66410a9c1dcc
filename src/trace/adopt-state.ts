import { readFileSync } from "node:fs";
import { isObject, numberAt, tryParseJson } from "../format/json.js";
import type { Outbox } from "./outbox.js";
import { traceSession } from "./trace-session.js";

/** What cc-langfuse noted: how many lines of each session it has sent, by session id. */
export function readOtherState(path: string): ReadonlyMap<string, number> {
  const json = tryParseJson(readFileSync(path, "utf8"));
  const entries = isObject(json) ? Object.entries(json) : [];
  return new Map(entries.map(([session, state]) => [session, numberAt(state, "last_line") ?? 0]));
}

/** Marks the turns of a session that another tool has sent, up to a line, as sent. Gives their number. */
export function adoptSent(path: string, lastLine: number, target: string, outbox: Outbox): number {
  let turns = 0;
  for (const { trace, position } of traceSession(path, { state: { kind: "ended" } })) {
    if (position === null || position.line > lastLine) continue;
    outbox.markSent(
      target,
      trace.observations.map(({ spanId }) => spanId),
      path,
    );
    turns += 1;
  }
  return turns;
}
