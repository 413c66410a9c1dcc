import { join } from "node:path";
import { ensureDataDir } from "../../store/data-dir.js";
import { type Lock, tryLock } from "../../store/lock.js";

/** Undefined when another process is at it. */
export function lockIndex(dataFolder: string): Lock | undefined {
  return tryLock(join(ensureDataDir(dataFolder, "locks"), "index.lock"), { purpose: "indexing" });
}
