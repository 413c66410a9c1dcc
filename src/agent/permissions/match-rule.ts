import { join } from "node:path";
import { escapePattern } from "../../redact/escape-pattern.js";
import { globMatcher } from "../tools/search/glob-matcher.js";
import { realPath } from "../workspace.js";
import type { Rule } from "./rule.js";
import { shellWords, splitCommand } from "./shell-syntax.js";

/** Programs that run other commands. */
const RUNNERS: ReadonlySet<string> = new Set(
  "sudo doas su env nohup time timeout nice ionice stdbuf xargs parallel watch command builtin exec eval setsid flock find fd strace chroot unshare taskset script coproc function trap bash sh zsh dash ksh busybox".split(
    " ",
  ),
);
const MAX_NESTING = 4;
const MAX_TAILS = 200;

/** `git diff:*` and `git diff *` match a prefix, `npm run test` matches exactly, and any other `*` matches any text. */
export function matchesCommand(spec: string, command: string): boolean {
  const beginning = /^([^*]*)(?::| )\*$/.exec(spec)?.[1]?.trim();
  if (beginning !== undefined) {
    return command === beginning || command.startsWith(`${beginning} `);
  }
  if (!spec.includes("*")) return command === spec;
  const pattern = spec.split("*").map(escapePattern).join("[\\s\\S]*");
  return new RegExp(`^${pattern}$`).test(command);
}

export function isRunner(command: string): boolean {
  return RUNNERS.has(programOf(shellWords(command).find(({ text }) => !isAssignment(text))?.text ?? ""));
}

/** Every form of the command without quotes, assignments, folders and wrappers; deny rules are matched against all. */
export function commandForms(command: string, nesting = 0): readonly string[] {
  const words = shellWords(command).map(({ text }) => text);
  const from = words.findIndex((word) => !isAssignment(word));
  const [program = "", ...rest] = from < 0 ? [] : words.slice(from);
  const name = programOf(program);
  const plain = [command, [program, ...rest].join(" "), [name, ...rest].join(" ")];
  if (name === "git") return [...plain, ["git", ...withoutGitOptions(rest)].join(" ")];
  if (!RUNNERS.has(name) || nesting >= MAX_NESTING) return plain;
  const tails = rest.slice(0, MAX_TAILS).map((word, at) => [programOf(word), ...rest.slice(at + 1)].join(" "));
  const scripts = rest.filter((word) => /\s/.test(word)).flatMap((word) => splitCommand(word).commands);
  return [...plain, ...tails, ...scripts.flatMap((script) => commandForms(script, nesting + 1))];
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word);
}

function programOf(word: string): string {
  return word.replace(/^.*\//, "");
}

/** Removes the options before the subcommand; `-C` and `-c` take a value. */
function withoutGitOptions(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined || !first.startsWith("-")) return words;
  return withoutGitOptions(first === "-C" || first === "-c" ? rest.slice(1) : rest);
}

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** `//x` is absolute, `~/x` in the home folder, `/x` in the folder of the settings, anything else in the working directory. */
export function pathMatcher({ spec, base }: Rule, place: Place): (path: string) => boolean {
  if (spec === undefined) return () => true;
  const [folder, pattern] = splitSpec(spec.replace(/^\.\//, "").replace(/\/+$/, ""), base, place);
  const [plain = ""] = /^(?:\/[^/*?[\]{}()!+@\\]+)*(?=\/|$)/.exec(pattern) ?? [];
  const rest = pattern.slice(plain.length);
  // Paths are compared with links resolved, so a rule about a link must match its target too.
  const beginnings = [folder + plain, realPath(folder + plain || "/").replace(/^\/$/, "")].map(escapeGlob);
  return globMatcher([...new Set(beginnings)].flatMap((beginning) => [beginning + rest, `${beginning}${rest}/**`]));
}

/** The literal folder, and the pattern below it. */
function splitSpec(spec: string, base: string, { cwd, home }: Place): readonly [string, string] {
  if (spec.startsWith("//")) return ["", spec.slice(1)];
  if (spec.startsWith("~/")) return [home, spec.slice(1)];
  if (spec.startsWith("/")) return [base, spec];
  return spec.includes("/") ? below(cwd, spec) : [cwd, `/**/${spec}`];
}

/** Moves leading `../` from the pattern to the folder. */
function below(folder: string, spec: string): readonly [string, string] {
  const [up = ""] = /^(?:\.\.\/)*/.exec(spec) ?? [];
  return [join(folder, up).replace(/\/$/, ""), `/${spec.slice(up.length)}`];
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|^$"']/g, "\\$&");
}
