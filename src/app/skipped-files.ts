import type { FileProblem } from "../format/layout/folder-listing.js";
import type { Environment } from "./settings.js";

const MAX_WARNINGS = 8;
const alreadyWarned = new WeakMap<Environment, Set<string>>();

/** Warns about each file that could not be read, once; the work continues with the others. */
export function warnAboutSkipped(problems: readonly FileProblem[], environment: Environment): void {
  const before = alreadyWarned.get(environment) ?? new Set();
  const all = new Set(problems.map(({ path, reason }) => `skipped ${path}: ${reason}`));
  const messages = [...all].filter((message) => !before.has(message));
  alreadyWarned.set(environment, new Set([...before, ...messages]));
  const shown = messages.length > MAX_WARNINGS + 1 ? messages.slice(0, MAX_WARNINGS) : messages;
  for (const message of shown) environment.warn(message);
  if (shown.length < messages.length) {
    environment.warn(`skipped ${messages.length - shown.length} more (\`turnlog index status\` lists all)`);
  }
}
