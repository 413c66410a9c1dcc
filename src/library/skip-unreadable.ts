import { reasonOf } from "../errors.js";
import type { FileProblem } from "../format/layout/folder-listing.js";

/** Reports a file that cannot be read, instead of stopping. */
export function skipUnreadable<T>(path: string, problems: FileProblem[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}
