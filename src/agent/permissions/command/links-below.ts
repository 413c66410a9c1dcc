import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const MAX_ENTRIES = 20_000;

/** Whether there is a link at or below a path, or too much to look at all of it. */
export function mayHoldLinks(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() || hasLinks(path);
  } catch {
    return false; // the program finds nothing there either
  }
}

function hasLinks(start: string): boolean {
  const folders = isFolder(start) ? [start] : [];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (entry.isSymbolicLink() || seen > MAX_ENTRIES) return true;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  }
  return false;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it may not be read by the program either
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // the program cannot enter it either
  }
}
