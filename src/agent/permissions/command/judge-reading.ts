import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { findRepository } from "../../git/repository.js";
import { findGitRoot, realPath, resolveAsPrograms } from "../../workspace.js";
import type { Situation } from "../judgement.js";
import {
  bothWays,
  findOtherName,
  findPathRule,
  hasDenyRules,
  holdsProcesses,
  isProcessSecret,
  READ_TOOLS,
} from "../path-rules.js";
import { expandGlob, isGlob } from "./expand-glob.js";
import { readGitCall } from "./git-readers.js";
import { printWord, quote } from "./print-command.js";
import { isBuiltinReader, readCall } from "./read-call.js";
import type { SimpleCommand, Word } from "./shell-node.js";

/** Whether a command is known to only read, inside the project, in each of the folders where it may run. */
export type Reading =
  | { readonly kind: "reads"; readonly printed: string; readonly isGit?: boolean }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "denied"; readonly reason: string };

export interface ReadingPlace {
  /** Where it may run; undefined: anywhere. */
  readonly folders: readonly string[] | undefined;
  /** Nothing else in the line changes anything, so what is seen now is what is read. */
  readonly isAlone: boolean;
}

const MAX_WORDS = 500;

export function judgeReading(command: SimpleCommand, place: ReadingPlace, situation: Situation): Reading {
  if (command.assignments.length > 0) return open("it sets variables");
  if (command.words.length > MAX_WORDS) return open("it has very many arguments");
  const { folders } = place;
  if (folders === undefined) return open("the folder where it runs is not known");
  const given = toArguments(command.words, folders, place.isAlone, situation);
  if ("kind" in given) return given;
  const [program, ...args] = given;
  if (program === undefined) return { kind: "reads", printed: "" };
  if (program.value === "git") return judgeGit(given, folders, place.isAlone, situation);
  const call = readCall(
    program.value,
    args.map(({ value }) => value),
  );
  if ("problem" in call) return open(call.problem);
  // The number is not known, so it must not choose a file.
  if (given.some(({ isOpen }) => isOpen) && (call.paths.length > 0 || !PRINTERS.test(program.value)))
    return open("its exit code is known only when it runs");
  if (!isBuiltinReader(program.value) && isFromProject(program.value, situation))
    return open(`\`${program.value}\` is a program of the project`);
  if (call.searchesFolders && hasDenyRules(situation, READ_TOOLS))
    return open("it searches folders, which may show a file that a rule denies");
  for (const folder of folders) {
    for (const path of call.paths) {
      const problem = judgePath(path, folder, situation);
      if (problem) return problem;
      if (call.takesNoFolders && isFolder(resolveAsPrograms(folder, path))) return open("it follows links in folders");
    }
    // Without a path it lists or searches the folder itself.
    if (!situation.workspace.isInside(realPath(folder))) return open(`${folder} is outside of the project`);
  }
  return { kind: "reads", printed: given.flatMap(({ printed }) => printed || []).join(" ") };
}

/**
 * Git reads on a shadow of the repository. Every program of the line gets that environment, so nothing else may run in it, and every
 * folder must belong to the repository of the working directory.
 */
function judgeGit(
  given: readonly Argument[],
  folders: readonly string[],
  isAlone: boolean,
  situation: Situation,
): Reading {
  const call = readGitCall(given.slice(1).map(({ value }) => value));
  if ("problem" in call) return open(call.problem);
  if (given.some(({ isOpen }) => isOpen)) return open("its exit code is known only when it runs");
  if (!isAlone) return open("git reads without approval only where nothing else is run");
  const { workspace } = situation;
  const repository = process.platform === "win32" ? undefined : findRepository(realPath(workspace.cwd));
  if (!repository || !workspace.isInside(realPath(repository.root)))
    return open("the configuration of this repository can make git run programs");
  for (const start of folders) {
    const problem = call.folder === undefined ? undefined : judgePath(call.folder, start, situation);
    if (problem) return problem;
    const folder = realPath(resolveAsPrograms(start, call.folder ?? "."));
    if (findGitRoot(folder) !== repository.root)
      return open(`${folder} is not in the repository of the working directory`);
    for (const path of call.paths) {
      const found = judgePath(path, folder, situation);
      if (found) return found;
    }
  }
  return { kind: "reads", printed: given.map(({ printed }) => printed).join(" "), isGit: true };
}

/** Undefined: it may be read. */
export function judgePath(
  path: string,
  folder: string,
  situation: Situation,
): Exclude<Reading, { kind: "reads" }> | undefined {
  const named = resolveAsPrograms(folder, path);
  if (named === "/dev/null") return undefined;
  const both = bothWays(named, situation);
  const denied = findPathRule(situation.rules.deny, READ_TOOLS, both, situation);
  if (denied) return { kind: "denied", reason: `denied by the rule ${denied.text}` };
  const real = both.at(-1) ?? named;
  if (!situation.workspace.isInside(real)) return open(`${real} is outside of the project`);
  if (isProcessSecret(real) || holdsProcesses(real)) return open(`${real} shows the environment of processes`);
  const other = findOtherName(real, situation);
  if (other === undefined) return undefined;
  if (other === "unknown") return open(`${real} has other names, and a rule may deny one of them`);
  return { kind: "denied", reason: `denied by the rule ${other.text}, by another name of the file` };
}

interface Argument {
  readonly value: string;
  readonly printed: string;
  /** It contains an exit code. */
  readonly isOpen?: boolean;
}

/** Programs to which `$?` is a text or a number. */
const PRINTERS = /^(?:echo|printf|test|\[)$/;

/** The arguments as the program gets them: globs are expanded now, and what they match is what runs. */
function toArguments(
  words: readonly Word[],
  folders: readonly string[],
  isAlone: boolean,
  situation: Situation,
): readonly Argument[] | Exclude<Reading, { kind: "reads" }> {
  const given: Argument[] = [];
  for (const [at, word] of words.entries()) {
    if (isGlob(word.pieces)) {
      const expanded = at === 0 ? open("its program is a glob") : toMatches(word, folders, isAlone, situation);
      if ("kind" in expanded) return expanded;
      given.push(...expanded);
      continue;
    }
    const value = word.value ?? exitCode(word);
    if (value === undefined) return open(`\`${word.text}\` is known only when it runs`);
    const isOpen = word.value === undefined;
    given.push({ value, printed: isOpen ? printWord(word, new Map()) : quote(value), isOpen });
  }
  return given;
}

/** `$?` is some number; every other variable may be anything. */
function exitCode({ pieces }: Word): string | undefined {
  const parts = pieces.map((piece) => {
    if (piece.kind === "variable") return piece.name === "?" ? "0" : undefined;
    return piece.kind === "text" ? piece.text : undefined;
  });
  return parts.includes(undefined) ? undefined : parts.join("");
}

function toMatches(
  word: Word,
  folders: readonly string[],
  isAlone: boolean,
  situation: Situation,
): readonly Argument[] | Exclude<Reading, { kind: "reads" }> {
  const [folder, ...others] = folders;
  const text = word.value ?? "";
  if (folder === undefined || others.length > 0) return open(`\`${text}\` may match files of several folders`);
  const found = expandGlob(word.pieces, folder);
  if (!found) return open(`\`${text}\` matches very many files`);
  const outside = found.folders.find((path) => !situation.workspace.isInside(realPath(path)) || holdsProcesses(path));
  if (outside !== undefined) return open(`\`${text}\` looks into ${outside}`);
  if (found.paths.length === 0) return [{ value: text, printed: quote(text) }];
  if (found.paths.some((path) => path.startsWith("-")))
    return open(`\`${text}\` matches a file that looks like an option`);
  if (isAlone) return found.paths.map((path) => ({ value: path, printed: quote(path) }));
  // Another part of the line may make files; none of them may become an option.
  if (word.pieces[0]?.kind === "glob") return open(`\`${text}\` may match a file that looks like an option`);
  const [first, ...rest] = found.paths;
  return [
    { value: first ?? text, printed: printWord(word, new Map()) },
    ...rest.map((value) => ({ value, printed: "" })),
  ];
}

/** A project must not be able to bring its own `ls`: a PATH may contain folders of it, such as `node_modules/.bin`. */
function isFromProject(program: string, { workspace }: Situation): boolean {
  for (const folder of (workspace.variables["PATH"] ?? process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) return true;
    const path = join(folder, program);
    if (isFile(path)) return [path, realPath(path)].some((place) => isProjectFile(place, workspace.roots));
  }
  return false;
}

function isProjectFile(path: string, roots: readonly string[]): boolean {
  // A workspace that contains the whole system contains its programs, too.
  return roots.some((root) => root !== "/" && !["/usr", "/bin", "/opt"].includes(root) && path.startsWith(`${root}/`));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // the program cannot enter it either
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // a folder of the PATH that may not be entered
  }
}

function open(reason: string): { readonly kind: "open"; readonly reason: string } {
  return { kind: "open", reason };
}
