import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageFolder } from "../package-folder.js";

/** Only commands start threads: the library leaves that to its callers. */
export function startScanThread(): Worker {
  return new Worker(join(packageFolder(), "dist", "scan-worker.js"));
}

/** Reads sessions for the catalog. */
export function startEntryThread(): Worker {
  return new Worker(join(packageFolder(), "dist", "entry-worker.js"));
}
