import { isOfKind } from "../command/argument-kinds.js";
import { readArguments } from "../command/read-arguments.js";
import type { StartedWord } from "../command/started-commands.js";

/** Variables that only set values: none of them changes which programs a shell starts, or where it looks for files. */
const VALUES =
  /^(?:(?!npm_|pnpm_|yarn_|bun_|pip_)(?!\w*_proxy$)[a-z_][a-z\d_]*|CI|DEBUG|FORCE_COLOR|NO_COLOR|LANG|LC_ALL|NODE_ENV|PORT|HOST|RUST_BACKTRACE|RUST_LOG|TZ|VERBOSE|[A-Z])$/;

/** `A=1`, `A+=1`, `A`. */
export function setsValue(text: string): boolean {
  return VALUES.test(text.replace(/\+?=[\s\S]*$/, ""));
}

/** Builtins that set variables or evaluate their arguments: whether this call does nothing but set values. */
export function isPlainBuiltin(name: string, words: readonly StartedWord[]): boolean | undefined {
  const known = words.flatMap(({ value, isCertain, pieces }) =>
    value !== undefined && isCertain && pieces.every(({ kind }) => kind === "text") ? value : [],
  );
  const isLiteral = known.length === words.length;
  switch (name) {
    case "export":
    case "local":
    case "readonly":
    case "declare":
    case "typeset":
      // The value may be anything, the name not.
      return words.every(({ value }) => value !== undefined && setsValue(value));
    case "unset":
      return isLiteral && known.every(setsValue);
    case "read": {
      const call = readArguments(known, { flags: "ers", values: { text: "d p", number: "n N t" }, operands: "path" });
      return isLiteral && "paths" in call && call.paths.every((path) => VALUES.test(path));
    }
    case "set":
      return isLiteral && known.every((word) => /^(?:[-+][eux]+|-euo|-o|pipefail)$/.test(word));
    case "jobs":
      return isLiteral && known.every((word) => /^(?:-[lnprs]+|%\w+)$/.test(word));
    case "wait":
      return isLiteral && known.every((word) => /^(?:%?\d+|%%|-n)$/.test(word));
    case "printf":
      return isCertainly(words[0]) && isOfKind(words[0]?.value ?? "-", "printf format");
    case "test":
      return isPlainTest(words);
    case "[":
      return words.at(-1)?.value === "]" && isPlainTest(words.slice(0, -1));
    case "getopts":
    case "let":
    case "mapfile":
    case "readarray":
      return false;
    default:
      return undefined;
  }
}

/** One comparison. The names of variables (`-v`) and several conditions would evaluate text. */
function isPlainTest(words: readonly StartedWord[]): boolean {
  const [first, second, third] = words[0]?.value === "!" ? words.slice(1) : words;
  const count = words.length - (words[0]?.value === "!" ? 1 : 0);
  if (!words.every(({ isCertain, pieces }) => isCertain && !pieces.some(({ kind }) => kind === "glob"))) return false;
  if (count === 1) return first?.value !== "!";
  if (count === 2) return /^-[defhLnrswxz]$/.test(first?.value ?? "");
  return count === 3 && third !== undefined && /^(?:!?==?|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(second?.value ?? "");
}

function isCertainly(word: StartedWord | undefined): boolean {
  return (word?.isCertain ?? false) && word?.value !== undefined;
}
