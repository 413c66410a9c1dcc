import { isOfKind, type Kind } from "../argument-kinds.js";
import type { ReadCall } from "../read-arguments.js";

/** Programs whose arguments are an expression rather than options and operands. */
export const READING_FORMS: ReadonlyMap<string, (args: readonly string[]) => ReadCall> = new Map([
  ["find", readFind],
  ["set", readSet],
  ["test", readTest],
  ["[", (args: readonly string[]) => (args.at(-1) === "]" ? readTest(args.slice(0, -1)) : refused("it has no `]`"))],
]);

/** `set -e`, `set -euo pipefail`: how errors end the line. Without arguments it prints all variables. */
function readSet(args: readonly string[]): ReadCall {
  const isPlain = /^(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$)+/;
  let rest = args.join(" ");
  while (isPlain.test(rest)) rest = rest.replace(isPlain, "");
  return args.length > 0 && rest === ""
    ? { paths: [], searchesFolders: false, takesNoFolders: false }
    : refused("only options about errors are known to be harmless");
}

/** Words of an expression without a value. Those that delete, run or write, and `-follow`, are left out. */
const FIND_WORDS =
  "! ( ) , -a -and -daystart -depth -empty -executable -false -ls -mount -noleaf -not -o -or -print -print0 -prune -quit -readable -true -writable -xdev".split(
    " ",
  );
/** Words with a value, by its kind. */
const FIND_VALUES: Partial<Record<Kind, string>> = {
  pattern: "-iname -ipath -iregex -name -path -regex -wholename",
  number: "-amin -atime -cmin -ctime -links -maxdepth -mindepth -mmin -mtime -size",
  word: "-group -perm -regextype -type -user",
  date: "-newermt",
  path: "-newer -samefile",
  text: "-printf",
};

function readFind(args: readonly string[]): ReadCall {
  const isExpression = (word: string) => word.startsWith("-") || /^[!(),]$/.test(word);
  const from = args.findIndex((word) => isExpression(word) && word !== "-P");
  const starts = (from < 0 ? args : args.slice(0, from)).filter((word) => word !== "-P");
  const paths = [...starts];
  const words = from < 0 ? [] : args.slice(from);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (FIND_WORDS.includes(word)) continue;
    const kind = Object.entries(FIND_VALUES).find(([, names]) => names.split(" ").includes(word))?.[0] as
      | Kind
      | undefined;
    if (kind === undefined) return refused(`\`${word}\` is not known to only read`);
    at += 1;
    const value = words[at];
    if (value === undefined) return refused(`\`${word}\` has no value`);
    if (kind === "path") paths.push(value);
    else if (!isOfKind(value, kind)) return refused(`\`${value}\` is not a plain ${kind}`);
  }
  return { paths, searchesFolders: false, takesNoFolders: false };
}

/** One comparison. Variables by name (`-v`) and arithmetic would evaluate their text. */
function readTest(args: readonly string[]): ReadCall {
  const words = args[0] === "!" ? args.slice(1) : args;
  const [first = "", second = "", third = ""] = words;
  if (words.length === 2 && /^-[defhLrswx]$/.test(first))
    return { paths: [second], searchesFolders: false, takesNoFolders: false };
  const isText = words.length === 2 && /^-[nz]$/.test(first);
  const isCompared = words.length === 3 && /^!?=$/.test(second);
  const isCounted =
    words.length === 3 && /^-(?:eq|ne|lt|le|gt|ge)$/.test(second) && /^\d+ \d+$/.test(`${first} ${third}`);
  return isText || isCompared || isCounted
    ? { paths: [], searchesFolders: false, takesNoFolders: false }
    : refused("only plain comparisons are known to only read");
}

function refused(problem: string): ReadCall {
  return { problem };
}
