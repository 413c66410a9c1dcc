import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./error-code.js";

/**
 * A folder and those above it, where they are missing. Not by Node's `recursive`, which never returns where a file system
 * refuses a folder below one that is there by saying that it is not (`/proc`).
 */
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = errorCode(error);
    if (isFolder(path)) return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path || isFolder(above)) throw error;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
