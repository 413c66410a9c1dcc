import { readdirSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { resolveAsPrograms, type Workspace } from "../workspace.js";
import { fileWords, isReader, mayReadFiles, startsWithGlob } from "./readers.js";
import { type ShellWord, shellWords } from "./shell-syntax.js";

const MAX_WORDS = 500;
const MAX_OPTION_CHARS = 100;

/** Whether a command only reads, and only inside the workspace, in each of the folders where it may run. */
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

/** Searches folders, so its arguments do not name the files that it reads. */
export function isFolderSearch(command: string): boolean {
  const [name = "", ...words] = shellWords(command).map(({ text }) => text);
  return name === "rg" || (name === "grep" && words.some((word) => /^(?:-\w*[rRd]|--(?:rec|de|dir))/.test(word)));
}

/** The files that a known reader may read; empty for other programs. */
export function readFiles(command: string, folders: readonly string[]): readonly string[] {
  const [name, ...words] = shellWords(command);
  const program = basename(name?.text ?? "");
  if (!mayReadFiles(program)) return [];
  const files = fileWords(program, words);
  return folders.flatMap((folder) => files.flatMap((word) => namedFiles(word, folder)));
}

/** The target of a plain `cd`; undefined if it is not known. */
export function changedFolder(command: string, folder: string): string | undefined {
  const words = shellWords(command).filter(({ text }) => text !== "--");
  const [name, target] = words;
  const isPlain = words.length === 2 && !words.some(({ isOpen, isPattern }) => isOpen || isPattern);
  if (!isPlain || name?.text !== "cd" || target === undefined || target.text.startsWith("-")) return undefined;
  return resolve(folder, target.text);
}

/** `echo $?` prints an exit code, which is harmless. */
function withoutExitCode(command: string): string {
  return command.startsWith("echo ") ? command.replaceAll("$?", "0") : command;
}

/** All files that a word may name; undefined if that is not known. */
function filesOf(word: ShellWord, folder: string): readonly string[] | undefined {
  const { text, isPattern } = word;
  if (!text.startsWith("-")) return namedFilesOrNone(word, folder);
  if (/^-d\/$/.test(text)) return []; // the delimiter of cut
  if (/\/|\.\./.test(text) || text.length > MAX_OPTION_CHARS) return undefined;
  // Such as `--include=*.ts`, unless a file has this name.
  if (isPattern && expandPattern(text, folder)?.length !== 0) return undefined;
  return Array.from(text.slice(2), (_, at) => resolve(folder, text.slice(at + 2).replace(/^=/, "")));
}

function namedFilesOrNone({ text, isPattern }: ShellWord, folder: string): readonly string[] | undefined {
  const found = isPattern ? expandPattern(text, folder) : [];
  if (!found || (startsWithGlob(text) && found.some((path) => relative(folder, path).startsWith("-"))))
    return undefined;
  return [resolveAsPrograms(folder, text), ...found];
}

/** Includes git's `HEAD:file` form. */
function namedFiles(word: ShellWord, folder: string): readonly string[] {
  const { text } = word;
  if (text.startsWith("~")) return [text];
  const value = text.replace(/^--?[\w-]*=?/, "");
  const paths = [text, value, text.slice(text.indexOf(":") + 1)].filter((path) => path !== "");
  return [...paths.map((path) => resolveAsPrograms(folder, path)), ...(namedFilesOrNone(word, folder) ?? [])];
}

const MAX_PATHS = 2_000;

/** The files that a glob may match, and possibly more; links are not followed. Undefined: too many. */
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

/** Compares only the start and end of names. Patterns that start with a dot match hidden names, including `..`. */
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
    return []; // not a readable folder: the shell finds nothing there either
  }
}
