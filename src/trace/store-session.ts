import { statSync } from "node:fs";
import { cursorAt, isCursorValid } from "../format/follow-file.js";
import type { Redactor } from "../redact/create-redactor.js";
import { type Intake, openIntake } from "./intake.js";
import type { Outbox } from "./outbox.js";
import { type Receiver, toParcels } from "./to-parcels.js";
import { type TraceOptions, type TurnPosition, traceSession } from "./trace-session.js";

export interface StoreOptions extends TraceOptions {
  readonly receivers: readonly Receiver[];
  readonly redactor: Redactor | null;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
}

export interface StoredSession {
  readonly spans: number; // that were new
  /** The last turn may still change, so it was not stored. */
  readonly isOpen: boolean;
}

/** Puts the turns of a session that are new and final into the outbox, and notes how far it was read. */
export function storeSession(
  path: string,
  outbox: Outbox,
  options: Omit<StoreOptions, "from" | "knownAgents" | "since">,
): StoredSession {
  const endedSize = options.state?.kind === "ended" ? statSync(path).size : null;
  const intake = openIntake(outbox);
  const known = { from: knownPosition(path, outbox), knownAgents: outbox.agentsOf(path) };
  const { resume, isOpen } = storeTurns(path, intake, { ...options, ...known });
  intake.flush(resume && { path, cursor: cursorAt(path, resume), number: resume.number, endedSize });
  return { spans: intake.newSpans(), isOpen };
}

interface StoredTurns {
  readonly turns: number;
  readonly isOpen: boolean;
  /** Where to read on when the session has grown: the first turn that may still change, else the last one. */
  readonly resume: TurnPosition | undefined;
}

/** Puts the turns of a session that are final into the outbox; whoever calls it flushes. */
export function storeTurns(path: string, intake: Intake, options: StoreOptions): StoredTurns {
  const { receivers, redactor, since = Number.NEGATIVE_INFINITY } = options;
  let turns = 0;
  let firstOpen: TurnPosition | undefined;
  let last: TurnPosition | undefined;
  let isOpen = false;
  for (const turn of traceSession(path, options)) {
    if (turn.position) {
      last = turn.position;
      isOpen = !turn.isFinal;
      if (isOpen) firstOpen ??= turn.position;
    }
    if (!turn.isFinal || (turn.trace.observations[0]?.startMs ?? 0) < since) continue;
    turns += 1;
    intake.add(toParcels(turn, path, receivers, redactor));
  }
  return { turns, isOpen, resume: firstOpen ?? last };
}

/** Undefined: nothing is known, or the file was replaced or cut since. What was sent is known by its ids all the same. */
function knownPosition(path: string, outbox: Outbox): TurnPosition | undefined {
  const progress = outbox.progressOf(path);
  if (!progress || !isCursorValid(path, progress.cursor)) return undefined;
  const { offset, line } = progress.cursor;
  return { offset, line, number: progress.number };
}
