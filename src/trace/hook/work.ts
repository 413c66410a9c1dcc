import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guessChange, readState } from "../../format/identity/file-identity.js";
import { START } from "../../format/identity/follow-file.js";
import { findEarlierSessions } from "../../format/layout/session-ids.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { acquireLock, tryLock } from "../../store/lock.js";
import type { SessionState } from "../observe/trace-session.js";
import { type Outbox, withOutbox } from "../outbox/outbox.js";
import { drainOutbox, type SendReport, traceLockPath } from "../outbox/send-queue.js";
import { type Receiver, type StoredSession, storeSession } from "../outbox/store-session.js";
import type { Target } from "../outbox/target.js";
import { logTrace, readSpool, removeSpooled, type SpooledEvent } from "./spool.js";

export interface WorkOptions extends EventOptions {
  readonly targets: readonly Target[];
  /** How long to wait for a target that cannot be reached; the rest waits for the next hook. */
  readonly patienceMs: number;
}

/** Stores what hooks reported and sends what is stored. Returns immediately if another worker is running. */
export async function work(options: WorkOptions): Promise<void> {
  const failed = new Set<string>();
  // Check again for an event that arrived after the lock's owner last looked.
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

/** Waits for a target without holding the lock, so that other processes can send. */
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

/** Waits for a running `trace send`. Returns the time of the next attempt. */
async function workLocked(options: WorkOptions, failed: Set<string>): Promise<number> {
  const { dir, targets } = options;
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs: LOCK_PATIENCE_MS });
  try {
    return await withOutbox(dir, async (outbox) => {
      for (const event of newEvents(dir, failed)) await settleEvent(event, outbox, options, failed);
      const reports = await drainOutbox(outbox, targets, { mask: options.createRedactor().text });
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

/** An event that fails is left for the next worker, for at most a week. */
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

/** Records a session, so that it is found later if it crashes before its first Stop. */
function expectSession(path: string, outbox: Outbox): void {
  outbox.store([], { path, cursor: START, number: 1, endedSize: null });
}

/** Stores sessions that this one continues and, on SessionStart, those that ended without a hook; their failures are only logged. */
function sweep({ event, transcript }: SpooledEvent, outbox: Outbox, options: EventOptions): void {
  const isNew = existsSync(transcript) && outbox.progressOf(transcript) === undefined;
  const earlier = (isNew && attempt(options.dir, transcript, () => findEarlierSessions(transcript))) || [];
  const silent = event === "SessionStart" ? silentSessions(outbox, transcript) : [];
  for (const path of new Set([...earlier, ...silent])) {
    attempt(options.dir, path, () => storeSession(path, outbox, storeOptions(options, stateOfEarlier(path))));
  }
}

function silentSessions(outbox: Outbox, current: string): string[] {
  return outbox.progress().flatMap(({ path, endedSize, cursor }) => {
    const state = readState(path);
    const isStored = state?.size === endedSize && guessChange(cursor, state) === "same";
    const isSilent = path !== current && state && isQuiet(state.mtimeMs) && !isStored;
    return isSilent ? [path] : [];
  });
}

/** A session without activity for this long counts as ended. */
const QUIET_MS = 5 * 60_000;

function isQuiet(mtimeMs: number): boolean {
  return Date.now() - mtimeMs > QUIET_MS;
}

/** Claude Code may have ended without a hook, or the session continues in another window. */
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

/** Claude Code runs Stop hooks before the last records are on disk, so wait for them briefly. */
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
