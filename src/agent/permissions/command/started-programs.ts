import { basename } from "node:path";
import { realPath, resolveAsPrograms } from "../../workspace.js";
import { innerCommands } from "./inner-command.js";
import { readStartedLine, type StartedCommand, type StartedLine } from "./started-commands.js";

/** Programs that run others, which their arguments name. */
const RUNNERS: ReadonlySet<string> = new Set(
  "sudo doas su env nohup time timeout nice ionice stdbuf xargs parallel watch command builtin exec eval setsid flock find fd strace ltrace chroot unshare nsenter taskset script coproc function trap alias hash at batch entr npx bunx ssh rbash rksh mksh bash sh zsh dash ksh ash fish csh tcsh busybox".split(
    " ",
  ),
);
const SHELLS = /^(?:(?:r?ba|z|da|r?k|mk|a|c|tc|fi)?sh|busybox)$/;
const MAX_NESTING = 4;
const MAX_TAILS = 200;

export interface StartedPrograms {
  /** Every form of each command, without quotes, assignments, folders and wrappers. */
  readonly forms: readonly string[];
  /** The line with all commands that others start by their arguments, and with the scripts that it passes to a shell. */
  readonly line: StartedLine;
}

/** Where a line runs. */
export interface StartPlace {
  readonly cwd: string;
  readonly home: string;
}

/** Every program that a command line would start, for rules that forbid one. */
export function findStartedPrograms(command: string, place: StartPlace, nesting = 0): StartedPrograms {
  const line = readStartedLine(command, place.home);
  const commands = line.commands.flatMap(withInner);
  const isFed = commands.some((it) => SHELLS.test(programOf(firstOf(it))));
  const fed = isFed ? [...line.inputs, ...commands.flatMap(printedTexts)] : [];
  const scripts = [...commands.flatMap(scriptsOf), ...fed];
  const nested = nesting < MAX_NESTING ? scripts.map((text) => findStartedPrograms(text, place, nesting + 1)) : [];
  const tooDeep = nesting >= MAX_NESTING && scripts.length > 0 ? ["the command contains scripts in scripts"] : [];
  const lines = [{ ...line, commands }, ...nested.map((it) => it.line)];
  return {
    forms: [...commands.flatMap((it) => formsOf(it, place.cwd)), ...nested.flatMap(({ forms }) => forms)],
    line: {
      commands: lines.flatMap((it) => it.commands),
      reads: lines.flatMap((it) => it.reads),
      writes: lines.flatMap((it) => it.writes),
      inputs: lines.flatMap((it) => it.inputs),
      doubts: [...tooDeep, ...lines.flatMap((it) => it.doubts)],
      isOrdered: line.isOrdered && nested.length === 0,
    },
  };
}

/** A command, and those that it starts by its arguments. */
function withInner(command: StartedCommand): readonly StartedCommand[] {
  const inner = innerCommands(command);
  return inner === undefined || inner === "unknown" ? [command] : [command, ...inner.flatMap(withInner)];
}

function firstOf({ words }: StartedCommand): string {
  return words[0]?.value ?? "";
}

/** What `echo` and `printf` give to a shell behind them. */
function printedTexts({ words }: StartedCommand): readonly string[] {
  const [program, ...rest] = words.map(({ value }) => value);
  return program === "echo" || program === "printf" ? [rest.join(" ")] : [];
}

export function programOf(word: string): string {
  return word.replace(/^.*\//, "");
}

export function isRunner(program: string): boolean {
  return RUNNERS.has(programOf(program));
}

/** Whether it starts others, and which ones is not told by its form. */
function mayRunAny(command: StartedCommand): boolean {
  const name = programOf(firstOf(command));
  const inner = innerCommands(command);
  return isRunner(name) && (inner === "unknown" || (inner === undefined && name !== "find"));
}

/** Arguments of a runner that may be scripts. A script needs no space: `cat${IFS}x`. */
function scriptsOf(command: StartedCommand): readonly string[] {
  const name = programOf(firstOf(command));
  if (!mayRunAny(command)) return [];
  const known = command.words.slice(1).map(({ value }) => value ?? "");
  const isScript = /^(?:eval|trap)$/.test(name) || SHELLS.test(name) ? /[^\w./:=@%+,-]/ : /\s/;
  return [...known.filter((word) => isScript.test(word)), ...(name === "eval" ? [known.join(" ")] : [])];
}

function formsOf(command: StartedCommand, cwd: string): readonly string[] {
  const [program = "", ...args] = command.words.map(({ value }) => value ?? "");
  if (program === "") return [];
  const name = programOf(program);
  const git = name === "git" ? [["git", ...withoutGitOptions(args)].join(" ")] : [];
  const tails = mayRunAny(command)
    ? args
        .slice(0, MAX_TAILS)
        .map((word, at) => [programOf(word.replace(/^\w+=/, "")), ...args.slice(at + 1)].join(" "))
    : [];
  return [
    [program, ...args].join(" "),
    ...namesOf(program, cwd).map((it) => [it, ...args].join(" ")),
    ...git,
    ...tails,
  ];
}

/** The name, and that of the file to which a path leads. */
function namesOf(program: string, cwd: string): readonly string[] {
  const name = programOf(program);
  return program.includes("/") ? [...new Set([name, basename(realPath(resolveAsPrograms(cwd, program)))])] : [name];
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
