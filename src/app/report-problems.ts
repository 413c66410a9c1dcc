import type { FileProblem } from "../format/folder-listing.js";
import { neutralize } from "../render/neutralize.js";
import type { Io } from "./io.js";

const MOST_LINES = 8;

/** Files that could not be read; the command goes on with the others. */
export function reportProblems(problems: readonly FileProblem[], io: Io): void {
  const lines = [...new Set(problems.map(({ path, reason }) => `turnlog: skipped ${path}: ${reason}\n`))];
  const told = lines.length > MOST_LINES + 1 ? lines.slice(0, MOST_LINES) : lines;
  for (const line of told) io.stderr(neutralize(line));
  if (told.length < lines.length) {
    io.stderr(`turnlog: skipped ${lines.length - told.length} more (\`turnlog index status\` names all)\n`);
  }
}
