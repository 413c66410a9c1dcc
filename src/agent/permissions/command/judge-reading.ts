import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { findRepository } from "../../git/repository.js";
import { findGitRoot, realPath, resolveAsPrograms } from "../../workspace.js";
import { isInGitData } from "../git-places.js";
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
import { isSystemPath } from "./forms/version-query.js";
import { readGitCall } from "./git-readers.js";
import { isFolder, mayHoldLinks } from "./links-below.js";
import { type PrintedWords, printWord, quote } from "./print-command.js";
import type { Opened } from "./read-arguments.js";
import { isBuiltinReader, readCall } from "./read-call.js";
import type { Piece, SimpleCommand, Word } from "./shell-node.js";

/** Whether a command is known to only read, inside the project, in each of the folders where it may run. */
export type Reading =
  | {
      readonly kind: "reads";
      readonly printed: string;
      readonly isGit?: boolean;
      /** What it opens, as it is named; `searches`: and what is below the folder. */
      readonly paths?: readonly string[];
      readonly searches?: boolean;
    }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "denied"; readonly reason: string };

export interface ReadingPlace {
  /** Where it may run; undefined: anywhere. */
  readonly folders: readonly string[] | undefined;
  /** Nothing else in the line changes anything, so what is seen now is what is read. */
  readonly isAlone: boolean;
  /** How the commands are printed whose output it uses. */
  readonly printed: PrintedWords;
}

const MAX_WORDS = 500;

export function judgeReading(command: SimpleCommand, place: ReadingPlace, situation: Situation): Reading {
  if (!command.assignments.every(isHarmless)) return open("it sets variables");
  if (command.words.length > MAX_WORDS) return open("it has very many arguments");
  const { folders } = place;
  if (folders === undefined) return open("the folder where it runs is not known");
  if (command.words[0] && isGlob(command.words[0].pieces)) return open("its program is a glob");
  const given = toArguments(command.words, { ...place, folders }, situation);
  if ("kind" in given) return given;
  const [program, ...args] = given;
  if (program === undefined) return { kind: "reads", printed: "" };
  if (program.value === "git") return judgeGit(given, folders, place.isAlone, situation);
  if (program.value === "timeout") return judgeLimited(command, given, place, situation);
  const call = readCall(
    program.value,
    args.map(({ value }) => value),
  );
  if ("problem" in call) return open(call.problem);
  const unknown = findUnknown(given, call.paths);
  if (unknown !== undefined) return open(unknown);
  if (given.some(({ isStream }) => isStream) && !STREAMED.test(program.value))
    return open(`what \`${program.value}\` does with a pipe is not known`);
  const foreign = findForeign(program.value, call, situation);
  if (foreign !== undefined) return open(foreign);
  if (call.searchesFolders && hasDenyRules(situation, READ_TOOLS))
    return open("it searches folders, which may show a file that a rule denies");
  let hasFolders = false;
  for (const folder of folders) {
    for (const path of call.paths) {
      const problem = judgePath(path, folder, situation);
      if (problem) return problem;
      hasFolders ||= call.takesNoFolders && isFolder(resolveAsPrograms(folder, path));
    }
    const searched = call.paths.length > 0 ? call.paths : ["."];
    if ((hasFolders || call.meetsNoLinks) && searched.some((path) => mayHoldLinks(resolveAsPrograms(folder, path))))
      return open("it follows links in folders");
    // Without a path it lists or searches the folder itself.
    if (!situation.workspace.isInside(realPath(folder))) return open(`${folder} is outside of the project`);
  }
  if (hasFolders && (call.keepsLinks === undefined || hasDenyRules(situation, READ_TOOLS)))
    return open("it follows links in folders");
  const values = call.args ?? args.map(({ value }) => value);
  const done = hasFolders ? { ...call, args: [call.keepsLinks ?? "", ...values] } : call;
  const reading = print(given, done, command, situation);
  return reading.kind === "reads"
    ? { ...reading, paths: call.paths, searches: call.searchesFolders || hasFolders }
    : reading;
}

/** What runs: the arguments as they were given, or those in their place. */
function print(
  given: readonly Argument[],
  call: Opened,
  { assignments }: SimpleCommand,
  { workspace }: Situation,
): Reading {
  const [program, ...rest] = given.map(({ value }) => value);
  const isRewritten = call.args !== undefined || call.print !== undefined;
  if (isRewritten && given.some(({ value, printed }) => printed !== quote(value)))
    return open("an argument is known only when it runs");
  const words = [program ?? "", ...(call.args ?? rest)].map(quote).join(" ");
  const printed = call.print?.(workspace.roots) ?? (isRewritten ? words : printArguments(given));
  return /^[({]/.test(printed) && assignments.length > 0 ? open("it sets variables") : { kind: "reads", printed };
}

/** Settings that change only how a program prints. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  COLUMNS: /^\d+$/,
  GIT_PAGER: /^(?:cat)?$/,
  LANG: /^(?:C|POSIX|C\.UTF-8|en_US\.UTF-8)$/,
  LC_ALL: /^(?:C|POSIX|C\.UTF-8|en_US\.UTF-8)$/,
  LC_COLLATE: /^C$/,
  NO_COLOR: /^1?$/,
  PAGER: /^cat$/,
  TZ: /^(?:UTC|GMT)$/,
};

function isHarmless({ name, value }: SimpleCommand["assignments"][number]): boolean {
  return Object.hasOwn(HARMLESS, name) && value.value !== undefined && (HARMLESS[name]?.test(value.value) ?? false);
}

/** `timeout 10` in front of a program that only reads. */
function judgeLimited(
  command: SimpleCommand,
  [first, limit, ...rest]: readonly Argument[],
  place: ReadingPlace,
  situation: Situation,
): Reading {
  const program = rest[0]?.value ?? "";
  if (
    !/^\d+(?:\.\d+)?[smh]?$/.test(limit?.value ?? "") ||
    program === "" ||
    isBuiltinReader(program) ||
    isProgramOfProject("timeout", situation)
  )
    return open("`timeout` is not known to only read in this form");
  const inner = judgeReading({ ...command, words: command.words.slice(2) }, place, situation);
  if (inner.kind !== "reads") return inner;
  if (/^[({]/.test(inner.printed)) return open("what `timeout` runs is not one program");
  return { ...inner, printed: `${first?.printed} ${limit?.printed} ${inner.printed}` };
}

/** Why one of the programs may be another than the one that is known; undefined: none is. */
function findForeign(program: string, { starts = [], needsSystem }: Opened, situation: Situation): string | undefined {
  const started = [...(isBuiltinReader(program) ? [] : [program]), ...starts];
  const found = started.find((name) => isProgramOfProject(name, situation));
  if (found !== undefined) return `\`${found}\` is a program of the project`;
  const path = needsSystem ? findProgram(program, situation) : undefined;
  return path !== undefined && !isSystemPath(realPath(path)) ? `\`${path}\` is not a program of the system` : undefined;
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
  if (given.some(({ isOpen, isStream }) => isOpen || isStream)) return open("an argument is known only when it runs");
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
  if (hasDenyRules(situation, READ_TOOLS) && isInGitData(named))
    return open(`${named} belongs to git, which may have files that a rule denies`);
  const other = findOtherName(real, situation);
  if (other === undefined) return undefined;
  if (other === "unknown") return open(`${real} has other names, and a rule may deny one of them`);
  return { kind: "denied", reason: `denied by the rule ${other.text}, by another name of the file` };
}

/** One word that a program gets. */
export interface Argument {
  readonly value: string;
  readonly printed: string;
  /** It contains an exit code, or the output of a command. */
  readonly isOpen?: boolean;
  /** Bash splits it into words, and takes these for patterns. */
  readonly isSplit?: boolean;
  /** It is the name of a pipe from a command. */
  readonly isStream?: boolean;
}

/** Programs to which a text or a number is nothing else. */
const PRINTERS = /^(?:echo|printf|test|\[)$/;
/** Programs that read a pipe as they read a file. Others copy it to a temporary file. */
const STREAMED = /^(?:cat|cmp|comm|cut|diff|grep|head|jq|nl|paste|sed|sort|tail|wc)$/;
/** In place of the output of a command: no file and no option can be called so. */
const OUTPUT = "\0";

/** Why an argument that is known only when it runs may choose what is read; undefined: it cannot. */
function findUnknown([program, ...args]: readonly Argument[], paths: readonly string[]): string | undefined {
  if (!args.some(({ isOpen }) => isOpen)) return undefined;
  const name = program?.value ?? "";
  const isFormat = name === "printf" && args[0]?.value.includes(OUTPUT);
  const isSplitTest = /^(?:test|\[)$/.test(name) && args.some(({ isSplit }) => isSplit);
  const isHarmless = paths.length === 0 && PRINTERS.test(name) && !isFormat && !isSplitTest;
  return isHarmless ? undefined : "an argument is known only when it runs";
}

/** What is split may contain patterns, which must not list files. */
function printArguments(given: readonly Argument[]): string {
  const printed = given.flatMap((argument) => argument.printed || []).join(" ");
  return given.some(({ isSplit }) => isSplit) ? `( set -f; ${printed} )` : printed;
}

/** The arguments as the program gets them: globs are expanded now, and what they match is what runs. */
export function toArguments(
  words: readonly Word[],
  place: ReadingPlace & { readonly folders: readonly string[] },
  situation: Situation,
): readonly Argument[] | Exclude<Reading, { kind: "reads" }> {
  const given: Argument[] = [];
  for (const word of words) {
    if (isGlob(word.pieces) && word.value !== undefined) {
      const expanded = toMatches(word, place.folders, place.isAlone, situation);
      if ("kind" in expanded) return expanded;
      given.push(...expanded);
      continue;
    }
    const argument = toArgument(word, place.printed);
    if (!argument) return open(`\`${word.text}\` is known only when it runs`);
    given.push(argument);
  }
  return given;
}

function toArgument(word: Word, printed: PrintedWords): Argument | undefined {
  if (word.value !== undefined) return { value: word.value, printed: quote(word.value) };
  const [only, ...others] = word.pieces;
  // As harmless as an empty file: what it contains was judged with the command that makes it.
  if (only?.kind === "stream" && others.length === 0)
    return { value: "/dev/null", printed: printWord(word, printed), isStream: true };
  const value = openText(word);
  const isSplit = word.pieces.some((piece) => piece.kind !== "text" && !isExitCode(piece) && !isQuoted(piece));
  return value === undefined ? undefined : { value, printed: printWord(word, printed), isOpen: true, isSplit };
}

/** `$?` is some number, an output some text; a variable that the line did not set may be anything. */
function openText({ pieces }: Word): string | undefined {
  const parts = pieces.map((piece) => {
    if (piece.kind === "text") return piece.text;
    if (isExitCode(piece)) return "0";
    return piece.kind === "output" || (piece.kind === "variable" && piece.isOwn) ? OUTPUT : undefined;
  });
  return parts.includes(undefined) ? undefined : parts.join("");
}

function isExitCode(piece: Piece): boolean {
  return piece.kind === "variable" && piece.name === "?";
}

function isQuoted(piece: Piece): boolean {
  return "isQuoted" in piece && piece.isQuoted;
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
export function isProgramOfProject(program: string, situation: Situation): boolean {
  const path = findProgram(program, situation);
  if (path === undefined) return false;
  return !isAbsolute(path) || [path, realPath(path)].some((place) => isProjectFile(place, situation.workspace.roots));
}

/** Where it is on the PATH; a relative path: in a folder that depends on where it runs. */
function findProgram(program: string, { workspace }: Situation): string | undefined {
  for (const folder of (workspace.variables["PATH"] ?? process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) return program;
    const path = join(folder, program);
    if (isFile(path)) return path;
  }
  return undefined;
}

function isProjectFile(path: string, roots: readonly string[]): boolean {
  // A workspace that contains the whole system contains its programs, too.
  return roots.some((root) => root !== "/" && !["/usr", "/bin", "/opt"].includes(root) && path.startsWith(`${root}/`));
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
