import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../errors.js";

/**
 * Creates a folder and its missing parents. Node's `recursive` option loops forever on file systems that answer ENOENT
 * for a folder below an existing one (`/proc`).
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
