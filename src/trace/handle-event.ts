import { existsSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findEarlierSessions } from "../format/earlier-sessions.js";
import type { Redactor } from "../redact/create-redactor.js";
import type { PriceTable } from "../session/cost.js";
import type { Outbox } from "./outbox.js";
import type { SpooledEvent } from "./spool.js";
import { type StoredSession, storeSession } from "./store-session.js";
import type { Receiver } from "./to-parcels.js";
import { logTrace } from "./trace-log.js";
import type { SessionState } from "./trace-session.js";

export interface EventOptions {
  readonly dir: string; // of turnlog's own data
  readonly targets: readonly Receiver[];
  readonly createRedactor: () => Redactor;
  readonly userId?: string | undefined;
  readonly prices?: PriceTable | undefined;
}

/** Stores what is new in the session of an event, and in sessions that ended without one. False: try again later. */
export async function handleEvent(event: SpooledEvent, outbox: Outbox, options: EventOptions): Promise<boolean> {
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
