import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { resolveAsPrograms, type Workspace } from "../workspace.js";
import { fileWords, isReader, mayReadFiles } from "./readers.js";
import { type ShellWord, shellWords } from "./shell-syntax.js";

const MAX_WORDS = 500;
const MAX_OPTION_CHARS = 100;

/** A command that changes nothing and looks at nothing outside of the allowed folders, in whichever of these it is run. */
export function isReadOnlyCommand(command: string, folders: readonly string[], workspace: Workspace): boolean {
  const [name, ...words] = shellWords(withoutExitCode(command));
  if (name === undefined || words.length > MAX_WORDS || [name, ...words].some(({ isOpen }) => isOpen)) return false;
  if (name.text === "cd" ? changedFolder(command, "/") === undefined : !isReader(name.text, words, folders))
    return false;
  const isInside = (path: string) => workspace.isInside(workspace.resolve(path));
  const files = fileWords(name.text, words);
  return folders.every(
    (folder) =>
      isInside(folder) && files.every((word) => filesOf(word, folder)?.every((path) => isInside(path)) ?? false),
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
  const program = basename(name?.text ?? "");
  if (!mayReadFiles(program)) return [];
  const files = fileWords(program, words);
  return folders.flatMap((folder) => files.flatMap((word) => namedFiles(word, folder)));
}

/** Where a command that only changes the directory leads to; undefined: nobody can tell. */
export function changedFolder(command: string, folder: string): string | undefined {
  const words = shellWords(command).filter(({ text }) => text !== "--");
  const [name, target] = words;
  const isPlain = words.length === 2 && !words.some(({ isOpen, isPattern }) => isOpen || isPattern);
  if (!isPlain || name?.text !== "cd" || target === undefined || target.text.startsWith("-")) return undefined;
  return resolve(folder, target.text);
}

/** `echo $?` says how the command before ended: a number. */
function withoutExitCode(command: string): string {
  return command.startsWith("echo ") ? command.replaceAll("$?", "0") : command;
}

/** All that a word may name; undefined: nobody can tell. */
function filesOf(word: ShellWord, folder: string): readonly string[] | undefined {
  const { text, isPattern } = word;
  if (!text.startsWith("-")) return namedFilesOrNone(word, folder);
  if (/^-d\/$/.test(text)) return []; // the separator of cut
  if (/\/|\.\./.test(text) || text.length > MAX_OPTION_CHARS) return undefined;
  // Such as `--include=*.ts`, unless a file is called so.
  if (isPattern && expandPattern(text, folder)?.length !== 0) return undefined;
  return Array.from(text.slice(2), (_, at) => resolve(folder, text.slice(at + 2).replace(/^=/, "")));
}

function namedFilesOrNone({ text, isPattern }: ShellWord, folder: string): readonly string[] | undefined {
  const found = isPattern ? expandPattern(text, folder) : [];
  // A file may be called like an option.
  if (!found || (!text.includes("/") && found.some((path) => basename(path).startsWith("-")))) return undefined;
  return [resolveAsPrograms(folder, text), ...found];
}

/** `HEAD:file` is one of git's names for a file. */
function namedFiles(word: ShellWord, folder: string): readonly string[] {
  const { text } = word;
  if (text.startsWith("~")) return [text];
  const value = text.replace(/^--?[\w-]*=?/, "");
  const paths = [text, value, text.slice(text.indexOf(":") + 1)].filter((path) => path !== "");
  return [...paths.map((path) => resolveAsPrograms(folder, path)), ...(namedFilesOrNone(word, folder) ?? [])];
}

const MAX_PATHS = 2_000;

/** The files that a pattern of the shell may stand for: at least those, and no link followed. Undefined: too many. */
function expandPattern(pattern: string, folder: string): readonly string[] | undefined {
  let paths = [pattern.startsWith("/") ? "/" : folder];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    const next: string[] = [];
    for (const path of paths) {
      next.push(...(/[*?[]/.test(segment) ? entriesLike(path, segment) : [resolveAsPrograms(path, segment)]));
      if (next.length > MAX_PATHS) return undefined;
    }
    paths = next;
  }
  return paths;
}

/** Only beginning and end are compared. Names that begin with a dot are meant by patterns that do, among them `..`. */
function entriesLike(folder: string, segment: string): readonly string[] {
  const beginning = /^[^*?[]*/.exec(segment)?.[0] ?? "";
  const end = /[^*?[\]]*$/.exec(segment)?.[0] ?? "";
  const isHidden = segment.startsWith(".");
  const names = isHidden ? [".", "..", ...namesIn(folder)] : namesIn(folder);
  return names
    .filter((name) => name.startsWith(".") === isHidden && name.startsWith(beginning) && name.endsWith(end))
    .map((name) => resolveAsPrograms(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no folder, or none that can be read: the shell finds nothing there either
  }
}
