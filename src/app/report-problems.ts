import type { FileProblem } from "../format/folder-listing.js";
import { neutralize } from "../render/neutralize.js";
import type { Io } from "./io.js";

/** Files that could not be read; the command goes on with the others. */
export function reportProblems(problems: readonly FileProblem[], io: Io): void {
  const lines = problems.map(({ path, reason }) => `turnlog: skipped ${path}: ${reason}\n`);
  for (const line of new Set(lines)) io.stderr(neutralize(line));
}
