import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guessChange, readState } from "../../format/identity/file-identity.js";
import { BEGINNING } from "../../format/identity/follow-file.js";
import { findEarlierSessions } from "../../format/layout/session-ids.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { acquireLock, tryLock } from "../../store/lock.js";
import type { SessionState } from "../observe/trace-session.js";
import { type ParentSpan, parseTraceParent } from "../outbox/attach.js";
import { type Outbox, withOutbox } from "../outbox/outbox.js";
import { drainOutbox, type SendReport, traceLockPath } from "../outbox/send-queue.js";
import { type Receiver, type StoredSession, storeSession, toReceivers } from "../outbox/store-session.js";
import type { Target } from "../outbox/target.js";
import { isSwitchedOff, type SwitchedOff } from "./off-projects.js";
import { logTrace, readSpool, removeSpooled, type SpooledEvent } from "./spool.js";

export interface WorkOptions extends WorkSettings {
  readonly targets: readonly Target[];
  /** How long to wait for a target that cannot be reached; the rest waits for the next hook. */
  readonly patienceMs: number;
}

/** Of the worker's own work; what waits for a target is in the outbox. */
export interface Worked {
  /** False: another process does it. */
  readonly isDone: boolean;
}

/** Stores what hooks reported and sends what is stored. Returns immediately if another worker is running. */
export async function work(options: WorkOptions): Promise<Worked> {
  const failed = new Set<string>();
  // Check again for an event that arrived after the lock's owner last looked.
  do {
    const lock = tryLock(join(ensureDataDir(options.dir, "locks"), "trace-worker.lock"), { purpose: "reading events" });
    if (!lock) return { isDone: false };
    try {
      await workAlone(options, failed);
    } finally {
      lock.release();
    }
  } while (newEvents(options.dir, failed).length > 0);
  return { isDone: true };
}

/** Waits for a target without holding the lock, so that other processes can send. */
async function workAlone(options: WorkOptions, failed: Set<string>): Promise<void> {
  const { dir, patienceMs, now = Date.now } = options;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const waitMs = (await workLocked(options, failed)) - now();
    if (newEvents(dir, failed).length > 0) continue;
    const next = performance.now() + waitMs;
    if (next > deadline) return;
    const left = () => next - performance.now();
    while (left() > 0 && newEvents(dir, failed).length === 0) await sleep(Math.min(left(), POLL_MS));
  }
}

const POLL_MS = 500;
const LOCK_PATIENCE_MS = 600_000;

/** Waits for a running `trace send`. Returns the time of the next attempt. */
async function workLocked(options: WorkOptions, failed: Set<string>): Promise<number> {
  const { dir, targets, now } = options;
  const timeoutMs = options.lockPatienceMs ?? LOCK_PATIENCE_MS;
  const lock = await acquireLock(traceLockPath(dir), { purpose: "sending traces", timeoutMs });
  try {
    return await withOutbox(dir, async (outbox) => {
      const events = newEvents(dir, failed);
      // What ended a worker before comes last, so that it does not keep all others waiting.
      const tries = new Map(events.map(({ file }) => [file, outbox.triesOf(basename(file))]));
      events.sort((a, b) => (tries.get(a.file) ?? 0) - (tries.get(b.file) ?? 0));
      const receivers = toReceivers(outbox, targets);
      for (const event of events) await settleEvent(event, outbox, { ...options, targets: receivers }, failed);
      const sending = { mask: options.createRedactor().text, ...(now ? { now } : {}) };
      const reports = await drainOutbox(outbox, targets, { ...sending, isUrgent: options.isUrgent ?? false });
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
/** The clock may have been wrong, so time alone does not give an event up. */
const MIN_TRIES = 20;

/** An event that fails is left for the next worker, for at most a week. */
async function settleEvent(
  event: SpooledEvent,
  outbox: Outbox,
  options: EventOptions,
  failed: Set<string>,
): Promise<void> {
  const { now = Date.now } = options;
  const name = basename(event.file);
  const tries = outbox.tryEvent(name) + 1;
  const isHandled = await handleEvent(event, outbox, options);
  if (isHandled || (tries >= MIN_TRIES && now() - event.at > KEPT_FOR_MS)) {
    removeSpooled(event);
    outbox.forgetEvent(name);
  } else failed.add(event.file);
}

function logReport(dir: string, { target, sent, points, dead, problem }: SendReport): void {
  if (points > 0) logTrace(dir, `${target}: ${points} data points sent`);
  if (sent + dead > 0) logTrace(dir, `${target}: ${sent} spans sent, ${dead} refused`);
  if (problem !== null) logTrace(dir, `${target}: ${problem}`);
}

interface EventOptions extends Omit<WorkOptions, "targets"> {
  readonly targets: readonly Receiver[];
}

/** What a worker is told. */
interface WorkSettings {
  readonly dir: string; // of turnlog's own data
  readonly createRedactor: () => Redactor;
  readonly userId?: string | undefined;
  readonly prices?: PriceTable | undefined;
  readonly switchedOff?: SwitchedOff | undefined;
  /** Sends to targets that asked to wait, too. */
  readonly isUrgent?: boolean;
  /** How long to wait for a process that sends. */
  readonly lockPatienceMs?: number;
  readonly now?: () => number;
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
  outbox.store([], { progress: [{ path, cursor: BEGINNING, number: 1, endedSize: null }] });
}

/** Stores sessions that this one continues and, on SessionStart, those that ended without a hook; their failures are only logged. */
function sweep({ event, transcript, cwd }: SpooledEvent, outbox: Outbox, options: EventOptions): void {
  const { now = Date.now } = options;
  // Claude Code tells that a session starts before it writes its file.
  const isNew = existsSync(transcript) && (outbox.progressOf(transcript)?.cursor.offset ?? 0) === 0;
  const earlier = (isNew && attempt(options.dir, transcript, () => findEarlierSessions(transcript))) || [];
  const silent = event === "SessionStart" ? silentSessions(outbox, transcript, now()) : [];
  for (const path of silent) attempt(options.dir, path, () => storeOne(path, null));
  for (const path of earlier) attempt(options.dir, path, () => storeOne(path, cwd));

  function storeOne(path: string, folder: string | null): void {
    const session = { cwd: folder, parent: undefined, state: stateOfEarlier(path, now()) };
    storeSession(path, outbox, storeOptions(path, options, session));
  }
}

function silentSessions(outbox: Outbox, current: string, now: number): string[] {
  return outbox.progress().flatMap(({ path, endedSize, cursor }) => {
    const state = readState(path);
    const isStored = state?.size === endedSize && guessChange(cursor, state) === "same";
    const isSilent = path !== current && state && isQuiet(state.mtimeMs, now) && !isStored;
    return isSilent ? [path] : [];
  });
}

/** A session without activity for this long counts as ended. */
const QUIET_MS = 5 * 60_000;

function isQuiet(mtimeMs: number, now: number): boolean {
  return now - mtimeMs > QUIET_MS;
}

/** Claude Code may have ended without a hook, or the session continues in another window. */
function stateOfEarlier(path: string, now: number): SessionState {
  return isQuiet(statSync(path).mtimeMs, now) ? { kind: "ended" } : { kind: "stopped", wordsHash: null };
}

function attempt<Value>(dir: string, path: string, run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    logTrace(dir, `${path}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

interface EventSession {
  readonly cwd: string | null;
  readonly parent: ParentSpan | undefined;
  readonly state: SessionState | undefined;
}

/** Where tracing is off, turns are noted as given up: they are not sent when it is switched on again. */
function storeOptions(
  path: string,
  { targets, createRedactor, userId, prices, switchedOff = {} }: EventOptions,
  { cwd, parent, state }: EventSession,
) {
  const isOff = isSwitchedOff(switchedOff, path, cwd);
  return { receivers: targets, redactor: createRedactor(), userId, prices, state, parent, isOff };
}

const SETTLE_MS = 2000;
const SETTLE_POLL_MS = 100;

/** Claude Code runs Stop hooks before the last records are on disk, so wait for them briefly. */
async function storeSettled(
  event: SpooledEvent,
  outbox: Outbox,
  options: EventOptions,
): Promise<StoredSession | undefined> {
  const deadline = performance.now() + SETTLE_MS;
  const { transcript, cwd } = event;
  const parent = parseTraceParent(event.traceParent ?? undefined);
  const session = { cwd, parent, state: stateOf(event) };
  const run = () => storeSession(transcript, outbox, storeOptions(transcript, options, session));
  let spans = 0;
  for (;;) {
    const stored = attempt(options.dir, event.transcript, run);
    spans += stored?.spans ?? 0;
    const isSettled = event.event !== "Stop" || !stored?.isOpen || performance.now() >= deadline;
    if (isSettled) return stored && { ...stored, spans };
    await sleep(SETTLE_POLL_MS);
  }
}

function stateOf({ event, wordsHash }: SpooledEvent): SessionState | undefined {
  if (event === "SessionEnd") return { kind: "ended" };
  return event === "Stop" ? { kind: "stopped", wordsHash } : undefined;
}
