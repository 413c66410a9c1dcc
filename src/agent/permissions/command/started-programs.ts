import { basename } from "node:path";
import { realPath, resolveAsPrograms } from "../../workspace.js";
import { readCall } from "./read-call.js";
import { readStartedLine, type StartedCommand, type StartedLine } from "./started-commands.js";

/** Programs that run others, which their arguments name. */
const RUNNERS: ReadonlySet<string> = new Set(
  "sudo doas su env nohup time timeout nice ionice stdbuf xargs parallel watch command builtin exec eval setsid flock find fd strace ltrace chroot unshare nsenter taskset script coproc function trap alias hash at batch entr npx bunx ssh rbash rksh mksh bash sh zsh dash ksh ash fish csh tcsh busybox".split(
    " ",
  ),
);
const SHELLS = /^(?:(?:r?ba|z|da|r?k|mk|a|c|tc|fi)?sh|busybox)$/;
/** They run a text that is not in the command line. */
const SOURCES = /^(?:source|\.|at|batch|crontab|parallel|entr)$/;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|osascript|ed|ex|vim?|nvim|emacs|expect|gdb)$/;
const INLINE_CODE = /^(?:-|\+|-\w*[cCeEpPrSx]\w*|--(?:eval|print|execute|require|batch|run).*)$/;
const AWK = /^[gmn]?awk$/;
/** Builtins that evaluate a subscript in the name of a variable. */
const NAMING =
  /^(?:test|\[|printf|declare|typeset|local|export|readonly|unset|read|readarray|mapfile|getopts|let|wait)$/;
const MAX_NESTING = 4;
const MAX_TAILS = 200;

export interface StartedPrograms {
  /** Every form of each command, without quotes, assignments, folders and wrappers. */
  readonly forms: readonly string[];
  /** Arguments of commands that are not known to only read: a denied program may be named there. */
  readonly mentions: readonly string[];
  /** All commands, with those of scripts that the line passes to a shell. */
  readonly commands: readonly StartedCommand[];
  /** Why a program may be started that is not among the forms. */
  readonly doubts: readonly string[];
}

/** Every program that a command line would start, for rules that forbid one. */
export function findStartedPrograms(line: StartedLine, cwd: string, nesting = 0): StartedPrograms {
  const found = line.commands.map((command) => ofCommand(command, cwd, nesting));
  const isFed = line.commands.some(({ words }) => SHELLS.test(programOf(words[0] ?? "")));
  const texts = isFed ? [...line.inputs, ...line.commands.flatMap(printedTexts)] : [];
  const fed = nesting < MAX_NESTING ? texts.map((text) => ofScript(text, cwd, nesting)) : [];
  return {
    forms: [...found, ...fed].flatMap(({ forms }) => forms),
    mentions: [...found, ...fed].flatMap(({ mentions }) => mentions).concat(line.inputs),
    commands: [...line.commands, ...[...found, ...fed].flatMap(({ commands }) => commands)],
    doubts: [...line.doubts, ...[...found, ...fed].flatMap(({ doubts }) => doubts)],
  };
}

function ofScript(text: string, cwd: string, nesting: number): StartedPrograms {
  return findStartedPrograms(readStartedLine(text), cwd, nesting + 1);
}

/** What `echo` and `printf` give to a shell behind them. */
function printedTexts({ words }: StartedCommand): readonly string[] {
  const [program, ...rest] = words;
  return program === "echo" || program === "printf" ? [rest.join(" ")] : [];
}

export function programOf(word: string): string {
  return word.replace(/^.*\//, "");
}

function ofCommand({ words, assignments, pieces }: StartedCommand, cwd: string, nesting: number): StartedPrograms {
  const [program, ...args] = words;
  if (words.length === 0) return { ...NOTHING, mentions: assignments };
  const isPattern = pieces[0]?.some(({ kind }) => kind === "glob") ?? false;
  if (program === undefined || program === "" || isPattern || /[{}]/.test(program))
    return { ...NOTHING, doubts: ["which program it starts is known only when it runs"] };
  const names = namesOf(program, cwd);
  const known = args.map((word) => word ?? "");
  const plain = names.map((name) => [name, ...known].join(" "));
  const name = programOf(program);
  const nested = isRunner(name) ? ofRunner(name, args, cwd, nesting) : NOTHING;
  const isReader = args.every((word) => word !== undefined) && "paths" in readCall(program, known);
  const git = name === "git" ? [["git", ...withoutGitOptions(known)].join(" ")] : [];
  return {
    forms: [[program, ...known].join(" "), ...plain, ...git, ...nested.forms],
    mentions: [...assignments, ...(isReader ? [] : known), ...nested.mentions],
    commands: nested.commands,
    doubts: [...nested.doubts, ...doubtsOf(name, args)],
  };
}

const NOTHING: StartedPrograms = { forms: [], mentions: [], commands: [], doubts: [] };

export function isRunner(program: string): boolean {
  return RUNNERS.has(programOf(program));
}

/** The name, and that of the file to which a path leads. */
function namesOf(program: string, cwd: string): readonly string[] {
  const name = programOf(program);
  return program.includes("/") ? [...new Set([name, basename(realPath(resolveAsPrograms(cwd, program)))])] : [name];
}

function ofRunner(name: string, args: readonly (string | undefined)[], cwd: string, nesting: number): StartedPrograms {
  const known = args.map((word) => word ?? "");
  const tails = known
    .slice(0, MAX_TAILS)
    .map((word, at) => [programOf(word.replace(/^\w+=/, "")), ...known.slice(at + 1)].join(" "));
  // A script needs no space: `cat${IFS}x`.
  const isScript = /^(?:eval|trap)$/.test(name) || SHELLS.test(name) ? /[^\w./:=@%+,-]/ : /\s/;
  const scripts = [...known.filter((word) => isScript.test(word)), ...(name === "eval" ? [known.join(" ")] : [])];
  const nested = nesting < MAX_NESTING ? scripts.map((text) => ofScript(text, cwd, nesting)) : [];
  const isOpen = args.includes(undefined) || (nesting >= MAX_NESTING && scripts.length > 0);
  const isReplaced = known.some((word) => /^(?:-i|-I|--replace)/.test(word)) || /^(?:find|fd)$/.test(name);
  const startsAny = isReplaced && known.some((word, at) => /\{.*\}/.test(word) && isProgramPlace(known[at - 1] ?? ""));
  const feedsShell = name === "xargs" && known.some((word) => SHELLS.test(programOf(word)));
  const doubt = isOpen || startsAny || feedsShell ? [`what \`${name}\` starts is known only when it runs`] : [];
  return {
    forms: [...tails, ...nested.flatMap(({ forms }) => forms)],
    mentions: nested.flatMap(({ mentions }) => mentions),
    commands: nested.flatMap(({ commands }) => commands),
    doubts: [...doubt, ...nested.flatMap(({ doubts }) => doubts)],
  };
}

function isProgramPlace(before: string): boolean {
  return /^-(?:exec|execdir|ok|okdir|c|I|i|x|X)|^--(?:replace|exec)|\{/.test(before) || RUNNERS.has(programOf(before));
}

function doubtsOf(name: string, args: readonly (string | undefined)[]): readonly string[] {
  const known = args.map((word) => word ?? "");
  if (SHELLS.test(name)) {
    const hasScript = known.some((word) => /^-\w*c/.test(word));
    return hasScript && name !== "busybox" ? [] : [`\`${name}\` runs a text that the command does not show`];
  }
  if (SOURCES.test(name)) return [`\`${name}\` runs a text that the command does not show`];
  const isCode = INTERPRETERS.test(name) && (known.length === 0 || known.some((word) => INLINE_CODE.test(word)));
  const isAwk = AWK.test(name) && known.some((word) => /system|getline|[|>@]|^-\w*f/.test(word));
  const isEnv = name === "env" && known.some((word) => /^-\w*S|^--s/.test(word));
  const isGit =
    name === "git" &&
    known.some((word) => /^(?:-c|--config-env|--exec-path)|^--?(?:x|exec|upload-pack|receive-pack)\b/.test(word));
  const isNaming =
    NAMING.test(name) &&
    known.some((word) => /\[|\$\(|`/.test(word.slice(name === "[" ? 1 : 0))) &&
    !isPlainTest(name, known);
  return isCode || isAwk || isEnv || isGit || isNaming ? [`\`${name}\` may start other programs`] : [];
}

function isPlainTest(name: string, args: readonly string[]): boolean {
  return "paths" in readCall(name, args);
}

/** Removes the options before the subcommand; `-C` and `-c` take a value. */
function withoutGitOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => !word.startsWith("-") && !/^-[Cc]$/.test(words[index - 1] ?? ""));
  return at < 0 ? [] : words.slice(at);
}

/** Builtins that change the shell itself, and with it what later commands of the line mean. */
const STATE_BUILTINS: ReadonlySet<string> = new Set(
  ". alias bind builtin command declare enable eval exec export getopts hash let local mapfile popd pushd read readarray readonly set shopt source trap typeset ulimit umask unalias unset".split(
    " ",
  ),
);

export function isStateBuiltin(program: string): boolean {
  return STATE_BUILTINS.has(program);
}
