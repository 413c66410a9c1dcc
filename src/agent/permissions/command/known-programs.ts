import { isGlob } from "./expand-glob.js";
import { GIT_COMMANDS } from "./git-commands.js";
import { innerCommands } from "./inner-command.js";
import { readCall } from "./read-call.js";
import { readStartedLine, type StartedCommand } from "./started-commands.js";
import { programOf } from "./started-programs.js";

/** Programs and builtins that start no other program, whatever their arguments are. */
const PLAIN: ReadonlySet<string> = new Set(
  "[ : base64 basename bg break cat cd chgrp chmod chown cksum cmp column comm continue cp curl cut date df dirname du echo exit expand false fg fgrep egrep file fold free grep gunzip gzip head hexdump hostname id jobs jq kill killall ln ls md5sum mkdir mktemp mv nl nproc od paste pgrep pkill printf ps pwd read readlink realpath return rev rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shift sleep stat tac tail tee test touch tr tree true truncate type umask uname uniq unlink unset uptime wait wc which whoami xxd zcat".split(
    " ",
  ),
);
/** Programs that build and test a project; what the project starts by them is not judged. */
const BUILDERS: Readonly<Record<string, RegExp>> = {
  biome: /^(?:check|ci|format|lint)$/,
  black: /^[^-]/,
  cargo: /^(?:bench|build|check|clean|clippy|doc|fmt|run|test|tree|update)$/,
  eslint: /^[^-]/,
  go: /^(?:build|fmt|list|mod|test|vet)$/,
  jest: /^/,
  make: /^/,
  mypy: /^/,
  npm: /^(?:audit|ci|i|install|ls|outdated|run|start|t|test|uninstall|update)$/,
  pip: /^(?:freeze|install|list|show)$/,
  pip3: /^(?:freeze|install|list|show)$/,
  pnpm: /^(?:add|build|i|install|ls|outdated|run|start|t|test)$/,
  prettier: /^/,
  pytest: /^/,
  ruff: /^(?:check|format)$/,
  tsc: /^/,
  vitest: /^/,
  yarn: /^(?:add|build|install|run|start|test)$/,
};
/** Options of them that are known to name no program. */
const BUILDER_OPTION =
  /^(?:-[BDgkqsvwxnyp]|-j\d*|--|--(?:all|all-features|all-targets|bail|check|coverage|fix|frozen-lockfile|if-present|ignore-scripts|lib|no-audit|no-emit|noEmit|no-fund|omit=dev|production|quiet|release|run|save-dev|silent|verbose|version|watch|workspace|workspaces|write))$/;
const SHELLS = /^r?(?:bash|sh|dash|zsh|ksh)$/;
const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;
/** Variables that only set values. */
const VALUES =
  /^(?:[a-z_][a-z\d_]*|CI|DEBUG|FORCE_COLOR|NO_COLOR|LANG|LC_ALL|NODE_ENV|PORT|HOST|RUST_BACKTRACE|RUST_LOG|TZ|VERBOSE|[A-Z])$/;
const GIT_STARTS = /^(?:\w+::|-c|-x|-O|--(?:config|ex[et]|upl|rece|open|tool))/;
/** Programs that are no builders, and start what some of their arguments say: a rule that allows them does not mean that. */
const STARTERS =
  /^(?:sed|[gmn]?awk|tar|bsdtar|git|find|fd|rg|sort|split|sqlite3|man|zip|rsync|vim?|ssh|eval|trap|source|\.|busybox|(?:r?ba|z|da|r?k|mk|a|c|tc|fi)?sh)$/;
const MAX_NESTING = 6;

/**
 * The program of a command that is not known to start nothing but what the line shows; undefined: all are known. `isNamed` tells
 * whether the person named a command in a rule that allows it.
 */
export function findUnknownProgram(
  command: StartedCommand,
  isNamed: (command: StartedCommand) => boolean,
  nesting = 0,
): string | undefined {
  const [program, ...rest] = command.words;
  const variable = command.assignments.find((text) => !VALUES.test(text.replace(/\+?=[\s\S]*$/, "")));
  if (variable !== undefined && !isNamed(command)) return variable;
  if (command.words.length === 0) return undefined;
  if (program === undefined || isGlob(command.pieces[0] ?? []) || nesting > MAX_NESTING) return "a program";
  const name = programOf(program);
  if (program.includes("/") && !SYSTEM_FOLDER.test(program)) return isNamed(command) ? undefined : program;
  const inner = innerCommands(command);
  if (inner === "unknown") return program;
  if (inner?.some(({ words }) => words.length === 0)) return name === "env" || name === "exec" ? undefined : program;
  if (inner) return firstOf(inner, (it) => findUnknownProgram(it, isNamed, nesting + 1));
  const script = scriptOf(name, rest);
  if (script !== undefined) {
    const line = readStartedLine(script);
    if (line.doubts.length > 0) return program;
    return firstOf(line.commands, (it) => findUnknownProgram(it, isNamed, nesting + 1));
  }
  return isKnown(name, rest) || (!STARTERS.test(name) && isNamed(command)) ? undefined : program;
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The script that a shell gets in the command itself. */
function scriptOf(name: string, args: readonly (string | undefined)[]): string | undefined {
  if (SHELLS.test(name)) return /^-[elux]*c$/.test(args[0] ?? "") ? args[1] : undefined;
  if (name === "trap") return args[0];
  return name === "eval" && !args.includes(undefined) ? args.join(" ") : undefined;
}

function isKnown(name: string, args: readonly (string | undefined)[]): boolean {
  // Builtins that set a variable which an argument names.
  if (name === "read") return args.every((word) => word?.startsWith("-") || VALUES.test(word ?? ""));
  if (name === "printf" && !/^[^-]/.test(args[0] ?? "-")) return false;
  if (PLAIN.has(name)) return true;
  if (args.includes(undefined)) return false;
  const known = args.flatMap((word) => word ?? []);
  if ("paths" in readCall(name, known) || isFormatted(name, known)) return true;
  if (name === "export") return known.every((word) => VALUES.test(word.replace(/=[\s\S]*$/, "")));
  if (name === "set") return known.every((word) => /^(?:[-+][eu]+|-euo|-o|pipefail)$/.test(word));
  if (name === "find") return true;
  if (name === "git") return isKnownGit(known);
  return isBuilder(name, known);
}

/** `sed -i` with a plain script, `awk '{print $1}'`, `tar xzf`, `sort` and `rg` without programs. */
export function isFormatted(name: string, args: readonly string[]): boolean {
  if (name === "sed") {
    const others = args.filter((word) => !/^-i(?:\.\w+)?$/.test(word));
    return "paths" in readCall("sed", others);
  }
  if (name === "awk") {
    const at = args.findIndex((word, index) => !/^-(?:F.?|v)$/.test(word) && !/^-[Fv]$/.test(args[index - 1] ?? ""));
    return isPlainAwk(args[at] ?? "|") && args.slice(at + 1).every((word) => !word.startsWith("-"));
  }
  if (name === "tar")
    return (
      /^-?[cjJkptvxz]*f?$/.test(args[0] ?? "") && args.slice(1).every((word) => !word.startsWith("-") || word === "-C")
    );
  return false;
}

/** Without what starts programs, opens files by name or includes them; quotes hide nothing where there may be patterns. */
function isPlainAwk(text: string): boolean {
  const code = (text.includes("/") ? text : text.replace(/"(?:[^"\\]|\\.)*"/g, '""')).replaceAll("||", " ");
  if (/[|@`]/.test(code)) return false;
  const names = code.match(/[A-Za-z_]\w*/g) ?? [];
  return names.every((name) =>
    /^[A-Z]/.test(name)
      ? /^(?:NR|NF|FNR|FS|OFS|RS|ORS|BEGIN|END|FILENAME)$/.test(name)
      : !/^(?:getline|system|extension|load|include)$/.test(name),
  );
}

function isKnownGit(args: readonly string[]): boolean {
  const at = args.findIndex((word, index) => !word.startsWith("-") && args[index - 1] !== "-C");
  if (args.slice(0, Math.max(at, 0)).some((word) => /^-./.test(word) && !/^(?:-C|-P|--no-pager)$/.test(word)))
    return false;
  if (at < 0) return args.every((word) => /^(?:--version|--help)$/.test(word));
  const [name = "", ...rest] = args.slice(at);
  return (
    GIT_COMMANDS.test(name) &&
    !rest.some((word) => GIT_STARTS.test(word) && !(name !== "rebase" && /^-[cx]$/.test(word)))
  );
}

function isBuilder(name: string, args: readonly string[]): boolean {
  const commands = Object.hasOwn(BUILDERS, name) ? BUILDERS[name] : undefined;
  if (!commands) return false;
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const first = own.find((word) => !word.startsWith("-")) ?? "";
  const isPlain = (word: string) =>
    word.startsWith("-") ? BUILDER_OPTION.test(word) : name !== "make" || !word.includes("=");
  return (commands.test(first) || (first === "" && own.every((word) => word === "--version"))) && own.every(isPlain);
}
