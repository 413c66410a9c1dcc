import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, isFileError, readIfReadable, readText, UserError } from "../errors.js";
import { linkNew } from "./atomic-write.js";
import { ensureDataDir } from "./data-dir.js";
import { isDead, isVisible, ownIdentity, type ProcessIdentity } from "./process-identity.js";
import { draftPathOf } from "./temporary.js";

export interface Lock {
  /** May be called twice; also called when the process ends. */
  release(): void;
}

export interface LockOptions {
  /** What the lock is held for, shown to waiting processes: "indexing". */
  readonly purpose: string;
}

/** Waits for a living owner, takes the lock over from a dead one. */
export async function acquireLock(path: string, options: LockOptions & { timeoutMs?: number }): Promise<Lock> {
  const deadline = performance.now() + (options.timeoutMs ?? 10_000);
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const lock = tryLock(path, options);
    if (lock) return lock;
    if (performance.now() >= deadline) throw heldError(path);
    await sleep(pauseMs);
  }
}

/** The same for short work in code that cannot wait otherwise: nothing else happens in this process meanwhile. */
export function waitForLock(path: string, options: LockOptions & { timeoutMs?: number }): Lock {
  const deadline = performance.now() + (options.timeoutMs ?? 10_000);
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const lock = tryLock(path, options);
    if (lock) return lock;
    if (performance.now() >= deadline) throw heldError(path);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/** Undefined while a living process holds it. */
export function tryLock(path: string, { purpose }: LockOptions): Lock | undefined {
  const token = randomBytes(8).toString("hex");
  const owner = { process: ownIdentity(), token, purpose, since: new Date().toISOString() };
  return take(path, owner) ? holdUntilExit(path, owner) : undefined;
}

/** Whether a living process holds it, including this one. */
function isLocked(path: string): boolean {
  const holder = readOwner(path);
  return holder !== undefined && !isEnded(holder);
}

/** The living process of this machine that holds a lock; undefined where there is none, or none that can be seen from here. */
export function holderOf(path: string): { readonly pid: number; readonly purpose: string } | undefined {
  const owner = readOwner(path);
  if (owner === undefined || owner === UNKNOWN_OWNER || isEnded(owner) || !isVisible(owner.process)) return undefined;
  return { pid: owner.process.pid, purpose: owner.purpose };
}

/** The contents of a lock file. */
interface Owner {
  readonly process: ProcessIdentity;
  readonly token: string;
  readonly purpose: string;
  readonly since: string;
}

/** The owner of an unreadable lock file. Locks are created atomically, so only a power failure or another program leaves one. */
const UNKNOWN_OWNER = "nobody";

/** True only when it is certain. A process on another machine that shares the folder, or in another container, counts as alive. */
function isEnded(owner: Owner | typeof UNKNOWN_OWNER): boolean {
  return owner === UNKNOWN_OWNER || isDead(owner.process, Date.parse(owner.since));
}

/**
 * Only one process may remove a dead owner's lock: a second one could remove the first one's new lock. That right is
 * itself a lock, named after the dead owner's token; if its owner dies, it is taken over in the same way.
 */
function take(path: string, owner: Owner): boolean {
  if (create(path, owner)) return true;
  const holder = readOwner(path);
  if (holder === undefined || !isEnded(holder)) return false;
  const claim = `${path}.${tokenOf(holder)}`;
  if (!take(claim, owner)) return false;
  try {
    if (tokenOf(readOwner(path)) !== tokenOf(holder)) return false;
    const aside = draftPathOf(path);
    renameSync(path, aside);
    rmSync(aside, { recursive: true, force: true });
    return create(path, owner);
  } finally {
    remove(claim);
  }
}

/** Created with its content and only if there is none: a file by a hard link, or where there are none, a folder by renaming. */
function create(path: string, owner: Owner): boolean {
  const draft = draftPathOf(path);
  const text = `${JSON.stringify(owner)}\n`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
    return linkNew(draft, path) || createFolder(path, text);
  } catch (error) {
    if (error instanceof UserError && error.code === "exists") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

const OWNER_FILE = "owner.json";

/** Errors of a renaming that found the name taken: by a file, or by a folder that is not empty. */
const TAKEN_CODES: ReadonlySet<string> = new Set(["ENOTDIR", "ENOTEMPTY", "EEXIST"]);

/**
 * Renaming a folder fails where a file or a folder that is not empty has the name, so a lock is never replaced. What had the
 * name may be gone a moment later.
 */
function createFolder(path: string, text: string): boolean {
  const draft = draftPathOf(path);
  mkdirSync(draft, { mode: 0o700 });
  try {
    writeFileSync(join(draft, OWNER_FILE), text, { mode: 0o600 });
    renameSync(draft, path);
    return true;
  } catch (error) {
    if (TAKEN_CODES.has(errorCode(error) ?? "") || lstatSync(path, { throwIfNoEntry: false })) return false;
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** An empty folder is free: another process may give its own the name before it is removed. */
function remove(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    rmSync(path, { force: true });
    return;
  }
  unlinkSync(join(path, OWNER_FILE));
  try {
    rmdirSync(path);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code !== "ENOENT" && !TAKEN_CODES.has(code)) throw error;
  }
}

/** Undefined: there is no lock. */
function readOwner(path: string): Owner | typeof UNKNOWN_OWNER | undefined {
  try {
    const owner = JSON.parse(readLock(path)) as Owner | null;
    const isWhole = /^[0-9a-f]{16}$/.test(owner?.token ?? "") && Number.isInteger(owner?.process?.pid);
    return owner && isWhole ? owner : UNKNOWN_OWNER;
  } catch (error) {
    if (error instanceof SyntaxError) return UNKNOWN_OWNER;
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function readLock(path: string): string {
  try {
    return readText(path);
  } catch (error) {
    if (errorCode(error) !== "EISDIR") throw error;
    return readText(join(path, OWNER_FILE));
  }
}

function tokenOf(owner: Owner | typeof UNKNOWN_OWNER | undefined): string | undefined {
  return owner === UNKNOWN_OWNER ? UNKNOWN_OWNER : owner?.token;
}

const held = new Set<Lock>();

function holdUntilExit(path: string, owner: Owner): Lock {
  const lock = {
    release(): void {
      if (!held.delete(lock)) return;
      if (held.size === 0) process.off("exit", releaseAll);
      if (tokenOf(readOwner(path)) === owner.token) remove(path);
    },
  };
  if (held.size === 0) process.once("exit", releaseAll);
  held.add(lock);
  return lock;
}

function releaseAll(): void {
  for (const lock of held) lock.release();
}

function heldError(path: string): UserError {
  const owner = readOwner(path);
  const who = owner === undefined || owner === UNKNOWN_OWNER ? "another process" : describeOwner(owner);
  const hint = `Wait for it to end, or end it. If no such process runs, remove ${path}`;
  return new UserError("locked", `locked by ${who}`, hint);
}

function describeOwner({ process: owner, purpose, since }: Owner): string {
  const place = isVisible(owner) || !owner.host ? "" : ` on ${owner.host}`;
  return `process ${owner.pid}${place} (${purpose}, since ${since})`;
}

/**
 * For messages about a lock that was not free. Whether a process on another machine or in another container still runs
 * cannot be seen from here, so its lock is never taken over, and a person has to remove it; "" for all others.
 */
export function adviceAbout(path: string): string {
  const owner = readOwner(path);
  if (owner === undefined || owner === UNKNOWN_OWNER || isVisible(owner.process)) return "";
  return `; it is ${describeOwner(owner)}: if that has ended, remove ${path}`;
}

/** Removes the locks of processes that ended without releasing them. */
export function removeDeadLocks(dataDir: string): void {
  const folder = join(dataDir, "locks");
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const holder = LOCK_NAME.test(name) ? readOwner(path) : undefined;
      if (holder !== undefined && isEnded(holder)) tryLock(path, { purpose: "cleaning up" })?.release();
    }
  } catch (error) {
    if (!isFileError(error)) throw error; // they are in nobody's way
  }
}

/** Also the right to take one over. */
const LOCK_NAME = /\.lock(?:\.(?:[0-9a-f]{16}|nobody))*$/;

/** Held while turnlog writes a session. Undefined while another turnlog does. */
export function lockSession(dataDir: string, id: string): Lock | undefined {
  const lock = tryLock(join(ensureDataDir(dataDir, "locks"), fileName(id)), { purpose: "chatting" });
  if (lock) noteChatWaits(dataDir, id, null); // a killed process may have left a note
  return lock;
}

/** What a chat waits for, in the words of Claude Code's registry. */
export type ChatWaits = "permission prompt" | "input needed";

/** Tells other processes what the owner of the lock waits for; null: for nothing any more. */
export function noteChatWaits(dataDir: string, id: string, waitsFor: ChatWaits | null): void {
  const path = `${sessionLockPath(dataDir, id)}.waits`;
  if (waitsFor === null) rmSync(path, { force: true });
  else writeFileSync(path, JSON.stringify({ waitsFor, since: Date.now() }), { mode: 0o600 });
}

interface NotedWaits {
  readonly waitsFor: ChatWaits;
  readonly since: number; // ms since the epoch
}

/** One that is being written counts as none. */
function readChatWaits(lockPath: string): NotedWaits | null {
  try {
    return JSON.parse(readIfReadable(`${lockPath}.waits`) ?? "null") as NotedWaits | null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function isSessionLocked(dataDir: string, id: string): boolean {
  return isLocked(sessionLockPath(dataDir, id));
}

export interface LockedSession {
  readonly id: string;
  readonly pid: number;
  readonly waits: NotedWaits | null;
}

/** The sessions that a turnlog of this machine writes, its process, and what that waits for. */
export function lockedSessions(dataDir: string): LockedSession[] {
  const folder = join(resolve(dataDir), "locks");
  return listNames(folder).flatMap((name) => {
    const id = CHAT_LOCK.exec(name)?.[1];
    const holder = id === undefined ? undefined : holderOf(join(folder, name));
    if (id === undefined || holder === undefined) return [];
    return [{ id, pid: holder.pid, waits: readChatWaits(join(folder, name)) }];
  });
}

const CHAT_LOCK = /^chat-([0-9a-f-]{36})\.lock$/;

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isFileError(error)) return []; // then nothing is locked
    throw error;
  }
}

export function sessionLockPath(dataDir: string, id: string): string {
  return join(resolve(dataDir), "locks", fileName(id));
}

function fileName(id: string): string {
  return `chat-${id}.lock`;
}
