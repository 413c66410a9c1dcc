import { statSync } from "node:fs";
import { attempt, findFiles } from "../../format/layout/folder-listing.js";
import { hasIndex } from "../catalog/open-index.js";
import { projectFolders } from "../sources/find-sessions.js";

/** A command indexes up to this much before it answers: that takes less time than a person notices. */
export const INLINE_BYTES = 2_000_000;

/** Whether there is no index yet and building one would keep a command from answering. */
export function isFirstUse(dataFolder: string, roots: readonly string[]): boolean {
  return !hasIndex(dataFolder) && hasMoreThan(INLINE_BYTES, roots);
}

/** Whether the sessions have more bytes than this; stops looking at the file that exceeds it. */
export function hasMoreThan(bytes: number, roots: readonly string[]): boolean {
  let sum = 0;
  for (const folder of roots.flatMap((root) => projectFolders(root, []))) {
    for (const { name, path } of findFiles(folder).entries) {
      if (!name.endsWith(".jsonl")) continue;
      sum += attempt(path, [], () => statSync(path).size) ?? 0;
      if (sum > bytes) return true;
    }
  }
  return false;
}
