import { isWithin } from "../tools/workspace.js";

const NOTHING = /(?!)/;

/** Programs that only read, each with the options by which it writes or runs something; long ones may be cut short. */
const READERS: ReadonlyMap<string, RegExp> = new Map([
  ..."basename cat column cut diff dirname du echo false grep head id ls nl paste printf pwd readlink realpath rev sleep stat tail tr true type uname wc which whoami"
    .split(" ")
    .map((name) => [name, NOTHING] as const),
  ["date", /^(?:-\w*s|--s)/],
  ["file", /^(?:-\w*C|--c)/],
  ["hostname", /./], // what follows would be the new name
  ["rg", /^--(?:pre|hostname-bin)/],
  ["sort", /^(?:-\w*o|--o|--comp)/],
  ["tree", /^-\w*[oR]/],
]);

const GIT_READERS =
  /^git (?:status|diff|log|show|blame|shortlog|describe|rev-parse|ls-files|branch(?: (?:-a|-r|-v|-vv|--list|--show-current))*$)(?:\s|$)/;
const GIT_HARMFUL = /^(?:--o(?!neline)|--ex(?!clude)|-o$)/;

/** A command that changes nothing and looks at nothing outside of the allowed folders. */
export function isReadOnlyCommand(
  command: string,
  cwd: string,
  resolve: (path: string) => string,
  roots: readonly string[],
): boolean {
  const [name = "", ...words] = command.split(/\s+/).map(withoutQuotes);
  if (!isReader(name, words, command) || hasExpansion(command)) return false;
  const isInside = (path: string) => roots.some((root) => isWithin(resolve(path), root));
  return isInside(cwd) && words.every((word) => (word.startsWith("-") ? !/\/|\.\./.test(word) : isInside(word)));
}

/** The words of a reader that may be files; of other programs nobody knows what they read. */
export function readFiles(command: string): readonly string[] {
  const [name = "", ...words] = command.split(/\s+/).map(withoutQuotes);
  return READERS.has(name) || name === "sed" ? words.filter((word) => !word.startsWith("-")) : [];
}

function isReader(name: string, words: readonly string[], command: string): boolean {
  if (GIT_READERS.test(command)) return !words.some((word) => GIT_HARMFUL.test(word));
  // The second file of uniq is written.
  if (name === "uniq") return words.filter((word) => !word.startsWith("-")).length <= 1;
  const harmful = READERS.get(name);
  return harmful !== undefined && !words.some((word) => harmful.test(word));
}

/** What the shell makes other words of: then nobody can tell from these which files are read. */
function hasExpansion(command: string): boolean {
  const unquoted = command.replace(/'[^']*'/g, "");
  return /[$`]/.test(unquoted) || /[~{\\]/.test(unquoted.replace(/"[^"]*"/g, ""));
}

function withoutQuotes(word: string): string {
  return word.replace(/["']/g, "");
}
