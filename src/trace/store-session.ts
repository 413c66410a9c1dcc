import { statSync } from "node:fs";
import { cursorAt, isCursorValid } from "../format/follow-file.js";
import type { Redactor } from "../redact/create-redactor.js";
import type { Outbox, Parcel } from "./outbox.js";
import { type Receiver, toParcels } from "./to-parcels.js";
import { type TraceOptions, type TurnPosition, traceSession } from "./trace-session.js";

export interface StoreOptions extends Omit<TraceOptions, "from" | "knownAgents"> {
  readonly receivers: readonly Receiver[];
  readonly redactor: Redactor | null;
  /** Read from the start, whatever was read before, and leave that as it is. */
  readonly isBackfill?: boolean;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
}

export interface StoredSession {
  readonly turns: number;
  readonly spans: number; // that were new
  /** The last turn may still change, so it was not stored. */
  readonly isOpen: boolean;
}

const CHUNK_BYTES = 8_000_000;

/** Puts the turns of a session that are final, and that no target knows, into the outbox, and notes how far it was read. */
export function storeSession(path: string, outbox: Outbox, options: StoreOptions): StoredSession {
  const { receivers, redactor, isBackfill = false, since = Number.NEGATIVE_INFINITY } = options;
  const from = isBackfill ? undefined : knownPosition(path, outbox);
  const endedSize = options.state?.kind === "ended" ? statSync(path).size : null;
  const parcels: Parcel[] = [];
  let bytes = 0;
  let turns = 0;
  let spans = 0;
  let firstOpen: TurnPosition | undefined;
  let last: TurnPosition | undefined;
  let isOpen = false;
  for (const turn of traceSession(path, { ...options, from, knownAgents: outbox.agentsOf(path) })) {
    if (turn.position) {
      last = turn.position;
      isOpen = !turn.isFinal;
      if (isOpen) firstOpen ??= turn.position;
    }
    if (!turn.isFinal || (turn.trace.observations[0]?.startMs ?? 0) < since) continue;
    turns += 1;
    for (const parcel of toParcels(turn, path, receivers, redactor)) {
      parcels.push(parcel);
      bytes += parcel.spans.reduce((sum, { json }) => sum + json.length, 0);
    }
    if (bytes < CHUNK_BYTES) continue;
    spans += outbox.store(parcels.splice(0));
    bytes = 0;
  }
  const resume = firstOpen ?? last;
  const progress =
    resume && !isBackfill ? { path, cursor: cursorAt(path, resume), number: resume.number, endedSize } : undefined;
  spans += outbox.store(parcels, progress);
  return { turns, spans, isOpen };
}

/** Undefined: nothing is known, or the file was replaced or cut since. What was sent is known by its ids all the same. */
function knownPosition(path: string, outbox: Outbox): TurnPosition | undefined {
  const progress = outbox.progressOf(path);
  if (!progress || !isCursorValid(path, progress.cursor)) return undefined;
  const { offset, line } = progress.cursor;
  return { offset, line, number: progress.number };
}
