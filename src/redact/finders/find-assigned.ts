import { judgeName, type NameClass } from "../judge/judge-name.js";
import { isSecretValue, type Tie } from "../judge/judge-value.js";
import type { Finder, Finding, Stretch } from "./finding.js";

/** `API_KEY=…`, `"password": "…"`, `token: …`, `--password …`: a secret-like name and the value tied to it. */
export const findAssigned: Finder = {
  anchors: ["key", "token", "secret", "pass", "pwd", "pw:", "pw=", 'pw"', "psk", "cred", "auth", "jwt", "pat"],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const name = readName(text, at);
    const nameClass = name && judgeName(name.text);
    const value = name && nameClass && readValue(text, name);
    const isSecret = value && isSecretValue(value.text, nameClass, value.tie);
    return isSecret ? [toFinding(name.text, nameClass, wholeValue(text, value))] : [];
  },
};

/** The same for a field of a JSON object. */
export function findInField(name: string, value: string): Finding[] {
  const nameClass = judgeName(name);
  const secret = skipScheme({ text: value, start: 0, end: value.length });
  return nameClass && isSecretValue(secret.text, nameClass, "quoted") ? [toFinding(name, nameClass, secret)] : [];
}

function toFinding(name: string, nameClass: NameClass, { text, start, end }: Stretch): Finding {
  const known = KNOWN_FIELDS.find((field) => field.name.test(name) && field.value.test(text));
  if (known) return { kind: known.kind, start, end, certain: true };
  return { kind: nameClass === "password" ? "password" : "secret", start, end, certain: false };
}

/** Secrets that name and length identify. */
const KNOWN_FIELDS = [
  { kind: "aws-secret", name: /secret.?access.?key|aws.?secret/i, value: /^[A-Za-z0-9+/\\]{40,42}$/ },
  { kind: "azure-key", name: /^(?:AccountKey|SharedAccessKey)$/i, value: /^[A-Za-z0-9+/%]{40,}={0,2}$/ },
];

/** A name in a text, up to where its value may follow. */
interface AssignedName extends Stretch {
  /** `--password` on a command line. */
  readonly isFlag: boolean;
}

/** The whole name around a place in it; undefined for a long run of characters. */
function readName(text: string, at: number): AssignedName | undefined {
  const end = endOfRun(text, at);
  const run = startOfRun(text, at);
  if (at - run > MAX_NAME || end - at > MAX_NAME) return undefined;
  const start = skipEscape(text, run, at);
  const dashes = /^-*/.exec(text.slice(start, at))?.[0].length ?? 0;
  const name = text.slice(start + dashes, end);
  const isFlag = dashes === 2 || (dashes === 1 && /[ \t]/.test(text.charAt(start - 1)));
  return { text: spokenName(text, name, start) ?? name, start: start + dashes, end, isFlag };
}

const MAX_NAME = 64;

const isNameCode = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;

function startOfRun(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start <= MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start--;
  return start;
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at <= MAX_NAME && isNameCode(text.charCodeAt(end))) end++;
  return end;
}

/** In `\nAPI_KEY` the name starts after the `n`; likewise after `\u0022`, `%26` and a color code. */
function skipEscape(text: string, start: number, at: number): number {
  const found = ESCAPES.get(text.charAt(start - 1))?.exec(text.slice(start, at));
  return start + (found?.[0].length ?? 0);
}

const ESCAPES = new Map([
  ["\\", /^(?:u[0-9a-fA-F]{4}|[nrt])/],
  ["%", /^[0-9A-F]{2}/],
  ["[", /^\d{1,3}m/],
  [";", /^\d{1,3}m/],
]);

/** "API key" and "secret access key" are names too; a lone "key" is not. */
function spokenName(text: string, name: string, start: number): string | undefined {
  if (!/^(?:key|token)$/i.test(name)) return undefined;
  const before = /(?:[A-Za-z]+ ){1,2}$/.exec(text.slice(Math.max(0, start - 32), start))?.[0];
  return before && `${before}${name}`;
}

/** The value that a text assigns to a name. */
export interface TiedValue extends Stretch {
  readonly tie: Tie;
}

/** The value after a name, in any notation; undefined where there is none. */
function readValue(text: string, name: AssignedName): TiedValue | undefined {
  const link = findLink(text, name);
  if (!link) return undefined;
  const quoted = readQuoted(text, link.end);
  if (quoted) return { ...skipScheme(quoted), tie: link.quoted };
  const scheme = SCHEME.exec(text.slice(link.end, link.end + MAX_SCHEME))?.[0].length ?? 0;
  const bare = readBare(text, link.end + scheme, link.bare === "line");
  return bare && { ...bare, tie: link.bare === "loose" && !endsLine(text, bare.end) ? "said" : link.bare };
}

const OPENING = /[fbruFBRU@$]{0,2}(?:(\\*)(["'`])(?:\2\2)?|&quot;|&#34;)/y;
const MAX_VALUE = 8192;

function readQuoted(text: string, at: number): Stretch | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (!opening) return undefined;
  const start = OPENING.lastIndex;
  const end = opening[2] ? closingQuote(text, start, opening[2], opening[1]?.length ?? 0) : text.indexOf("&", start);
  return end > start && end - start <= MAX_VALUE ? { text: text.slice(start, end), start, end } : undefined;
}

/**
 * JSON inside JSON escapes its quotes: at each depth a quote has one more doubling of backslashes before it. A quote
 * closes the string that was opened with `slashes` of them, unless deeper escaping makes it part of the value. A string
 * in other quotes cannot extend beyond the JSON string that contains it.
 */
function closingQuote(text: string, start: number, quote: string, slashes: number): number {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let run = 0;
  for (let at = start; at < limit; at++) {
    const char = text.charAt(at);
    if (char === "\n") return at;
    if (char === '"' && quote !== '"') return at - run; // the end of the string around it
    if (char === quote && (run < slashes || run % (2 * (slashes + 1)) === slashes)) return at - Math.min(run, slashes);
    run = char === "\\" ? run + 1 : 0;
  }
  return limit;
}

const SCHEME = /^(?:Bearer|Basic|(?:Api-?)?Token|(?:Api-?)?Key|SSWS|Negotiate)\s+/i;
const MAX_SCHEME = 16;

/** Removes the scheme of an `Authorization` header. */
function skipScheme(value: Stretch): Stretch {
  const length = SCHEME.exec(value.text)?.[0].length ?? 0;
  return { text: value.text.slice(length), start: value.start + length, end: value.end };
}

const MAX_BARE = 256;
const BARE = /^(?:[^\s"'`<>|\\]|\\(?![nrtu"'`\\/]))+/;
const BARE_REST = /[^\s"'`<>|\\,;&]*/y;

function readBare(text: string, at: number, isWholeLine: boolean): Stretch | undefined {
  const run = BARE.exec(text.slice(at, at + MAX_BARE))?.[0];
  if (run === undefined) return undefined;
  const value = isWholeLine ? run : run.replace(/[,;&].*$/, "").replace(/[.,;:)\]}*]+$/, "");
  return { text: value, start: at, end: at + value.length };
}

/** Extends a value to its real end. It is first read only as far as needed to judge it: hostile text may repeat names. */
function wholeValue(text: string, value: TiedValue): TiedValue {
  BARE_REST.lastIndex = value.end;
  const rest = value.text.length === MAX_BARE ? (BARE_REST.exec(text)?.[0] ?? "") : "";
  return { ...value, text: value.text + rest, end: value.end + rest.length };
}

const LINE_REST = /[ \t]*(?:#.*)?(?:$|[\n\r"'`]|\\+[nr])/y;

function endsLine(text: string, at: number): boolean {
  LINE_REST.lastIndex = at;
  return LINE_REST.test(text);
}

/** What is between a name and its value. */
export interface Link {
  readonly end: number;
  /** How it ties a quoted value, and one without quotes, to the name. */
  readonly quoted: Tie;
  readonly bare: Tie;
}

/** The first notation that matches the text after a name. */
function findLink(text: string, name: AssignedName): Link | undefined {
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

/** `name: API_KEY`, `key="ApiKey"`: the name is itself the value of a field called name or key. */
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
