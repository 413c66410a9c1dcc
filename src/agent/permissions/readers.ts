import { statSync } from "node:fs";
import { resolveAsPrograms } from "../workspace.js";
import type { ShellWord } from "./shell-syntax.js";

/**
 * Options with which a program only reads; any other option needs approval. A list of harmful options would miss some: GNU
 * programs accept every unambiguous abbreviation of a long option.
 */
interface GoodOptions {
  /** Letters without a value; they may be combined: `-la`. */
  readonly flags?: string;
  /** Letters with a value, in the same word or the next. */
  readonly valued?: string;
  /** Full names of long options, with or without `=value`. */
  readonly long?: string;
}

const CHECKSUM: GoodOptions = { flags: "bt", long: "tag" };
const MATCHING =
  "after-context before-context color colour context count files-with-matches files-without-match fixed-strings ignore-case invert-match line-number line-regexp max-count no-filename no-messages null only-matching quiet regexp text with-filename word-regexp";

/** Not listed: options that write, run a program, follow links, or read file names from a file. */
const READERS: ReadonlyMap<string, GoodOptions> = new Map([
  ["basename", { flags: "az", valued: "s" }],
  ["cat", { flags: "AbeEnstTuv", long: "number number-nonblank show-all show-ends show-tabs squeeze-blank" }],
  ["cmp", { flags: "bls", valued: "in" }],
  ["column", { flags: "tx", valued: "cs" }],
  ["comm", { flags: "123" }],
  ["cut", { flags: "ns", valued: "bcdf", long: "bytes characters complement delimiter fields output-delimiter" }],
  ["df", { flags: "ahHiklmPT", long: "human-readable" }],
  [
    "diff",
    {
      flags: "abBcdeEiNpqstTuwyZ0123456789",
      valued: "CUW",
      long: "brief color ignore-all-space ignore-blank-lines ignore-case ignore-space-change new-file side-by-side strip-trailing-cr text unified width",
    },
  ],
  ["dirname", { flags: "z" }],
  ["du", { flags: "abchkmsSx", valued: "Bd", long: "all apparent-size human-readable max-depth summarize total" }],
  ["expand", { flags: "i", valued: "t" }],
  ["false", {}],
  ["fold", { flags: "bs", valued: "w" }],
  [
    "grep",
    {
      flags: "abcEFGhHiIlLnoPqrsvwxyzZ0123456789",
      valued: "ABCem",
      long: `${MATCHING} basic-regexp exclude exclude-dir extended-regexp include perl-regexp recursive silent`,
    },
  ],
  ["head", { flags: "qvz0123456789", valued: "cn", long: "bytes lines quiet verbose" }],
  ["id", { flags: "gGnru" }],
  ["jq", { flags: "acCejMnrRsS", long: "compact-output exit-status join-output raw-output slurp sort-keys tab" }],
  [
    "ls",
    {
      flags: "1aAbBcCdFgGhiklmnNopqQrRsStuUvxX",
      long: "all almost-all classify color directory full-time group-directories-first human-readable ignore inode recursive reverse size sort time",
    },
  ],
  ["md5sum", CHECKSUM],
  ["nl", { flags: "p", valued: "bilnsvw" }],
  ["nproc", { long: "all" }],
  ["od", { flags: "abcdfhilosvx", valued: "AjNtw" }],
  ["paste", { flags: "sz", valued: "d" }],
  ["printf", {}],
  ["pwd", { flags: "LP" }],
  ["readlink", { flags: "efmnqsvz" }],
  ["realpath", { flags: "eLmPqsz" }],
  ["rev", {}],
  [
    "rg",
    {
      flags: "acFHhiIlnNopPqsSuUvwx0",
      valued: "ABCegmMtT",
      long: `${MATCHING} files files-without-match glob heading hidden iglob json max-columns max-depth multiline no-heading no-ignore no-line-number pcre2 smart-case sort stats trim type type-list type-not vimgrep`,
    },
  ],
  ["seq", { flags: "w0123456789.", valued: "fs" }],
  ["sha1sum", CHECKSUM],
  ["sha256sum", CHECKSUM],
  ["sleep", {}],
  ["stat", { flags: "Ltx", valued: "cf", long: "format" }],
  ["tac", { flags: "br", valued: "s" }],
  ["tail", { flags: "fFqvz0123456789", valued: "cns", long: "bytes follow lines quiet verbose" }],
  ["tr", { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1" }],
  ["true", {}],
  ["type", { flags: "aftpP" }],
  ["uname", { flags: "aimnoprsv" }],
  ["uniq", { flags: "cdDiuz", valued: "fsw", long: "count ignore-case repeated unique" }],
  ["wc", { flags: "clLmw", long: "bytes chars lines max-line-length words" }],
  ["which", { flags: "a" }],
  ["whoami", {}],
]);

type Words = readonly ShellWord[];

/** Programs that need more than a check of their options. */
const SOME_FORMS: ReadonlyMap<string, (words: Words, folders: readonly string[]) => boolean> = new Map([
  ["date", isClock],
  ["diff", (words: Words, folders: readonly string[]) => onlyReads("diff", words) && !namesFolder(words, folders)],
  ["echo", () => true],
  ["find", isListing],
  ["hostname", (words: Words) => words.length === 0], // an argument sets the name
  ["jq", (words: Words) => onlyReads("jq", words) && isPathFilter(words)],
  ["rg", (words: Words) => onlyReads("rg", words) && !words.some(mayBecomeOption)],
  ["sed", (words: Words) => isExcerpt(words) && !words.some(mayBecomeOption)],
  // uniq writes to its second file.
  ["uniq", (words: Words) => onlyReads("uniq", words) && !words.some(isFilePattern) && operands(words).length <= 1],
  ["test", isFileTest],
  ["[", (words: Words) => words.at(-1)?.text === "]" && isFileTest(words.slice(0, -1))],
]);

/** They read files, but can also run programs: git by a repository's configuration, sort by `--compress-program`. */
const ALSO_READ_FILES: ReadonlySet<string> = new Set(["file", "git", "sort", "tree"]);

/** Whether a program with these arguments changes nothing and runs nothing. The paths it reads are checked elsewhere. */
export function isReader(name: string, words: Words, folders: readonly string[]): boolean {
  return SOME_FORMS.get(name)?.(words, folders) ?? onlyReads(name, words);
}

/** Whether arguments of this program may be files that it reads. */
export function mayReadFiles(name: string): boolean {
  return READERS.has(name) || SOME_FORMS.has(name) || ALSO_READ_FILES.has(name);
}

/** Programs whose arguments are not files. */
const TAKE_NO_FILES = /^(?:basename|dirname|echo|false|printf|seq|sleep|tr|true|type|which)$/;
/** Flags that take no file as a value. */
const SEARCH_FLAGS = /^-(?:[nriwlcvohHEFPsqxaSNu]+|[ABCm]?\d+)$/;

/** The arguments that may be files, without printed text and search patterns. An unquoted glob may expand to any file. */
export function fileWords(name: string, words: Words): Words {
  if (TAKE_NO_FILES.test(name)) return words.filter(isFilePattern);
  const at = words.findIndex(({ text }) => !SEARCH_FLAGS.test(text));
  const isSearch = (name === "grep" || name === "rg") && words[at]?.text.startsWith("-") === false;
  return isSearch && !words[at]?.isPattern ? words.toSpliced(at, 1) : words;
}

function onlyReads(name: string, words: Words): boolean {
  const options = READERS.get(name);
  return options !== undefined && words.every(({ text }) => !/^-./.test(text) || isGood(text, options));
}

function isGood(word: string, { flags = "", valued = "", long = "" }: GoodOptions): boolean {
  const name = /^--([a-z][\w-]*)(?:=|$)/.exec(word)?.[1];
  if (word.startsWith("--")) return name !== undefined && long.split(" ").includes(name);
  for (const letter of word.slice(1)) {
    if (valued.includes(letter)) return true; // the rest is its value
    if (!flags.includes(letter)) return false;
  }
  return true;
}

function isFilePattern({ isPattern }: ShellWord): boolean {
  return isPattern;
}

/** Such a glob may expand to the name of a file or folder that looks like an option. */
export function startsWithGlob(text: string): boolean {
  return /^[*?[]/.test(text);
}

/** The file may be made after this check, so programs that run commands by an option get no such glob at all. */
function mayBecomeOption({ text, isPattern }: ShellWord): boolean {
  return isPattern && startsWithGlob(text);
}

function operands(words: Words): readonly string[] {
  return words.map(({ text }) => text).filter((text) => !/^-./.test(text));
}

/** Any other argument would set the clock or name a file. */
function isClock(words: Words): boolean {
  return words.every(({ text }) =>
    /^(?:\+[\s\S]*|-u|-R|-I(?:date|hours|minutes|seconds)?|--utc|--iso-8601(?:=[a-z]+)?|--rfc-3339=[a-z]+|--date=[\s\S]*)$/.test(
      text,
    ),
  );
}

/** diff follows links when it compares two folders. */
function namesFolder(words: Words, folders: readonly string[]): boolean {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return words.some(
    ({ text, isPattern }) => isPattern || folders.some((folder) => isFolder(resolveAsPrograms(folder, text))),
  );
}

const FIND_WORDS =
  /^-(?:a|and|daystart|depth|empty|false|i?name|i?path|i?regex|links|ls|newer|maxdepth|mindepth|mmin|mount|mtime|not|o|or|perm|print0?|printf|prune|quit|regextype|size|true|type|xdev|\d+[a-zA-Z]?)$/;

function isListing(words: Words): boolean {
  // The words that run a command or delete contain neither a dot nor a slash.
  const mayAct = (word: ShellWord) => mayBecomeOption(word) && !/[./]/.test(word.text.replace(/\[.*\]/, ""));
  return words.every((word) => (!word.text.startsWith("-") || FIND_WORDS.test(word.text)) && !mayAct(word));
}

const JQ_PARTS = /\.\.|\.?[A-Za-z_]\w*|"[^"\\]*"|\d+|[=!<>]=|[.[\]|,()<>?\s]/g;
const JQ_NAMES = /^(?:\..*|add|first|has|keys|last|length|map|max|min|not|select|sort|to_entries|type|unique|values)$/;

/** Paths and a few functions only: jq can also print environment variables and read modules. */
function isPathFilter(words: Words): boolean {
  const filter = words.find(({ text }) => !/^-./.test(text));
  if (filter === undefined || filter.isPattern || filter.text.replace(JQ_PARTS, "") !== "") return false;
  const names = (filter.text.match(JQ_PARTS) ?? []).filter((part) => /^\.?[A-Za-z_]/.test(part));
  return names.every((name) => JQ_NAMES.test(name));
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
