import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findEarlierSessions } from "../../format/layout/session-ids.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { acquireLock, tryLock } from "../../store/lock.js";
import type { SessionState } from "../observe/trace-session.js";
import { type Outbox, withOutbox } from "../outbox/outbox.js";
import { drainOutbox, type SendReport } from "../outbox/send-queue.js";
import { type Receiver, type StoredSession, storeSession } from "../outbox/store-session.js";
import type { Target } from "../outbox/target.js";
import { logTrace, readSpool, removeSpooled, type SpooledEvent } from "./spool.js";

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
      const reports = await drainOutbox(outbox, targets);
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

interface EventOptions {
  readonly dir: string; // of turnlog's own data
  readonly targets: readonly Receiver[];
  readonly createRedactor: () => Redactor;
  readonly userId?: string | undefined;
  readonly prices?: PriceTable | undefined;
}

/** Stores what is new in the session of an event, and in sessions that ended without one. False: try again later. */
async function handleEvent(event: SpooledEvent, outbox: Outbox, options: EventOptions): Promise<boolean> {
  const { dir } = options;
  const { transcript } = event;
  sweep(event, outbox, options);
  if (!existsSync(transcript)) {
    if (event.event === "SessionStart") expectSession(transcript, outbox);
    else logTrace(dir, `${event.event} ${transcript}: there is no such file`);
    return true;
  }
  if (event.event === "SessionStart" && !outbox.progressOf(transcript)) expectSession(transcript, outbox);
  const stored = await storeSettled(event, outbox, options);
  if (stored) logTrace(dir, `${event.event} ${transcript}: ${stored.spans} new spans`);
  return stored !== undefined;
}

const START = { offset: 0, line: 1, inode: 0, size: 0, prefixHash: "", prefixLength: 0, endHash: "" };

/** So that a session that crashes before its first Stop is found by a later sweep. */
function expectSession(path: string, outbox: Outbox): void {
  outbox.store([], { path, cursor: START, number: 1, endedSize: null });
}

/** Sessions that this one continues, and at a start all that ended without a word; none of them is in this one's way. */
function sweep({ event, transcript }: SpooledEvent, outbox: Outbox, options: EventOptions): void {
  const isNew = existsSync(transcript) && outbox.progressOf(transcript) === undefined;
  const earlier = (isNew && attempt(options.dir, transcript, () => findEarlierSessions(transcript))) || [];
  const silent = event === "SessionStart" ? silentSessions(outbox, transcript) : [];
  for (const path of new Set([...earlier, ...silent])) {
    attempt(options.dir, path, () => storeSession(path, outbox, storeOptions(options, stateOfEarlier(path))));
  }
}

function silentSessions(outbox: Outbox, current: string): string[] {
  return outbox.progress().flatMap(({ path, endedSize }) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    const isSilent = path !== current && stats && isQuiet(stats.mtimeMs) && stats.size !== endedSize;
    return isSilent ? [path] : [];
  });
}

/** A session that nobody has written to for so long is taken as ended. */
const QUIET_MS = 5 * 60_000;

function isQuiet(mtimeMs: number): boolean {
  return Date.now() - mtimeMs > QUIET_MS;
}

/** Its client may have left it without a word, or it goes on in another window. */
function stateOfEarlier(path: string): SessionState {
  return isQuiet(statSync(path).mtimeMs) ? { kind: "ended" } : { kind: "stopped", wordsHash: null };
}

function attempt<Value>(dir: string, path: string, run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    logTrace(dir, `${path}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function storeOptions({ targets, createRedactor, userId, prices }: EventOptions, state: SessionState | undefined) {
  return { receivers: targets, redactor: createRedactor(), userId, prices, state };
}

const SETTLE_MS = 2000;
const SETTLE_POLL_MS = 100;

/** The client runs its Stop hooks before the last records are on disk: they are waited for, if only for a moment. */
async function storeSettled(
  event: SpooledEvent,
  outbox: Outbox,
  options: EventOptions,
): Promise<StoredSession | undefined> {
  const deadline = Date.now() + SETTLE_MS;
  const run = () => storeSession(event.transcript, outbox, storeOptions(options, stateOf(event)));
  let spans = 0;
  for (;;) {
    const stored = attempt(options.dir, event.transcript, run);
    spans += stored?.spans ?? 0;
    const isSettled = event.event !== "Stop" || !stored?.isOpen || Date.now() >= deadline;
    if (isSettled) return stored && { ...stored, spans };
    await sleep(SETTLE_POLL_MS);
  }
}

function stateOf({ event, wordsHash }: SpooledEvent): SessionState | undefined {
  if (event === "SessionEnd") return { kind: "ended" };
  return event === "Stop" ? { kind: "stopped", wordsHash } : undefined;
}
