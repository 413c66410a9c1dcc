import type { FileProblem } from "../format/layout/folder-listing.js";
import { neutralize } from "../render/safe-text.js";
import type { Io } from "./io.js";

const MOST_LINES = 8;
const toldBefore = new WeakMap<Io, Set<string>>();

/** Files that could not be read, each told once; the command goes on with the others. */
export function reportProblems(problems: readonly FileProblem[], io: Io): void {
  const before = toldBefore.get(io) ?? new Set();
  const all = new Set(problems.map(({ path, reason }) => `turnlog: skipped ${path}: ${reason}\n`));
  const lines = [...all].filter((line) => !before.has(line));
  toldBefore.set(io, new Set([...before, ...lines]));
  const told = lines.length > MOST_LINES + 1 ? lines.slice(0, MOST_LINES) : lines;
  for (const line of told) io.stderr(neutralize(line));
  if (told.length < lines.length) {
    io.stderr(`turnlog: skipped ${lines.length - told.length} more (\`turnlog index status\` names all)\n`);
  }
}
