import type { FileProblem } from "../format/folder-listing.js";
import { neutralize } from "../render/neutralize.js";
import type { Io } from "./io.js";

/** Files that could not be read; the command goes on with the others. */
export function reportProblems(problems: readonly FileProblem[], io: Io): void {
  for (const { path, reason } of problems) io.stderr(neutralize(`turnlog: skipped ${path}: ${reason}\n`));
}
