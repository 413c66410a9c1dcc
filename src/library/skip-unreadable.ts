import { reasonOf } from "../errors.js";
import type { FileProblem } from "../format/layout/folder-listing.js";

/** One file that cannot be read is reported and does not stop the others. */
export function skipUnreadable<T>(path: string, problems: FileProblem[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}
