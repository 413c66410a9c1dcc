import { realPath } from "../../workspace.js";
import { expandGlob, isGlob } from "../command/expand-glob.js";
import { innerCommands, runsPackages, withoutExecuted } from "../command/inner-command.js";
import type { Opened } from "../command/read-arguments.js";
import { isReader, readCall } from "../command/read-call.js";
import type { StartedCommand, StartedWord } from "../command/started-commands.js";
import { isRunner, programOf } from "../command/started-programs.js";
import { effects, effectsIn, isOfSystem, resolveNamed, type Understood } from "./effects.js";
import { FILE_FORMS } from "./file-forms.js";
import { readGitEffects } from "./git-effects.js";
import { COPIERS } from "./run-files.js";
import { isPlainBuiltin } from "./shell-builtins.js";
import { givesCode, isBuilder, toolOf } from "./toolchain.js";
import { isWriter, readWriter, type WriterPlace } from "./writers.js";

/** Programs and builtins that start no other program and open no file, whatever their arguments are. */
const FILELESS =
  /^(?::|bg|break|continue|echo|exit|false|fg|free|kill|killall|nproc|ps|pwd|return|shift|sleep|true|umask|uname|uptime|whoami)$/;
/** Programs that start no other program, whatever their arguments are. */
const PLAIN: ReadonlySet<string> = new Set(
  "base64 basename cat chgrp chmod chown cksum cmp column comm cp curl cut date df dirname du egrep expand fgrep file fold grep gunzip gzip head hexdump hostname id jq ln ls md5sum mkdir mktemp mv nl od paste pgrep pkill readlink realpath rev rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum stat tac tail tee touch tr tree truncate type uniq unlink wc which xxd zcat".split(
    " ",
  ),
);
/** Shells that read a plain script as bash does. */
const SHELLS = /^(?:r?bash|sh|dash)$/;
/** General programs that start what some of their arguments say: a rule that allows them does not mean that. */
const STARTERS =
  /^(?:bsdtar|fd|sort|split|sqlite3|man|zip|rsync|vim?|nvim|ssh|source|\.|busybox|alias|enable|hash|bind|complete|perl|ruby|php|lua)$/;
const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;

export interface CommandPlace extends WriterPlace {
  /** Whether the PATH takes the program from the project. */
  readonly isOfProject: (program: string) => boolean;
}

/**
 * What is known of a command, by allowing: its program, each of its options, letter by letter, and each of its arguments must be in a
 * table. Commands that it starts by its arguments are judged on their own.
 */
export function understandCommand(command: StartedCommand, place: CommandPlace): Understood {
  const [first, ...words] = command.words;
  if (!first) return known();
  const { value: program } = first;
  if (!program || !first.isCertain || isGlob(first.pieces) || /[{}]/.test(program))
    return unknown("which program it starts is known only when it runs", true);
  const name = programOf(program);
  const isFamiliar = isFamiliarProgram(name);
  const args = toArguments(words, place);
  const isTool = toolOf(name, args ?? []) !== undefined;
  if (program.includes("/") ? !SYSTEM_FOLDER.test(program) : !isFamiliar && !isTool && place.isOfProject(program))
    return ofProject(name, args);
  if (isFamiliar && !isShellWord(name) && place.isOfProject(program)) return { kind: "opaque", isBuilder: false };
  if (/^(?:test|\[)$/.test(name) && args && isPlainBuiltin(name, words))
    return { kind: "known", ...effectsIn(place.folder, { reads: args }) };
  const inShell = understandInShell(name, command, words, args);
  if (inShell) return inShell;
  // What is added to the arguments may be an option.
  const found = args && command.more !== "unseen" ? understandCall(name, args, place, command.more) : undefined;
  if (found) return found;
  const isSeen = args !== undefined && command.more === undefined;
  if (PLAIN.has(name) && (isSeen || !COPIERS.test(name))) return { kind: "plain" };
  const reason = args
    ? `\`${program}\` is not known in this form`
    : `which arguments \`${program}\` gets is known only when it runs`;
  return unknown(reason, isFamiliar);
}

function known(): Understood {
  return { kind: "known", ...effects() };
}

function unknown(reason: string, isFamiliar: boolean): Understood {
  return { kind: "unknown", reason, isFamiliar };
}

function isFamiliarProgram(name: string): boolean {
  return (
    PLAIN.has(name) ||
    FILELESS.test(name) ||
    isReader(name) ||
    isWriter(name) ||
    FILE_FORMS.has(name) ||
    SHELLS.test(name) ||
    STARTERS.test(name) ||
    isRunner(name) ||
    /^(?:git|cd|pushd|popd|[gn]?awk)$/.test(name) ||
    isPlainBuiltin(name, []) !== undefined
  );
}

/** Part of bash: not looked up on the PATH. */
function isShellWord(name: string): boolean {
  return (
    /^(?::|\[|bg|break|cd|command|builtin|continue|echo|eval|exec|exit|false|fg|kill|popd|pushd|pwd|return|shift|trap|true|type|umask)$/.test(
      name,
    ) || isPlainBuiltin(name, []) !== undefined
  );
}

/** A program by its path may be a copy of any other. */
function ofProject(name: string, args: readonly string[] | undefined): Understood {
  if (!args) return unknown(`which arguments \`${name}\` gets is known only when it runs`, false);
  const isCode = toolOf(name, args) === "code" || givesCode(args);
  return isCode
    ? unknown(`\`${name}\` runs code that the command gives it`, false)
    : { kind: "opaque", isBuilder: false };
}

/** Builtins, and programs that start others by their arguments. */
function understandInShell(
  name: string,
  command: StartedCommand,
  words: readonly StartedWord[],
  args: readonly string[] | undefined,
): Understood | undefined {
  const unclear = unknown(`what \`${name}\` does is known only when it runs`, true);
  if (FILELESS.test(name)) return known();
  if (args && name === "command" && "paths" in readCall(name, args)) return known();
  const isPlain = isPlainBuiltin(name, words);
  if (isPlain !== undefined) return isPlain && command.more !== "unseen" ? known() : unclear;
  if (/^(?:cd|pushd|popd)$/.test(name)) return args ? known() : { kind: "plain" };
  if (SHELLS.test(name) || name === "eval" || name === "trap") {
    const isShown = SHELLS.test(name)
      ? /^-[elux]*c$/.test(args?.[0] ?? "") && args?.[1] !== undefined
      : args !== undefined;
    return isShown && command.more !== "unseen" ? known() : unclear;
  }
  if (name === "find") return undefined;
  const inner = innerCommands(command);
  if (inner === undefined) return undefined;
  const isEmpty = inner !== "unknown" && inner.every((it) => it.words.length === 0);
  if (inner === "unknown" || command.more === "unseen") return unclear;
  if (runsPackages(command)) return { kind: "opaque", isBuilder: inner.every((it) => isBuilder(...toCall(it))) };
  return isEmpty && !/^(?:env|exec|xargs|nohup)$/.test(name) ? unclear : known();
}

function toCall({ words }: StartedCommand): [string, readonly string[]] {
  const [name = "", ...args] = words.map(({ value }) => value ?? "");
  return [name, args];
}

function understandCall(
  name: string,
  args: readonly string[],
  place: CommandPlace,
  more: StartedCommand["more"],
): Understood | undefined {
  const { folder } = place;
  const found =
    name === "git"
      ? readGitEffects(args, folder)
      : (readReader(name, args, folder) ?? readWriter(name, args, place) ?? FILE_FORMS.get(name)?.(args, folder));
  // `{}` stands for any file that is found.
  if (found)
    return {
      kind: "known",
      ...found,
      ...(more === "found" || more === "below" ? { readsUnnamed: true, writesUnnamed: found.writes.length > 0 } : {}),
    };
  const tool = toolOf(name, args);
  if (tool === "opaque") return { kind: "opaque", isBuilder: isBuilder(name, args) };
  return tool === "code" ? unknown(`\`${name}\` runs code that the command gives it`, true) : undefined;
}

function readReader(name: string, args: readonly string[], folder: string) {
  const isExecuting = name === "find" && args.some((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  const own = isExecuting ? withoutExecuted(args.map(toLiteral)).map(({ value = "" }) => value) : args;
  const call = readCall(name, own);
  if ("problem" in call || isKnownAlone(call)) return undefined;
  const searched = call.paths.length > 0 ? call.paths : ["."];
  return effectsIn(folder, {
    reads: call.paths,
    readsBelow: call.searchesFolders || call.takesNoFolders ? searched : [],
  });
}

/** Known only because something else runs in its place where a whole line only reads, or because of where the program is. */
function isKnownAlone({ args, print, meetsNoLinks, needsSystem, keepsLinks, options }: Opened): boolean {
  const isDeep = keepsLinks !== undefined && (options?.has("r") || options?.has("recursive"));
  return args !== undefined || print !== undefined || Boolean(meetsNoLinks || needsSystem || isDeep);
}

function toLiteral(value: string): StartedWord {
  return { value, pieces: [], isCertain: true };
}

/** The arguments as the program gets them; undefined: they are known only when it runs. */
function toArguments(words: readonly StartedWord[], { folder, isAlone }: CommandPlace): readonly string[] | undefined {
  const args: string[] = [];
  for (const { value, pieces, isCertain } of words) {
    if (value === undefined || !isCertain) return undefined;
    const matches = isGlob(pieces) ? toMatches(value, pieces, folder, isAlone) : [value];
    if (!matches) return undefined;
    args.push(...matches);
  }
  return args;
}

/** A file that is called like an option would be one. */
function toMatches(
  value: string,
  pieces: StartedWord["pieces"],
  folder: string,
  isAlone: boolean,
): readonly string[] | undefined {
  // `--include=*.ts` is this option whatever it matches; of an option that names files it is not known.
  if (/^--(?:include|exclude|glob|iglob|ignore)=/.test(value)) return [value];
  if (value.startsWith("-") || (pieces[0]?.kind === "glob" && !isAlone)) return undefined;
  // In the root there is `/proc`, and what `..` behind a glob leads to depends on what it matches.
  const start = realPath(resolveNamed(folder, value.replace(/[^/]*[*?[][\s\S]*$/, "") || "."));
  if (start === "/" || isOfSystem(start) || /[*?[].*\/\.\.(?:\/|$)/s.test(value)) return undefined;
  const found = expandGlob(pieces, folder);
  if (!found || found.paths.some((path) => path.startsWith("-"))) return undefined;
  return found.paths.length === 0 ? [value] : found.paths;
}
