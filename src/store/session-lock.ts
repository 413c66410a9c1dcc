import { join, resolve } from "node:path";
import { ensureDataDir } from "./data-dir.js";
import { isLocked, type Lock, tryLock } from "./lock.js";

/** Held while turnlog writes to a session. undefined: another turnlog does. */
export function lockSession(dataDir: string, id: string): Lock | undefined {
  return tryLock(join(ensureDataDir(dataDir, "locks"), fileName(id)), { purpose: "chatting" });
}

export function isSessionLocked(dataDir: string, id: string): boolean {
  return isLocked(join(resolve(dataDir), "locks", fileName(id)));
}

function fileName(id: string): string {
  return `chat-${id}.lock`;
}
