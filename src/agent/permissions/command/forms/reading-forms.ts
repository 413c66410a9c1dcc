import { READS_NOTHING, type ReadCall, readArguments } from "../read-arguments.js";
import { READERS } from "../readers.js";
import { awkVariable, readAwkProgram } from "./awk-program.js";
import { type ReadInner, readFind } from "./find-expression.js";
import { readXargs } from "./xargs-names.js";

/** Programs whose arguments are an expression or a program rather than options and operands. */
export const READING_FORMS: ReadonlyMap<string, (args: readonly string[]) => ReadCall> = new Map([
  ["awk", readAwk],
  ["find", (args: readonly string[]) => readFind(args, readInner)],
  ["set", readSet],
  ["test", readTest],
  ["[", (args: readonly string[]) => (args.at(-1) === "]" ? readTest(args.slice(0, -1)) : refused("it has no `]`"))],
  ["xargs", (args: readonly string[]) => readXargs(args, readInner)],
]);

/** A program that another one starts with names of files. */
const readInner: ReadInner = (program, args) => {
  const reader = READERS.get(program);
  const isProgram = reader && (!reader.isBuiltin || /^(?:echo|printf)$/.test(program));
  if (!isProgram) return { problem: `\`${program}\` is not known to only read` };
  if (reader.readsAtFiles) return { problem: `\`${program}\` may take options from a file` };
  const call = readArguments(args, reader);
  const isPlain = "problem" in call || !(call.takesNoFolders || call.args);
  return isPlain ? call : { problem: `\`${program}\` follows links in folders` };
};

/** Options that set separators and variables, a program of the harmless part of the language, and files. */
function readAwk(args: readonly string[]): ReadCall {
  const printed: string[] = [];
  let at = 0;
  for (; at < args.length && args[at]?.startsWith("-"); at += 1) {
    const [, letter = "", glued = ""] = /^-([Fv])([\s\S]*)$/.exec(args[at] ?? "") ?? [];
    if (letter === "") break;
    if (glued === "") at += 1;
    const value = glued === "" ? (args[at] ?? "") : glued;
    const [, name = "", text = ""] = /^([A-Za-z_]\w*)=([^\n@]*)$/.exec(value) ?? [];
    const variable = letter === "v" && name !== "" ? awkVariable(name) : undefined;
    if (letter === "F" ? value === "" || value.includes("\n") : variable === undefined)
      return refused(`\`-${letter} ${value}\` is not plain`);
    printed.push(`-${letter}`, letter === "F" ? value : `${variable}=${text}`);
  }
  if (args[at] === "--") at += 1;
  const program = readAwkProgram(args[at] ?? "");
  if (!program || program.startsWith("-")) return refused("its program is not known to only read");
  const files = args.slice(at + 1);
  // `a=b` would set a variable.
  if (files.some((file) => /^(?:-|[A-Za-z_]\w*=)/.test(file))) return refused("an argument is not a plain file");
  return { ...READS_NOTHING, paths: files, args: [...printed, program, ...files] };
}

/** `set -e`, `set -euo pipefail`: how errors end the line. Without arguments it prints all variables. */
function readSet(args: readonly string[]): ReadCall {
  const isPlain = /^(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$)+/;
  let rest = args.join(" ");
  while (isPlain.test(rest)) rest = rest.replace(isPlain, "");
  return args.length > 0 && rest === "" ? READS_NOTHING : refused("only options about errors are known to be harmless");
}

/** One comparison. Variables by name (`-v`) and arithmetic would evaluate their text. */
function readTest(args: readonly string[]): ReadCall {
  const words = args[0] === "!" ? args.slice(1) : args;
  const [first = "", second = "", third = ""] = words;
  if (words.length === 2 && /^-[defhLrswx]$/.test(first)) return { ...READS_NOTHING, paths: [second] };
  const isText = words.length === 2 && /^-[nz]$/.test(first);
  const isCompared = words.length === 3 && /^!?=$/.test(second);
  const isCounted =
    words.length === 3 && /^-(?:eq|ne|lt|le|gt|ge)$/.test(second) && /^\d+ \d+$/.test(`${first} ${third}`);
  return isText || isCompared || isCounted ? READS_NOTHING : refused("only plain comparisons are known to only read");
}

function refused(problem: string): ReadCall {
  return { problem };
}
