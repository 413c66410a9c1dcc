import { readState } from "../../format/identity/file-identity.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { acquireLock } from "../../store/lock.js";
import type { TraceOptions } from "../observe/trace-session.js";
import type { ParentSpan } from "./attach.js";
import { type Outbox, type StoreOptions, withOutbox } from "./outbox.js";
import { drainOutbox, type SendOptions, type SendReport, traceLockPath } from "./send-queue.js";
import { openOutboxWriter, progressAt, storeTurns, toReceivers } from "./store-session.js";
import type { Target } from "./target.js";

/** A session that is to be traced, and how it is read. */
export interface SessionToTrace {
  readonly path: string;
  readonly options: TraceOptions;
}

export interface SendSessionsOptions extends Pick<SendOptions, "onSent" | "mask"> {
  readonly dir: string; // of turnlog's own data
  readonly targets: readonly Target[];
  /** One for each session; null leaves secrets in. */
  readonly createRedactor: () => Redactor | null;
  readonly userId?: string | undefined;
  /** Only turns that began at this time (ms since the epoch) or later. */
  readonly since?: number | undefined;
  /** Only turns that began before this time. */
  readonly until?: number | undefined;
  readonly parent?: ParentSpan | undefined;
  readonly which?: StoreOptions["which"];
  /** All turns are sent to all targets, so that hooks go on from here. */
  readonly isWhole?: boolean;
  /** Called when everything is stored, before it is sent. */
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

/** Send in between, so that the outbox of a whole library does not become as large as the library. */
const OUTBOX_BYTES = 64_000_000;

/** Sends the turns that the targets do not have yet; what cannot be sent now waits in the outbox. */
export function sendSessions(sessions: Iterable<SessionToTrace>, options: SendSessionsOptions): Promise<SentSessions> {
  return withOutbox(options.dir, async (outbox) => {
    const { createRedactor, userId, since, until, parent, which = "new" } = options;
    const receivers = toReceivers(outbox, options.targets);
    const intake = openOutboxWriter(outbox, which);
    let reports: readonly SendReport[] = [];
    let [count, turns, sentBytes] = [0, 0, 0];
    for (const { path, options: read } of sessions) {
      const endedSize = readState(path)?.size ?? null;
      const choices = { userId, since, until, parent, receivers, redactor: createRedactor() };
      const told = storeTurns(path, intake, { ...read, ...choices, knownAgents: outbox.agentsOf(path) });
      if (options.isWhole && told.resume) intake.reach(progressAt(path, told, endedSize));
      turns += told.turns;
      count += 1;
      if (intake.storedBytes() - sentBytes < OUTBOX_BYTES) continue;
      sentBytes = intake.storedBytes();
      reports = addReports(reports, await sendQueued(outbox, options, { isUrgent: false }));
    }
    intake.flush();
    const stored = { sessions: count, turns, newSpans: intake.newSpans() };
    options.onStored?.(stored);
    return { ...stored, targets: addReports(reports, await sendQueued(outbox, options)) };
  });
}

function addReports(earlier: readonly SendReport[], later: readonly SendReport[]): SendReport[] {
  return later.map((report) => {
    const before = earlier.find(({ target }) => target === report.target);
    const points = report.points + (before?.points ?? 0);
    return { ...report, points, sent: report.sent + (before?.sent ?? 0), dead: report.dead + (before?.dead ?? 0) };
  });
}

const LOCK_PATIENCE_MS = 120_000;

/** For a target that accepted something and then asks to wait or fails. */
const PATIENCE_MS = 60_000;

/** Sends everything that waits, after a running worker is done. */
export async function sendQueued(
  outbox: Outbox,
  { dir, targets, onSent, mask }: Pick<SendSessionsOptions, "dir" | "targets" | "onSent" | "mask">,
  { isUrgent = true, patienceMs = PATIENCE_MS, lockPatienceMs = LOCK_PATIENCE_MS } = {},
): Promise<SendReport[]> {
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs: lockPatienceMs });
  try {
    return await drainOutbox(outbox, targets, {
      mask,
      isUrgent,
      patienceMs,
      ...(onSent ? { onSent } : {}),
    });
  } finally {
    lock.release();
  }
}
