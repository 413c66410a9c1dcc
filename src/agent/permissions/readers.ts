import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPath, resolveAsPrograms } from "../tools/workspace.js";
import type { ShellWord } from "./shell-words.js";

const NOTHING = /(?!)/;

/**
 * Programs that only read, each with the options by which it writes, runs something, follows links or takes names from a file;
 * long ones may be cut short.
 */
const READERS: ReadonlyMap<string, RegExp> = new Map([
  ..."basename cat cmp column comm cut df dirname echo expand false fold head id nl nproc od paste pwd readlink realpath rev seq sleep stat tac tail tr true type uname which whoami"
    .split(" ")
    .map((name) => [name, NOTHING] as const),
  ...["md5sum", "sha1sum", "sha256sum"].map((name) => [name, /^(?:-\w*c|--c)/] as const),
  ["date", /^(?:-\w*s|--s|\d{8,12}(?:\.\d\d)?$)/],
  ["diff", /^(?:-\w*r|--rec|--fr|--to)/],
  ["du", /^(?:-\w*[LD]|--deref|--f)/],
  ["file", /^(?:-\w*[Cf]|--c|--f)/],
  ["grep", /^(?:-\w*R|--de)/],
  ["hostname", /./], // what follows would be the new name
  ["jq", /env|import|include|^--(?!raw|compact|exit|slurp$)|^-\w*[fL]/i], // it shows variables, and reads programs
  ["ls", /^(?:-\w*L|--deref)/],
  ["printf", /^-\w*v/], // the name of an array element may hold a command
  ["rg", /^(?:--(?:pre|hostname-bin|follow)|-\w*L)/],
  ["sort", /^(?:-\w*o|--o|--comp|--fil)/],
  ["tree", /^-\w*[oRl]/],
  ["wc", /^--f/],
]);

type Words = readonly ShellWord[];

/** Programs of which only some forms read. */
const SOME_FORMS: ReadonlyMap<string, (words: Words, folders: readonly string[]) => boolean> = new Map([
  ["diff", (words: Words, folders: readonly string[]) => onlyReads("diff", words) && !namesFolder(words, folders)],
  ["find", isListing],
  ["git", isGitReader],
  ["sed", isExcerpt],
  // The second file of uniq is written.
  ["uniq", (words: Words) => !words.some(({ isPattern }) => isPattern) && operands(words).length <= 1],
  ["test", isFileTest],
  ["[", (words: Words) => words.at(-1)?.text === "]" && isFileTest(words.slice(0, -1))],
]);

/** Whether a program with these words changes nothing, apart from where the files lie that it reads. */
export function isReader(name: string, words: Words, folders: readonly string[]): boolean {
  if (words.length === 1 && isVersionQuestion(name, words[0]?.text)) return true;
  return SOME_FORMS.get(name)?.(words, folders) ?? onlyReads(name, words);
}

/** Whether the words of this program may be files that it reads. */
export function mayReadFiles(name: string): boolean {
  return READERS.has(name) || SOME_FORMS.has(name);
}

/** Programs whose words are no files. */
const TALKERS = /^(?:basename|dirname|echo|false|printf|seq|sleep|tr|true|type|which)$/;
/** None of them takes a file, nor is followed by one. */
const SEARCH_FLAGS = /^-(?:[nriwlcvohHEFPsqxaSNu]+|[ABCm]?\d+)$/;

/** The words that may be files: what is printed or searched for is none. A pattern may become any file. */
export function fileWords(name: string, words: Words): Words {
  if (TALKERS.test(name)) return words.filter(({ isPattern }) => isPattern);
  const at = words.findIndex(({ text }) => !SEARCH_FLAGS.test(text));
  const isSearch = (name === "grep" || name === "rg") && words[at]?.text.startsWith("-") === false;
  return isSearch && !words[at]?.isPattern ? words.toSpliced(at, 1) : words;
}

function onlyReads(name: string, words: Words): boolean {
  const harmful = READERS.get(name);
  return harmful !== undefined && !words.some(({ text }) => harmful.test(text));
}

/** None that a project can replace, as yarn can be. */
function isVersionQuestion(name: string, word = ""): boolean {
  return (
    (word === "--version" && /^(?:bash|cargo|gcc|git|go|java|make|node|npm|python3?|rg|ruby|rustc)$/.test(name)) ||
    (word === "-v" && /^(?:node|npm)$/.test(name))
  );
}

function operands(words: Words): readonly string[] {
  return words.map(({ text }) => text).filter((text) => !/^-[^-]|^--./.test(text));
}

/** Two folders are compared file by file, through links. */
function namesFolder(words: Words, folders: readonly string[]): boolean {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return words.some(
    ({ text, isPattern }) => isPattern || folders.some((folder) => isFolder(resolveAsPrograms(folder, text))),
  );
}

const FIND_WORDS =
  /^-(?:a|and|daystart|depth|empty|false|i?name|i?path|i?regex|links|ls|newer|maxdepth|mindepth|mmin|mount|mtime|not|o|or|perm|print0?|printf|prune|quit|regextype|size|true|type|xdev|\d+[a-zA-Z]?)$/;

function isListing(words: Words): boolean {
  return words.every(({ text }) => !text.startsWith("-") || FIND_WORDS.test(text));
}

/** `sed -n 10,20p file` */
function isExcerpt([flag, script, ...files]: Words): boolean {
  const isLines = /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?p;?)+$/.test(script?.text ?? "");
  return flag?.text === "-n" && isLines && !files.some(({ text }) => text.startsWith("-"));
}

function isFileTest(words: Words): boolean {
  const [flag, ...rest] = words.filter(({ text }, at) => at > 0 || text !== "!");
  return /^-[defhLrswx]$/.test(flag?.text ?? "") && rest.length === 1;
}

const GIT_READERS =
  /^(?:(?:status|diff|log|show|blame|shortlog|describe|rev-parse|rev-list|merge-base|ls-files|ls-tree|grep)(?: |$)|(?:branch(?: (?:-a|-r|-v|-vv|--list|--show-current))*|remote(?: -v)?|stash list|tag(?: -l| --list)?|worktree list|reflog)$)/;
const GIT_HARMFUL = /^(?:--o(?!neline|thers)|--ex(?!clude)|-\w*O)/;

function isGitReader(words: Words, folders: readonly string[]): boolean {
  const texts = words.map(({ text }) => text);
  const [first, second = "", ...rest] = texts;
  if (first === "--no-pager") return isGitReader(words.slice(1), folders);
  if (first === "-C" && rest.length > 0 && !words[1]?.isPattern) {
    return isGitReader(
      words.slice(2),
      folders.map((folder) => resolveAsPrograms(folder, second)),
    );
  }
  return (
    GIT_READERS.test(texts.join(" ")) &&
    !texts.some((word) => GIT_HARMFUL.test(word)) &&
    !folders.some((folder) => isBare(realPath(folder)))
  );
}

/** In a folder that is a repository itself, git runs commands of a configuration that came with the project's files. */
function isBare(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return false;
  if (existsSync(join(folder, "HEAD"))) return true;
  return dirname(folder) !== folder && isBare(dirname(folder));
}
