import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureDataDir } from "../store/data-dir.js";

const MAX_BYTES = 1_000_000;

/** What hook and worker did, without any word of a session. Two files of at most a megabyte each. */
export function logTrace(dir: string, message: string): void {
  const path = join(ensureDataDir(dir, "log"), "trace.log");
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
  const line = message.replace(/[\r\n]+/g, " ");
  appendFileSync(path, `${new Date().toISOString()} ${process.pid} ${line}\n`, { mode: 0o600 });
}
