import { isOfKind, type Kind } from "../argument-kinds.js";
import type { Opened, ReadCall } from "../read-arguments.js";

/** In place of a name that is known only when it runs. No argument can contain it. */
export const NAME = "\0";

/** What a program opens that gets the names of files: these must be plain operands of a program that only reads. */
export type ReadInner = (program: string, args: readonly string[]) => Opened | { readonly problem: string };

/** Words of an expression without a value. Those that delete, run or write, and `-follow`, are left out. */
const WORDS =
  "! ( ) , -a -and -daystart -depth -empty -executable -false -ls -mount -noleaf -not -o -or -print -print0 -prune -quit -readable -true -writable -xdev".split(
    " ",
  );
/** Words with a value, by its kind. */
const VALUES: Partial<Record<Kind, string>> = {
  pattern: "-iname -ipath -iregex -name -path -regex -wholename",
  number: "-amin -atime -cmin -ctime -links -maxdepth -mindepth -mmin -mtime -size",
  word: "-group -perm -regextype -type -user",
  date: "-newermt",
  path: "-newer -samefile",
  text: "-printf",
};

/** `find` that prints, or runs a reading program on what it finds. */
export function readFind(args: readonly string[], readInner: ReadInner): ReadCall {
  const isExpression = (word: string) => word.startsWith("-") || /^[!(),]$/.test(word);
  const from = args.findIndex((word) => isExpression(word) && word !== "-P");
  const starts = (from < 0 ? args : args.slice(0, from)).filter((word) => word !== "-P");
  const paths = starts.length > 0 ? [...starts] : ["."];
  const words = from < 0 ? [] : args.slice(from);
  const printed: string[] = [];
  const programs: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "-exec") {
      const inner = readExecuted(words.slice(at + 1), readInner);
      if ("problem" in inner) return inner;
      paths.push(...inner.paths);
      programs.push(inner.program);
      // Links may lead elsewhere. What is found otherwise is below the folder where the search starts, and named so.
      printed.push("(", "!", "-type", "l", ...words.slice(at, at + 1 + inner.count), ")");
      at += inner.count;
      continue;
    }
    printed.push(word);
    if (WORDS.includes(word)) continue;
    const kind = Object.entries(VALUES).find(([, names]) => names.split(" ").includes(word))?.[0] as Kind | undefined;
    if (kind === undefined) return { problem: `\`${word}\` is not known to only read` };
    at += 1;
    const value = words[at];
    if (value === undefined) return { problem: `\`${word}\` has no value` };
    if (kind === "path") paths.push(value);
    else if (!isOfKind(value, kind)) return { problem: `\`${value}\` is not a plain ${kind}` };
    printed.push(value);
  }
  const isPlain = programs.length === 0;
  const rewritten = isPlain ? {} : { args: [...starts, ...printed], starts: programs };
  return { paths, searchesFolders: !isPlain, takesNoFolders: false, ...rewritten };
}

interface Executed {
  readonly program: string;
  readonly paths: readonly string[];
  /** Words up to the `;` or `+` behind it. */
  readonly count: number;
}

function readExecuted(words: readonly string[], readInner: ReadInner): Executed | { readonly problem: string } {
  const end = words.findIndex((word, at) => word === ";" || (word === "+" && words[at - 1] === "{}"));
  const [program = "", ...args] = words.slice(0, Math.max(end, 0));
  const isPlain = [program, ...args].every((word) => word === "{}" || !word.includes("{}"));
  if (program === "" || program === "{}" || !isPlain || !args.includes("{}"))
    return { problem: "what it runs is not known to only read" };
  const isMany = words[end] === "+";
  const given = args.map((word) => (word === "{}" ? NAME : word));
  const call = readInner(program, isMany ? [...given, NAME, NAME] : given);
  if ("problem" in call) return call;
  return { program, paths: call.paths.filter((path) => path !== NAME), count: end + 1 };
}
