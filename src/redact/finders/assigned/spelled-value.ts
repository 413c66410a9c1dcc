import type { NameClass } from "../../judge/judge-name.js";
import { isSecretValue } from "../../judge/judge-value.js";
import { matchedGroup, type Stretch } from "../finding.js";
import type { AssignedName } from "./assigned-name.js";

/** A value that is spelled: byte by byte, letter by letter, with escapes or entities, or as a list that is joined. */
export function readSpelled(text: string, name: AssignedName, nameClass: NameClass): Stretch[] {
  if (!MAY_BE_SPELLED.test(text.slice(name.end, name.end + 64))) return [];
  for (const [pattern, read] of SPELLINGS) {
    pattern.lastIndex = name.end;
    const list = matchedGroup(pattern.exec(text), 1);
    if (list) return isSecretValue(read(list.text), nameClass, "quoted") ? [list] : [];
  }
  return [];
}

/** What a value reads that is mostly escapes: `\x41`, `\u0041`, `&#65;`. */
export function withoutEscapes(value: string): string {
  if (!/\\+[xu\d]|&#|%[2-7]/.test(value) || /[[\]]/.test(value)) return value; // no pattern
  const isSpelled = value.replace(ESCAPES, "").length < value.length / 4;
  return isSpelled ? value.replace(ESCAPES, (code) => String.fromCharCode(codeOf(code))) : value;
}

const ESCAPES =
  /\\+x[\da-f]{2}|\\+u00[\da-f]{2}|&#x[\da-f]{2};|&#\d{2,3};|\\+[01]\d\d|\\+u\{[\da-f]{2}\}|%[2-7][\da-f]/gi;

function codeOf(code: string): number {
  const digits = /[\da-f]+(?=[;}]?$)/i.exec(code)?.[0] ?? "";
  return /^\\+\d/.test(code) ? Number.parseInt(digits, 8) : Number.parseInt(digits, /^&#\d/.test(code) ? 10 : 16);
}

const QUOTE = "\\\\*[\"'`]";
// password[] = new byte[] {…, "token": […, key := []byte{…, pw = bytes([…, secret = String.fromCharCode(…
const OPENING = `${QUOTE}?\\]?(?:\\[\\d*\\])?[ \\t]*(?::[ \\t]*[\\w&][\\w<>[\\]; ]{0,24})?[ \\t]*(?::=|=>|[=:])[ \\t]*(?:new |&|b)?[\\w.:[\\]]{0,32}[ \\t]*[[({]{1,2}\\s*`;
const list = (item: string, least: number) => `((?:${item})(?:\\s*,\\s*(?:${item})){${least},128})`;
const CHARACTER = "(?:0x[0-9a-fA-F]{2}|\\d{2,3}|b?'\\\\{0,2}[!-~]'|\\\\*\"[!-~]\\\\*\")";
const PART = `${QUOTE}[^\\s"'\`\\\\]{1,128}${QUOTE}`;

const MAY_BE_SPELLED = /^[^\n;]{0,60}(?:[[({]\s*(?:0x|\d|b?\\*["'`])|>&#|[cC]hr\w?\()/;
const GLUED = `${QUOTE}?[ \\t]*(?::=|<-|[:=])[ \\t]*[\\w.:]{0,24}(?:[fF]ormat|printf|paste0?|[cC]oncat|join)\\((?:${QUOTE}[%s{}\\d]{0,16}${QUOTE},\\s*)?`;

const SPELLINGS: readonly (readonly [RegExp, (list: string) => string])[] = [
  [new RegExp(`${OPENING}${list(CHARACTER, 5)}`, "dy"), readCharacters],
  [
    new RegExp(`${OPENING}${list(PART, 1)}\\s*,?\\s*\\][ \\t]*\\)?[ \\t]*\\.join\\((?:""|''|\\\\"\\\\")?\\)`, "dy"),
    readParts,
  ],
  [new RegExp(`${QUOTE}?[ \\t]*[:=][ \\t]*(?:""|'')\\.join\\([[(]\\s*${list(PART, 1)}`, "dy"), readParts],
  [new RegExp(`${GLUED}${list(PART, 1)}\\)`, "dy"), readParts],
  [/[ \t]*[:=][ \t]*((?:[cC]hr[BbWw$]?\(\d{2,3}\)[ \t]*[&+.]?[ \t]*){5,128})/dy, readCodes],
  [/>((?:&#x?[0-9a-fA-F]{2,4};){4,128})/dy, withoutEscapes],
];

function readCharacters(items: string): string {
  return items
    .split(/(?<=[\w'"])\s*,\s*(?=[\w'"\\])/)
    .map((item) =>
      /^\d|^0x/.test(item) ? String.fromCharCode(Number(item)) : (/([!-~])\\*["']$/.exec(item)?.[1] ?? ""),
    )
    .join("");
}

function readCodes(calls: string): string {
  return [...calls.matchAll(/\d+/g)].map(([code]) => String.fromCharCode(Number(code))).join("");
}

function readParts(parts: string): string {
  return parts.replace(/\\*["'`]\s*,\s*\\*["'`]|^\\*["'`]|\\*["'`]$/g, "");
}
