import { quote } from "../print-command.js";
import type { ReadCall } from "../read-arguments.js";
import { NAME, type ReadInner } from "./find-expression.js";

interface Options {
  /** How names are separated: by zeros, or as the words say. */
  readonly split: readonly string[];
  /** How they are passed on. */
  readonly passed: readonly string[];
  readonly replaced: string | undefined;
  /** Where the program stands. */
  readonly end: number;
}

/** Programs that print what they get. */
const PRINTERS = /^(?:echo|printf|basename|dirname)$/;

/**
 * `xargs` with a program that only reads. Which names come is known only when it runs, and they may be anything: a filter in front
 * of the program lets only those pass that are below the folder, not behind a link, and cannot be options.
 */
export function readXargs(args: readonly string[], readInner: ReadInner): ReadCall {
  const options = readOptions(args);
  if ("problem" in options) return options;
  const { replaced, end } = options;
  const [program = "echo", ...own] = args.slice(end);
  const isPlain = own.every((word) => replaced === undefined || word === replaced || !word.includes(replaced));
  if (!isPlain || program === replaced) return { problem: "what it runs is not known to only read" };
  const given = replaced === undefined ? [...own, NAME, NAME, NAME] : own.map((it) => (it === replaced ? NAME : it));
  const count = given.filter((word) => word === NAME).length;
  const call = readInner(program, given);
  if ("problem" in call) return call;
  const names = call.paths.filter((path) => path === NAME).length;
  const isPrinted = names === 0 && PRINTERS.test(program);
  if (count === 0 || (names !== count && !isPrinted)) return { problem: "what it runs takes more than names of files" };
  return {
    paths: [".", ...call.paths.filter((path) => path !== NAME)],
    searchesFolders: !isPrinted,
    takesNoFolders: false,
    starts: ["printf", program],
    args: end < args.length ? undefined : [...args, program],
    print: isPrinted ? undefined : (roots) => printFiltered(options, [program, ...own], roots),
  };
}

function readOptions(args: readonly string[]): Options | { readonly problem: string } {
  let split: readonly string[] = [];
  let replaced: string | undefined;
  const passed: string[] = [];
  let at = 0;
  for (; at < args.length && args[at]?.startsWith("-"); at += 1) {
    const [, letter = "", glued = ""] = /^-([0rnPId])([\s\S]*)$/.exec(args[at] ?? "") ?? [];
    const isFlag = /^(?:-[0r]+|--null|--no-run-if-empty)$/.test(args[at] ?? "");
    if (isFlag) {
      if (/^-r*0|null/.test(args[at] ?? "")) split = ["-0"];
      if (/^-0*r|run/.test(args[at] ?? "")) passed.push("-r");
      continue;
    }
    if (!/[nPId]/.test(letter)) return { problem: `its option \`${args[at]}\` is not known to only read` };
    if (glued === "") at += 1;
    const value = glued === "" ? (args[at] ?? "") : glued;
    if (letter === "I" && /^[{}%@_A-Z]{1,8}$/.test(value)) replaced = value;
    else if (letter === "d" && value === "\\n") split = ["-d", "\\n"];
    else if (/[nP]/.test(letter) && /^\d{1,4}$/.test(value)) passed.push(`-${letter}`, value);
    else return { problem: `\`${value}\` is not a plain value of \`-${letter}\`` };
  }
  return { split, passed: replaced === undefined ? passed : [...passed, "-I", replaced], replaced, end: at };
}

function printFiltered(
  { split, passed, replaced }: Options,
  command: readonly string[],
  roots: readonly string[],
): string {
  const words = (list: readonly string[]) => list.map(quote).join(" ");
  const each = replaced === undefined ? [] : ["-I", "{}"];
  const separate = `xargs ${words([...split, ...each, "printf", "%s\\0", ...each.slice(1)])} | `;
  const run = `xargs -0 ${words([...passed, ...command])}`;
  return `{ ${split[0] === "-0" ? "" : separate}${printFilter(roots)} | ${run}\n}`;
}

/** No link among the folders on the way to the file, nor the file itself; none above. */
function printFilter(roots: readonly string[]): string {
  const absolute = roots.map((root) => `${quote(root)}/*) b=${quote(root)}; r=\${n#"$b"/} ;;`);
  return [
    "while IFS= read -r -d '' n",
    "do",
    'case "$n" in',
    "'') continue ;;",
    ...absolute,
    "/*) b=; r= ;;",
    '*) b=.; r="$n" ;;',
    "esac",
    'case "/$r/" in */../*) b= ;; esac',
    'p="$r"',
    'while [ -n "$b" ]',
    "do",
    'if [ -L "$b/$p" ]; then b=; fi',
    `case "$p" in */*) p="\${p%/*}" ;; *) break ;; esac`,
    "done",
    'if [ -z "$b" ]; then echo "xargs: $n: needs approval: a link, or outside of the project" >&2; continue; fi',
    'case "$n" in /*) ;; -*|*=*) n="./$n" ;; esac',
    "printf '%s\\0' \"$n\"",
    "done",
  ].join("\n");
}
