import type { Redactor } from "../redact/create-redactor.js";
import { acquireLock } from "../store/lock.js";
import { emptyOutbox, type SendOptions, type SendReport } from "./empty-outbox.js";
import { type Outbox, withOutbox } from "./outbox.js";
import { storeSession } from "./store-session.js";
import type { Target } from "./target.js";
import type { TraceOptions } from "./trace-session.js";
import { traceLockPath } from "./work.js";

/** A session that is to be traced, and how it is read. */
export interface SessionToTrace {
  readonly path: string;
  readonly options: TraceOptions;
}

export interface SendSessionsOptions extends Pick<SendOptions, "onSent"> {
  readonly dir: string; // of turnlog's own data
  readonly targets: readonly Target[];
  /** One for each session; null leaves secrets in. */
  readonly createRedactor: () => Redactor | null;
  readonly userId?: string | undefined;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
  /** All that is to be stored is stored; now it is sent. */
  readonly onStored?: (stored: StoredSessions) => void;
}

export interface StoredSessions {
  readonly sessions: number;
  readonly turns: number;
  readonly newSpans: number; // that some target did not know
}

export interface SentSessions extends StoredSessions {
  readonly targets: readonly SendReport[];
}

/** Sends the turns of sessions, one or many, that their targets do not know yet; what cannot be sent now waits in the outbox. */
export function sendSessions(sessions: Iterable<SessionToTrace>, options: SendSessionsOptions): Promise<SentSessions> {
  return withOutbox(options.dir, async (outbox) => {
    const stored = { sessions: 0, turns: 0, newSpans: 0 };
    for (const { path, options: read } of sessions) {
      const { turns, spans } = storeSession(path, outbox, {
        ...read,
        receivers: options.targets,
        redactor: options.createRedactor(),
        userId: options.userId,
        since: options.since,
        isBackfill: true,
      });
      stored.sessions += 1;
      stored.turns += turns;
      stored.newSpans += spans;
    }
    options.onStored?.(stored);
    return { ...stored, targets: await sendQueued(outbox, options) };
  });
}

const LOCK_PATIENCE_MS = 120_000;

/** Sends all that waits; a worker that is at it is waited for. */
export async function sendQueued(
  outbox: Outbox,
  { dir, targets, onSent }: Pick<SendSessionsOptions, "dir" | "targets" | "onSent">,
): Promise<SendReport[]> {
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs: LOCK_PATIENCE_MS });
  try {
    return await emptyOutbox(outbox, targets, { isUrgent: true, ...(onSent ? { onSent } : {}) });
  } finally {
    lock.release();
  }
}
