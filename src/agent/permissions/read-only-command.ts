import { basename, resolve } from "node:path";
import type { Workspace } from "../tools/workspace.js";
import { expandPattern } from "./expand-pattern.js";
import { type ShellWord, shellWords } from "./shell-words.js";

const NOTHING = /(?!)/;

/** Programs that only read, each with the options by which it writes, runs something or follows links; long ones may be cut short. */
const READERS: ReadonlyMap<string, RegExp> = new Map([
  ..."basename cat column cut dirname echo false head id nl paste pwd readlink realpath rev sleep stat tail tr true type uname wc which whoami"
    .split(" ")
    .map((name) => [name, NOTHING] as const),
  ["date", /^(?:-\w*s|--s)/],
  ["diff", /^(?:-\w*r|--rec)/],
  ["du", /^(?:-\w*[LD]|--deref)/],
  ["file", /^(?:-\w*C|--c)/],
  ["grep", /^(?:-\w*R|--de)/],
  ["hostname", /./], // what follows would be the new name
  ["ls", /^(?:-\w*L|--deref)/],
  ["printf", /^-\w*v/], // the name of an array element may hold a command
  ["rg", /^(?:--(?:pre|hostname-bin|follow)|-\w*L)/],
  ["sort", /^(?:-\w*o|--o|--comp)/],
  ["tree", /^-\w*[oRl]/],
]);

const GIT_READERS =
  /^git (?:status|diff|log|show|blame|shortlog|describe|rev-parse|ls-files|branch(?: (?:-a|-r|-v|-vv|--list|--show-current))*$)(?:\s|$)/;
const GIT_HARMFUL = /^(?:--o(?!neline)|--ex(?!clude)|-o$)/;
const MAX_OPTION_CHARS = 100;

/** A command that changes nothing and looks at nothing outside of the allowed folders, in whichever of these it is run. */
export function isReadOnlyCommand(command: string, folders: readonly string[], workspace: Workspace): boolean {
  const [name, ...words] = shellWords(command);
  if (name === undefined || name.isPattern || [name, ...words].some(({ isOpen }) => isOpen)) return false;
  if (!isReader(name.text, words, command)) return false;
  const isInside = (path: string) => workspace.isInside(workspace.resolve(path));
  return folders.every(
    (folder) =>
      isInside(folder) && words.every((word) => filesOf(word, folder)?.every((path) => isInside(path)) ?? false),
  );
}

/** Searches folders, so that its words do not tell which files it reads. */
export function isFolderSearch(command: string): boolean {
  const [name = "", ...words] = shellWords(command).map(({ text }) => text);
  return name === "rg" || (name === "grep" && words.some((word) => /^(?:-\w*[rRd]|--(?:rec|de|dir))/.test(word)));
}

/** The words of a reader that may be files; of other programs nobody knows what they read. */
export function readFiles(command: string, folders: readonly string[]): readonly string[] {
  const [name, ...words] = shellWords(command);
  const isKnown = name !== undefined && (READERS.has(name.text) || name.text === "sed" || name.text === "git");
  if (!isKnown) return [];
  return folders.flatMap((folder) => words.flatMap((word) => namedFiles(word, folder)));
}

/** Where a command that only changes the directory leads to; undefined: nobody can tell. */
export function changedFolder(command: string, folder: string): string | undefined {
  const words = shellWords(command).filter(({ text }) => text !== "--");
  const [name, target] = words;
  const isPlain = words.length === 2 && !words.some(({ isOpen, isPattern }) => isOpen || isPattern);
  if (!isPlain || name?.text !== "cd" || target === undefined || target.text.startsWith("-")) return undefined;
  return resolve(folder, target.text);
}

function isReader(name: string, words: readonly ShellWord[], command: string): boolean {
  const texts = words.map(({ text }) => text);
  if (name === "cd") return changedFolder(command, "/") !== undefined;
  if (GIT_READERS.test(command)) return !texts.some((word) => GIT_HARMFUL.test(word));
  // The second file of uniq is written.
  if (name === "uniq")
    return !words.some(({ isPattern }) => isPattern) && texts.filter((word) => !word.startsWith("-")).length <= 1;
  const harmful = READERS.get(name);
  return harmful !== undefined && !texts.some((word) => harmful.test(word));
}

/** All that a word may name; undefined: nobody can tell. */
function filesOf(word: ShellWord, folder: string): readonly string[] | undefined {
  const { text } = word;
  if (!text.startsWith("-")) return namedFilesOrNone(word, folder);
  if (/\/|\.\./.test(text) || word.isPattern || text.length > MAX_OPTION_CHARS) return undefined;
  return Array.from(text.slice(2), (_, at) => resolve(folder, text.slice(at + 2).replace(/^=/, "")));
}

function namedFilesOrNone({ text, isPattern }: ShellWord, folder: string): readonly string[] | undefined {
  const found = isPattern ? expandPattern(text, folder) : [];
  // A file may be called like an option.
  if (!found || (!text.includes("/") && found.some((path) => basename(path).startsWith("-")))) return undefined;
  return [resolve(folder, text), ...found];
}

/** `HEAD:file` is one of git's names for a file. */
function namedFiles(word: ShellWord, folder: string): readonly string[] {
  const { text } = word;
  if (text.startsWith("~")) return [text];
  const value = text.replace(/^--?[\w-]*=?/, "");
  const paths = [text, value, text.slice(text.indexOf(":") + 1)].filter((path) => path !== "");
  return [...paths.map((path) => resolve(folder, path)), ...(namedFilesOrNone(word, folder) ?? [])];
}
