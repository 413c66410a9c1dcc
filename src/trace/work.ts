import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureDataDir } from "../store/data-dir.js";
import { acquireLock, tryLock } from "../store/lock.js";
import { emptyOutbox, type SendReport } from "./empty-outbox.js";
import { type EventOptions, handleEvent } from "./handle-event.js";
import { type Outbox, withOutbox } from "./outbox.js";
import { readSpool, removeSpooled, type SpooledEvent } from "./spool.js";
import type { Target } from "./target.js";
import { logTrace } from "./trace-log.js";

export interface WorkOptions extends EventOptions {
  readonly targets: readonly Target[];
  /** How long to stay for a target that asks for patience; what is left waits for the next hook. */
  readonly patienceMs: number;
}

/** Of whoever sends: one at a time. */
export function traceLockPath(dir: string): string {
  return join(ensureDataDir(dir, "locks"), "trace.lock");
}

/** Stores what hooks told and sends what is stored. Returns at once where another worker does it already. */
export async function work(options: WorkOptions): Promise<void> {
  const failed = new Set<string>();
  // An event that came while the lock was held, too late for its owner to see it, is looked for once more.
  do {
    const lock = tryLock(join(ensureDataDir(options.dir, "locks"), "trace-worker.lock"), { purpose: "reading events" });
    if (!lock) return;
    try {
      await workAlone(options, failed);
    } finally {
      lock.release();
    }
  } while (newEvents(options.dir, failed).length > 0);
}

/** What waits for a target is waited for without a lock, so that nobody else is kept from sending. */
async function workAlone(options: WorkOptions, failed: Set<string>): Promise<void> {
  const { dir, patienceMs } = options;
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const next = await workLocked(options, failed);
    if (newEvents(dir, failed).length > 0) continue;
    if (next > deadline) return;
    while (Date.now() < next && newEvents(dir, failed).length === 0) await sleep(Math.min(next - Date.now(), POLL_MS));
  }
}

const POLL_MS = 500;
const LOCK_PATIENCE_MS = 600_000;

/** `trace send` knows nothing of events: its end is waited for. Gives the time of the next attempt. */
async function workLocked(options: WorkOptions, failed: Set<string>): Promise<number> {
  const { dir, targets } = options;
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs: LOCK_PATIENCE_MS });
  try {
    return await withOutbox(dir, async (outbox) => {
      for (const event of newEvents(dir, failed)) await settleEvent(event, outbox, options, failed);
      const reports = await emptyOutbox(outbox, targets);
      for (const report of reports) logReport(dir, report);
      return Math.min(...reports.map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY));
    });
  } finally {
    lock.release();
  }
}

function newEvents(dir: string, failed: ReadonlySet<string>): SpooledEvent[] {
  return readSpool(dir).filter(({ file }) => !failed.has(file));
}

const KEPT_FOR_MS = 7 * 86_400_000;

/** An event that cannot be handled now is left for the next worker, though not for ever. */
async function settleEvent(
  event: SpooledEvent,
  outbox: Outbox,
  options: WorkOptions,
  failed: Set<string>,
): Promise<void> {
  const isHandled = await handleEvent(event, outbox, options);
  if (isHandled || Date.now() - event.at > KEPT_FOR_MS) removeSpooled(event);
  else failed.add(event.file);
}

function logReport(dir: string, { target, sent, dead, problem }: SendReport): void {
  if (sent + dead > 0) logTrace(dir, `${target}: ${sent} spans sent, ${dead} refused`);
  if (problem !== null) logTrace(dir, `${target}: ${problem}`);
}
