import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isFileError, readIfPresent } from "../../errors.js";

/**
 * In a git folder: names with or by which git may find more configuration, another place for its data, or the address of a remote
 * (`ext::` starts a program). No repository that a person makes by `git init` or `git clone` has them.
 */
export const RUNS_PROGRAMS = ["commondir", "config.worktree", "modules", "remotes", "worktrees", "info/attributes"];

/** Where git keeps what is left to do of a rebase, and of several picks or reverts. */
const TO_DO = { "rebase-merge": ["git-rebase-todo", "strategy"], sequencer: ["todo", "opts"] } as const;

/** What is in a git folder, besides hooks and configuration, and would make git run a program with one of its next commands. */
export function findRunByGit(gitDir: string): readonly string[] {
  return [
    ...RUNS_PROGRAMS.filter((name) => isThere(join(gitDir, name))),
    ...(isEmpty(join(gitDir, "branches")) ? [] : ["branches"]),
    ...Object.entries(TO_DO).flatMap(([name, files]) =>
      files.every((file) => isPlainFile(join(gitDir, name, file))) ? [] : [name],
    ),
  ];
}

/** Commands of a to-do list but `exec`, which runs its line by a shell. */
const PLAIN_LINE =
  /^[ \t]*(?:#.*|(?:p|pick|r|reword|e|edit|s|squash|f|fixup|d|drop|l|label|t|reset|m|merge|u|update-ref|b|break|noop|revert)(?:[ \t].*)?)?$/;
/** Any other strategy is a program `git-merge-…`. */
const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/;
const MAX_CHARS = 4_000_000;

function isPlainFile(path: string): boolean {
  try {
    const text = readIfPresent(path);
    if (text === undefined) return !isThere(path);
    if (!lstatSync(path).isFile() || text.length > MAX_CHARS) return false;
    const lines = text.split("\n");
    if (path.endsWith("/strategy")) return STRATEGY.test(text.trim());
    if (path.endsWith("/opts"))
      return lines.every((line) => STRATEGY.test(/^\s*strategy\s*=\s*(.*?)\s*$/i.exec(line)?.[1] ?? ""));
    return lines.every((line) => PLAIN_LINE.test(line.replace(/\r$/, "")));
  } catch (error) {
    if (isFileError(error)) return false; // what cannot be read cannot be checked
    throw error;
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (isFileError(error)) return !isThere(folder);
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isFileError(error)) return false; // below a file
    throw error;
  }
}
