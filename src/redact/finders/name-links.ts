import type { Tie } from "../judge/judge-value.js";
import type { AssignedName } from "./assigned-name.js";

/** What is between a name and its value. */
export interface Link {
  readonly end: number;
  /** How it ties a quoted value, and one without quotes, to the name. */
  readonly quoted: Tie;
  readonly bare: Tie;
  /** A bare value counts only if nothing follows on its line. */
  readonly isLineOnly?: boolean;
}

/** The first notation that matches the text after a name. */
export function findLink(text: string, name: AssignedName): Link | undefined {
  const before = text.charAt(name.start - 1);
  if (before === "<" && text.charAt(name.end) === ">") {
    const inner = /^>(?:<(?:value|string)>)?/i.exec(text.slice(name.end, name.end + 9))?.[0] ?? ">";
    return { end: name.end + inner.length, quoted: "quoted", bare: "tight" };
  }
  if (before === ":" && /^:\S/.test(text.slice(name.end, name.end + 2))) return undefined; // arn:…:secret:…
  const isPathEnd = before === "/" || before === "\\"; // /etc/passwd
  for (const [pattern, toTies] of isPathEnd ? PATH_NOTATIONS : NOTATIONS) {
    pattern.lastIndex = name.end;
    const ties = pattern.test(text) ? toTies(text, name, pattern.lastIndex) : undefined;
    if (ties) return { end: pattern.lastIndex, ...ties };
  }
  return undefined;
}

const QUOTE = "(?:\\\\*[\"'`]|&quot;|&#34;)";
const SIGN = "={1,3}>?|!==?|:=|\\?=|:|\\\\+u003[adAD]|%3[AaDd]";
const TYPED = ":[ \\t]*[\\w&][\\w<>[\\]|&?' ]{0,30} = "; // const KEY: string = …
const NEW_LINE = "(?:\\r?\\n|\\\\+n)";
const BLOCK = `(?:[|>][-+]?[ \\t]*${NEW_LINE}[ \\t]+)?`; // YAML's password: |
const REMARK = "(?: #?\\d{1,2}| I[Dd](?=[ \\t]*[:=])| \\([\\w .,/@-]{1,32}\\)| \\[[\\w*.-]{0,24}\\])?"; // Unseal Key 1: …, Secret Access Key [None]: …
const sticky = (source: string) => new RegExp(source, "y");

const ASSIGNED = sticky(`${QUOTE}?\\]?\\*{0,2}${REMARK}[ \\t]*(?:${TYPED}|${SIGN})\\*{0,2}[ \\t]*${BLOCK}`);
const ASSIGNED_BELOW = sticky(`[ \\t]*:?=[ \\t]*\\(?[ \\t]*${NEW_LINE}[ \\t]*(?=${QUOTE})`);
// "db_password": { "value": "…" }
const NESTED = sticky(`${QUOTE}[ \\t]*:[ \\t]*\\{[^{}]{0,120}?${QUOTE}value${QUOTE}[ \\t]*:[ \\t]*(?=${QUOTE})`);
const DEFAULTED = sticky(`:?[-=](?=[^}\\n]{1,256}\\})`); // ${API_KEY:-…}
const VALUE_FIELD = sticky(`${QUOTE}?,?(?:\\s|\\\\+[nrt])*${QUOTE}?(?:[vV]alue|content)${QUOTE}?[ \\t]*[:=][ \\t]*`);
const ELEMENT = sticky(`${QUOTE}?[^<>\\n]{0,80}>\\s*(?:<(?:value|string)>)?(?=[^<\\s])`);
const PLIST = sticky("</key>(?:\\s|\\\\+[nrt]){0,32}<string>");
const BLOCK_DEFAULT = sticky(`${QUOTE}\\s*\\{[^{}]{0,200}?\\bdefault\\s*=\\s*`); // variable "api_key" { default = "…" }
const LISTED = sticky(`${QUOTE}[ \\t]*,\\s*(?=${QUOTE})|${QUOTE}?\\)?[ \\t]*(?:\\|\\|?|[│┃║]|\\?\\?)[ \\t]*`);
const CALLED = sticky(`\\([ \\t]*(?=${QUOTE})`);
const HERE_STRING = sticky("[ \\t]*<<<[ \\t]*");
const SAID = sticky(
  "[ \\t]+(?:is|was|are|to|as|equals|becomes|lautet|ist|est|es|è|é)(?=[\\s:])(?:[ \\t]+(?:now|currently|still))?(?:[ \\t]+(?:set|changed|reset)[ \\t]+to)?:?[ \\t]*",
);
// The password for the database is …, Password for dana: …
const QUALIFIED = sticky(
  "(?:[ \\t]+(?:for|of|on|in|at|to|from|für|von|pour|de|du|para|del)(?:[ \\t]+[\\w@.'/-]{1,32}){1,4}?)(?:[ \\t]*[:=]|[ \\t]+(?:is|was|lautet|ist|est|es)\\b:?)[ \\t]*",
);
const DASHED = sticky("[ \\t]*(?:->|→|=>)[ \\t]*|[ \\t]+[-–—][ \\t]+");
const NEAR = sticky(`${QUOTE}?[ \\t]+(?:[057] )?(?:\\\\\\n[ \\t]*)?`);
const NEXT_LINE = sticky(
  `\\*{0,2}:?\\*{0,2}[ \\t]*(?:${NEW_LINE}[ \\t>]{0,16}){1,3}(?:\`{3}\\w*${NEW_LINE}[ \\t]{0,16})?`,
);

type Ties = Omit<Link, "end">;
type ToTies = (text: string, name: AssignedName, end: number) => Ties | undefined;

type Notation = readonly [RegExp, ToTies];

const PATH_NOTATIONS: readonly Notation[] = [
  [
    ASSIGNED,
    (text, name, end) => {
      const bare = bareTie(text, name, end);
      return { quoted: bare === "line" ? "line" : "quoted", bare };
    },
  ],
];

const NOTATIONS: readonly Notation[] = [
  [VALUE_FIELD, (text, name) => (isNameOfField(text, name) ? { quoted: "quoted", bare: "loose" } : undefined)],
  [DEFAULTED, (text, name) => (isExpansion(text, name) ? { quoted: "quoted", bare: "tight" } : undefined)],
  [ASSIGNED_BELOW, () => QUOTED],
  [NESTED, () => QUOTED],
  [NEXT_LINE, nextLineTies],
  ...PATH_NOTATIONS,
  [PLIST, (text, name) => (text.charAt(name.start - 1) === ">" ? { quoted: "quoted", bare: "tight" } : undefined)],
  [ELEMENT, (text, name) => (isNameOfElement(text, name) ? { quoted: "quoted", bare: "tight" } : undefined)],
  [BLOCK_DEFAULT, (text, name) => (isBefore(text, name, /\bvariable\s+\\*"$/) ? QUOTED : undefined)],
  [LISTED, listedTies],
  [CALLED, (text, name) => (isSetter(text, name) ? { quoted: "listed", bare: "near" } : undefined)],
  [HERE_STRING, () => ({ quoted: "quoted", bare: "tight" })],
  [SAID, () => ({ quoted: "quoted", bare: "said" })],
  [QUALIFIED, () => ({ quoted: "listed", bare: "said" })],
  [DASHED, () => ({ quoted: "listed", bare: "said" })],
  [NEAR, nearTies],
];

const QUOTED: Ties = { quoted: "quoted", bare: "near" };

/** Whether a pattern matches the end of what stands before a name. */
function isBefore(text: string, name: AssignedName, pattern: RegExp): boolean {
  return pattern.test(text.slice(Math.max(0, name.start - LOOK_BACK), name.start));
}

const LOOK_BACK = 64;

const isExpansion = (text: string, name: AssignedName) => isBefore(text, name, /\$\{$/);

function bareTie(text: string, name: AssignedName, valueStart: number): Tie {
  if (text.slice(name.end, valueStart) !== "=") return "loose";
  const isCapital = /^[A-Z][A-Z0-9_]*$/.test(name.text);
  const lineStart = text.slice(Math.max(0, name.start - 24), name.start);
  return isCapital && /(?:^|[\n\r"'`]|\\+n|→|\t)[ +-]*(?:export |set |ENV )?$/.test(lineStart) ? "line" : "tight";
}

/** `name: API_KEY`, `key="ApiKey"`: the name is itself the value of a field called name or key. */
export function isNameOfField(text: string, name: AssignedName): boolean {
  return isBefore(text, name, /(?:name|key|variable)[\\"']*[ \t]*[:=][ \t]*[\\"']*[\w.]{0,32}$/i);
}

/** `<string name="api_key">…`, `<wsse:Password Type="text">…`. */
function isNameOfElement(text: string, name: AssignedName): boolean {
  return isBefore(text, name, /<[\w:.-]{1,32}\s[^<>]{0,48}\b(?:name|key|id)=\\*["'][\w.-]{0,32}$|<[\w.-]{1,16}:$|<$/i);
}

/** `.withApiKey("…")`, `client.setAccessToken("…")`. */
function isSetter(text: string, name: AssignedName): boolean {
  return /^(?:set|with|use|add|put)[A-Z_]/.test(name.text) || isBefore(text, name, /\.(?:set|with|use|add|put)_?$/);
}

function listedTies(text: string, name: AssignedName, end: number): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  const isOneLine = !text.slice(name.end, end).includes("\n");
  return isOneLine ? { quoted: "listed", bare: "listed" } : undefined;
}

function nearTies(text: string, name: AssignedName): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  if (/^requirepass$|^masterauth$/.test(name.text)) return { quoted: "quoted", bare: "tight" }; // redis.conf
  if (/^password$/i.test(name.text)) {
    const isNetrc = isBefore(text, name, /\blogin\s+\S{1,40}\s+$/); // .netrc
    return { quoted: "quoted", bare: isNetrc ? "tight" : "near" }; // PASSWORD 'x' in SQL
  }
  if (isBefore(text, name, SET_BEFORE)) return { quoted: "loose", bare: "loose" };
  const isWord = /^[A-Za-z]?[a-z]+$|^[A-Z]+$| /.test(name.text);
  return isWord ? { quoted: "near", bare: "near" } : { quoted: "listed", bare: "near" }; // (setq api-key "…")
}

// ENV API_KEY x in a Dockerfile, setx API_KEY x, #define API_KEY "x", aws configure set …
const SET_BEFORE =
  /(?:\bENV|\bsetx?|\s-g?x|#[ \t]*define|\bsetenv|\b(?:config|configure|secrets?|env)[ \t]+set)[ \t]+[^\s=]{0,40}$|\badd-$/i;

/** `API key:` and the value on the next line, alone or as a block of code. */
function nextLineTies(text: string, name: AssignedName, end: number): Ties | undefined {
  const between = text.slice(name.end, end);
  if (!between.includes("\n") && !between.includes("\\n")) return undefined;
  return text.charAt(end) === "-" ? undefined : { quoted: "near", bare: "near", isLineOnly: true };
}
