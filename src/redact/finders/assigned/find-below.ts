import { isUnmistakable } from "../../judge/is-unmistakable.js";
import type { NameClass } from "../../judge/judge-name.js";
import { isSecretValue } from "../../judge/judge-value.js";
import type { Stretch } from "../finding.js";

/** The values in a list or map that a name such as `passwords` or `auth` opens: `passwords = {"dana": "…"}`. */
export function readBelow(text: string, name: Stretch, nameClass: NameClass): Stretch[] {
  if (nameClass === "hint" || nameClass === "id") return [];
  const head = HEAD.exec(text.slice(name.end, name.end + 80));
  if (!head) return [];
  const start = name.end + head[0].length;
  const part = text.slice(start, start + MAX_BLOCK);
  const end = head[1] === undefined ? endOfIndented(part) : endOfBrackets(part);
  const isPlural = /s$/i.test(text.slice(name.start, name.end)) && nameClass !== "token";
  return [...part.slice(0, end).matchAll(VALUE)].flatMap((match) => {
    const value = match[2] ?? match[3] ?? "";
    const isFound =
      isUnmistakable(value) || (isPlural && /\d/.test(value) && isSecretValue(value, "password", "tight"));
    const at = start + match.index + match[0].lastIndexOf(value);
    return isFound ? [{ text: value, start: at, end: at + value.length }] : [];
  });
}

const MAX_BLOCK = 400;
const HEAD =
  /^\\*["']?\]?(?:[ \t]*(?::=|[:=]>?)[ \t]*(?:\[\]\w+|[%#@])?([[{(])|[ \t]+([[{(])(?=\\*["'])|:[ \t]*(?:\r?\n|\\n)(?=[ \t]+\S|-[ \t]))/;
const VALUE =
  /(?:^|[:=,[({]|-[ \t]|>)\s*(?:(\\*["'])([^"'\n\\]{8,256})\1|([A-Za-z\d][^\s"',{}[\]()\\]{7,255})(?=\s|$|\\n))/g;

/** Up to the line that is not indented any more. */
const endOfIndented = (part: string) => /(?:\n|\\n)(?![ \t-])/.exec(part)?.index ?? part.length;

function endOfBrackets(part: string): number {
  let depth = 1;
  for (let at = 0; at < part.length; at++) {
    const char = part.charAt(at);
    if (char === "[" || char === "{" || char === "(") depth++;
    else if ((char === "]" || char === "}" || char === ")") && --depth === 0) return at;
  }
  return part.length;
}
