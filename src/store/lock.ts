import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, UserError } from "../errors.js";
import { atomicWrite } from "./atomic-write.js";
import { ensureDataDir } from "./data-dir.js";
import { isDead, ownIdentity, type ProcessIdentity } from "./process-identity.js";

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

/** Undefined while a living process holds it. */
export function tryLock(path: string, { purpose }: LockOptions): Lock | undefined {
  const token = randomBytes(8).toString("hex");
  const owner = { process: ownIdentity(), token, purpose, since: new Date().toISOString() };
  return take(path, owner) ? holdUntilExit(path, owner) : undefined;
}

/** Whether a living process holds it, including this one. */
function isLocked(path: string): boolean {
  const holder = readOwner(path);
  return holder !== undefined && holder !== UNKNOWN_OWNER && !isDead(holder.process);
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

/**
 * A dead owner's lock is replaced, not removed: between removing and creating, a second process could remove the first
 * one's new lock. The right to replace is itself a lock, named after the dead owner's token, so only one process has it;
 * if that process dies, the right is taken over in the same way.
 */
function take(path: string, owner: Owner): boolean {
  if (create(path, owner)) return true;
  const holder = readOwner(path);
  if (holder === undefined || (holder !== UNKNOWN_OWNER && !isDead(holder.process))) return false;
  const claim = `${path}.${tokenOf(holder)}`;
  if (!take(claim, owner)) return false;
  if (tokenOf(readOwner(path)) === tokenOf(holder)) {
    renameSync(claim, path);
    return true;
  }
  rmSync(claim, { force: true });
  return false;
}

function create(path: string, owner: Owner): boolean {
  try {
    atomicWrite(path, `${JSON.stringify(owner)}\n`, { overwrite: false, durable: false });
    return true;
  } catch (error) {
    if (error instanceof UserError && error.code === "exists") return false;
    throw error;
  }
}

/** Undefined: there is no lock. */
function readOwner(path: string): Owner | typeof UNKNOWN_OWNER | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, "utf8")) as Owner | null;
    const isWhole = /^[0-9a-f]{16}$/.test(owner?.token ?? "") && Number.isInteger(owner?.process?.pid);
    return owner && isWhole ? owner : UNKNOWN_OWNER;
  } catch (error) {
    if (error instanceof SyntaxError) return UNKNOWN_OWNER;
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
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
      if (tokenOf(readOwner(path)) === owner.token) rmSync(path, { force: true });
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
  const who =
    owner === undefined || owner === UNKNOWN_OWNER
      ? "another process"
      : `process ${owner.process.pid} (${owner.purpose}, since ${owner.since})`;
  const hint = `Wait for it to end, or end it. If no such process runs, remove ${path}`;
  return new UserError("locked", `locked by ${who}`, hint);
}

/** Held while turnlog writes a session. Undefined while another turnlog does. */
export function lockSession(dataDir: string, id: string): Lock | undefined {
  return tryLock(join(ensureDataDir(dataDir, "locks"), fileName(id)), { purpose: "chatting" });
}

export function isSessionLocked(dataDir: string, id: string): boolean {
  return isLocked(join(resolve(dataDir), "locks", fileName(id)));
}

function fileName(id: string): string {
  return `chat-${id}.lock`;
}
