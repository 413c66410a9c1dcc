import type { Tie } from "./judge-value.js";
import type { AssignedName } from "./read-name.js";

/** What stands between a name and its value. */
export interface Link {
  readonly end: number;
  /** How a quoted value, and a value without quotes, is tied to the name by it. */
  readonly quoted: Tie;
  readonly bare: Tie;
}

/** The first notation that fits what follows a name. */
export function findLink(text: string, name: AssignedName): Link | undefined {
  const before = text.charAt(name.start - 1);
  if (before === "<" && text.charAt(name.end) === ">") return { end: name.end + 1, quoted: "quoted", bare: "tight" };
  if (before === ":" && text.charAt(name.end) === ":") return undefined; // arn:…:secret:…
  const isPathEnd = before === "/" || before === "\\"; // /etc/passwd
  for (const [pattern, toTies] of isPathEnd ? NOTATIONS.slice(0, 1) : NOTATIONS) {
    pattern.lastIndex = name.end;
    const ties = pattern.test(text) ? toTies(text, name, pattern.lastIndex) : undefined;
    if (ties) return { end: pattern.lastIndex, ...ties };
  }
  return undefined;
}

const QUOTE = "(?:\\\\*[\"'`]|&quot;|&#34;)";
const SIGN = "={1,3}>?|!==?|:=|:|\\\\+u003[adAD]|%3[AaDd]";
const TYPED = ":[ \\t]*[\\w&][\\w<>[\\]|&?' ]{0,30} = "; // const KEY: string = …
const BLOCK = "(?:[|>][-+]?[ \\t]*(?:\\n|\\\\+n)[ \\t]+)?"; // YAML's password: |
const DEFAULT = "(?: \\[[\\w*.-]{0,24}\\])?"; // aws configure: Secret Access Key [None]: …
const sticky = (source: string) => new RegExp(source, "y");

const ASSIGNED = sticky(`${QUOTE}?\\]?\\*{0,2}${DEFAULT}[ \\t]*(?:${TYPED}|${SIGN})\\*{0,2}[ \\t]*${BLOCK}`);
const VALUE_FIELD = sticky(`${QUOTE}?,?(?:\\s|\\\\+[nrt])*${QUOTE}?[vV]alue${QUOTE}?[ \\t]*[:=][ \\t]*`);
const LISTED = sticky(`${QUOTE}[ \\t]*,\\s*(?=${QUOTE})|${QUOTE}?\\)?[ \\t]*(?:\\|\\|?|\\?\\?)[ \\t]*`);
const SAID = sticky("[ \\t]+(?:is|was|to|as)\\b:?[ \\t]*");
const NEAR = sticky(`${QUOTE}?[ \\t]+`);

type Ties = Omit<Link, "end">;
type ToTies = (text: string, name: AssignedName, end: number) => Ties | undefined;

const NOTATIONS: readonly (readonly [RegExp, ToTies])[] = [
  [ASSIGNED, (text, name, end) => ({ quoted: "quoted", bare: bareTie(text, name, end) })],
  [VALUE_FIELD, (text, name) => (isNameOfField(text, name) ? { quoted: "quoted", bare: "loose" } : undefined)],
  [LISTED, listedTies],
  [SAID, () => ({ quoted: "quoted", bare: "said" })],
  [NEAR, nearTies],
];

function bareTie(text: string, name: AssignedName, valueStart: number): Tie {
  if (text.slice(name.end, valueStart) !== "=") return "loose";
  const isCapital = /^[A-Z][A-Z0-9_]*$/.test(name.text);
  const lineStart = text.slice(Math.max(0, name.start - 24), name.start);
  return isCapital && /(?:^|[\n\r"'`]|\\+n|→|\t)[ +-]*(?:export |set |ENV )?$/.test(lineStart) ? "line" : "tight";
}

/** `name: API_KEY`, `key="ApiKey"`: the name is itself the value of a field that is called so. */
function isNameOfField(text: string, name: AssignedName): boolean {
  return /(?:name|key|variable)[\\"']*[ \t]*[:=][ \t]*[\\"']*$/i.test(
    text.slice(Math.max(0, name.start - 24), name.start),
  );
}

function listedTies(text: string, name: AssignedName, end: number): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  const isOneLine = !text.slice(name.end, end).includes("\n");
  return isOneLine ? { quoted: "listed", bare: "listed" } : undefined;
}

function nearTies(text: string, name: AssignedName): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  if (/^password$/i.test(name.text)) return { quoted: "quoted", bare: "near" }; // PASSWORD 'x' in SQL
  const isSet = /(?:\bENV|\bsetx?|\s-g?x)[ \t]+$/i.test(text.slice(Math.max(0, name.start - 8), name.start));
  if (isSet) return { quoted: "loose", bare: "loose" }; // ENV API_KEY x in a Dockerfile, setx API_KEY x
  const isWord = /^[A-Za-z]?[a-z]+$|^[A-Z]+$| /.test(name.text);
  return isWord ? { quoted: "near", bare: "near" } : undefined;
}
