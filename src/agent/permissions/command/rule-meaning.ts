import { REMOTE, readGitWriter } from "../forbid/git-effects.js";
import { BUILDER_OPTION } from "../forbid/toolchain.js";
import { isGlob } from "./expand-glob.js";
import { GIT_COMMANDS } from "./git-commands.js";
import { readGitCall } from "./git-readers.js";
import type { Word } from "./shell-node.js";

/**
 * Whether what a matching rule leaves open is of the kind that it means: of git and npm, no option that starts a program, names one, or
 * takes configuration from elsewhere (`git fetch --upload-pack=…`, `npm test --script-shell=…`). What the rule itself names is meant.
 */
export function isMeantByRule(wanted: readonly Word[], given: readonly Word[]): boolean {
  if (wanted.length === given.length && !wanted.some(({ pieces }) => isGlob(pieces))) return true;
  const program = wanted[0]?.value;
  if (program === "git") return isMeantOfGit(wanted, given);
  return program === "npm" ? isMeantOfNpm(wanted, given) : true;
}

/** In place of a text that is known only when it runs. */
const UNKNOWN = "\0";
/** These have no options that start programs, so the name of a file may be one of them. */
const TAKES_ANY_NAME = /^(?:add|checkout|mv|restore|rm)$/;
/** A remote of the repository's own configuration. */
const REMOTE_NAME = /^\w[\w.-]*$/;

function isMeantOfGit(wanted: readonly Word[], given: readonly Word[]): boolean {
  const [, first, second] = wanted;
  // A folder that the rule names, with git's own options in front of its command.
  const isMoved = first?.value === "-C" && second?.value !== undefined && !isGlob(second.pieces);
  const [command, ...rest] = given.slice(isMoved ? 3 : 1).filter(({ value }, at) => at > 0 || value !== "--no-pager");
  if (!command) return true;
  if (command.value === undefined || (first && isGlob(first.pieces) && !GIT_COMMANDS.test(command.value))) return false;
  const name = command.value;
  const known = (words: readonly Word[]) => {
    const values = words.map((word) => knownValue(word, name));
    return !values.includes(undefined) && isKnownGit([name, ...values.map((value) => value ?? "")]);
  };
  if (known(rest)) return true;
  const own = wanted.slice(isMoved ? 4 : 2);
  // Without the options that the rule itself names.
  const isNamed = own.some(isOption) && !own.some(({ pieces }) => isGlob(pieces));
  return isNamed && known([...own.filter((word) => !isOption(word)), ...rest.slice(own.length)]);
}

function isOption({ value }: Word): boolean {
  return value?.startsWith("-") ?? false;
}

/** The word as git gets it; undefined: it may be several, or an option. */
function knownValue({ value, pieces }: Word, command: string): string | undefined {
  if (value === undefined) return isOneWord(pieces) ? UNKNOWN : undefined;
  if (!isGlob(pieces)) return value;
  const mayBeOption = pieces[0]?.kind === "glob" || value.startsWith("-");
  return mayBeOption && !TAKES_ANY_NAME.test(command) ? undefined : value;
}

function isOneWord(pieces: Word["pieces"]): boolean {
  return pieces.every(
    (piece) =>
      piece.kind === "text" ||
      ("isQuoted" in piece && piece.isQuoted && !(piece.kind === "variable" && /^[@*]$/.test(piece.name))),
  );
}

/** Every option is in a table, and what is known only when it runs can be none. */
function isKnownGit(words: readonly string[]): boolean {
  const read = readGitCall(words);
  if (!("problem" in read)) return read.folder === undefined && !read.paths.includes(UNKNOWN);
  const call = readGitWriter(words);
  if (!call || call.paths.some((path) => path.includes(UNKNOWN))) return false;
  const [repository] = call.paths;
  return !call.isTransfer || repository === undefined || isElsewhere(call.name, call.paths);
}

/** Of a repository on this machine git would run hooks and helpers. */
function isElsewhere(name: string, paths: readonly string[]): boolean {
  const [first = "", second = ""] = paths;
  if (name === "clone") return REMOTE.test(first);
  if (name === "remote add") return REMOTE_NAME.test(first) && (second === "" || REMOTE.test(second));
  return (REMOTE_NAME.test(first) || REMOTE.test(first)) && !first.includes("::");
}

/** Options in front of `--` are settings of npm, abbreviated ones too. */
function isMeantOfNpm(wanted: readonly Word[], given: readonly Word[]): boolean {
  const end = given.findIndex(({ value }) => value === "--");
  const own = given.slice(0, end < 0 ? undefined : end);
  const named = new Set(wanted.map(({ value }) => value));
  return own.every(({ value, pieces }) => {
    if (named.has(value)) return true;
    if (pieces[0]?.kind !== "text" || (value === undefined && !isOneWord(pieces))) return pieces.length === 0;
    return value !== undefined ? !value.startsWith("-") || BUILDER_OPTION.test(value) : /^[^-]/.test(pieces[0].text);
  });
}

/**
 * Whether its first argument is a repository on this machine: git takes a name that is no remote for a path, and a push runs the hooks
 * that are there.
 */
export function repositoryOf(values: readonly (string | undefined)[]): string | undefined {
  const call = readGitWriter(values.slice(1).map((value) => value ?? ""));
  return values[0] === "git" && call?.isTransfer ? call.paths[call.name === "remote add" ? 1 : 0] : undefined;
}
