import { judgeName, type NameClass } from "../../judge/judge-name.js";
import { isSecretValue, type Tie } from "../../judge/judge-value.js";
import { kindByName } from "../../kinds/named-kinds.js";
import { captureAt, type Finder, type Finding, type Stretch } from "../finding.js";
import { type AssignedName, readName } from "./assigned-name.js";
import { readValue, skipScheme, type TiedValue, wholeValue } from "./assigned-value.js";
import { readBelow } from "./find-below.js";
import { readColumn } from "./find-in-column.js";
import { findInStatement } from "./find-in-statement.js";
import { isNameOfField } from "./name-links.js";
import { readSpelled, withoutEscapes } from "./spelled-value.js";

/** `API_KEY=…`, `"password": "…"`, `token: …`, `--password …`: a secret-like name and the value tied to it. */
export const findAssigned: Finder = {
  anchors: [
    ...["key", "token", "secret", "pass", "pwd", "psk", "cred", "auth", "jwt", "salt", "pepper", "mdp", "_session"],
    ...[...":= \"'`\n\\.,)"].map((sign) => `pw${sign}`),
    ...[..."\"'`=:_-. \t,|])*<>\\"].map((sign) => `pat${sign}`), // not every path
    // in other languages
    ...[
      "contrase",
      "senha",
      "kennwort",
      "wachtwoord",
      "haslo",
      "heslo",
      "jelszo",
      "salasana",
      "lozinka",
      "sifre",
      "parol",
    ],
  ],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const name = readName(text, at);
    const nameClass = name && classOf(text, name);
    if (!name || !nameClass) return [];
    const spelled = readSpelled(text, name, nameClass);
    if (spelled.length > 0) return spelled.map((list) => toFinding(name.text, nameClass, list));
    const value = readValue(text, name);
    const quote = value && numberQuote(text, name, value);
    if (value && isSecretValue(withoutEscapes(value.text), nameClass, quote === undefined ? value.tie : "quoted")) {
      return [value, ...changedValue(text, value)].map((found) =>
        toFinding(name.text, nameClass, wholeValue(text, found), quote),
      );
    }
    const others = [...readColumn(text, name, nameClass), ...valueBefore(text, name, nameClass)];
    const below = others.length > 0 ? others : readBelow(text, name, nameClass);
    const found = below.length > 0 ? below : findInStatement(text, name, nameClass);
    return found.map((other) => toFinding(name.text, nameClass, other));
  },
};

/** `password = "…" -> "…"`: what a plan of Terraform replaces it with. */
function changedValue(text: string, { end, tie }: TiedValue): TiedValue[] {
  const value = captureAt(CHANGED, text, end);
  return value && isSecretValue(value.text, "password", "tight") ? [{ ...value, tie }] : [];
}

const CHANGED = /\\*["'][ \t]*(?:->|→|~>)[ \t]*\\*["']([^\s"'\\]{5,256})/dy;

/** The same for a field of a JSON object. */
export function findInField(name: string, value: string, tie: Tie = "quoted"): Finding[] {
  if (isPlural(name) && /^\d+$/.test(value)) return [];
  const judged = judgeName(name);
  const nameClass = judged === "hint" && HEADER_NAME.test(name) ? "key" : judged;
  const secret = skipScheme({ text: value, start: 0, end: value.length });
  return nameClass && isSecretValue(secret.text, nameClass, tie) ? [toFinding(name, nameClass, secret)] : [];
}

/** In a header such as `DD-APPLICATION-KEY:` an unknown key is one that opens something. */
function classOf(text: string, name: AssignedName): NameClass | undefined {
  const judged = judgeName(name.text);
  if (judged === "pass" && USER_BEFORE.test(text.slice(Math.max(0, name.start - 64), name.start))) return "password";
  const nameClass = judged ?? (name.isFlag && /^key$/i.test(name.text) ? "hint" : undefined); // --key=…
  const isHeader =
    nameClass === "hint" && HEADER_NAME.test(name.text) && HEADER_SIGN.test(text.slice(name.end, name.end + 8));
  return isHeader ? "key" : nameClass;
}

// user dana, pass …
const USER_BEFORE =
  /\b(?:user(?:name)?|login|account)["']?(?:[ \t]*[:=][ \t]*|[ \t]+)["']?[\w.@-]{2,64}["']?(?:,|[ \t]+and|[ \t]+with)?[ \t]+$/i;
const HEADER_NAME = /^(?:X-[\w-]+|[A-Z][\w]*(?:-\w+)+|x(?:-\w+)+)-(?:key|token|secret)$/i;
const HEADER_SIGN = /^(?:\\*["'])?[ \t]*[:,]/;

function toFinding(name: string, nameClass: NameClass, { text, start, end }: Stretch, quote?: string): Finding {
  const kind = kindByName(name, text) ?? (nameClass === "password" ? "password" : "secret");
  return { kind, start, end, certain: false, ...(quote === undefined ? {} : { quote }) };
}

/** `"password": 48291734`: the placeholder of a number in JSON needs the quotes that its name has. */
function numberQuote(text: string, name: AssignedName, { text: value, start }: TiedValue): string | undefined {
  const isNumber = /^\d+$/.test(value) && !/["'`]/.test(text.charAt(start - 1)) && !isPlural(name.text);
  return isNumber ? /^\\*"(?=[ \t]*:)/.exec(text.slice(name.end, name.end + 16))?.[0] : undefined;
}

/** "passwords" before a number are counted. */
const isPlural = (name: string) => /s$/i.test(name) && !/pass$/i.test(name);

/** `{"value": "…", "name": "X-Api-Key"}`: the value of a pair that begins with it. */
function valueBefore(text: string, name: AssignedName, nameClass: NameClass): Stretch[] {
  if (!isNameOfField(text, name)) return [];
  const from = Math.max(0, name.start - MAX_PAIR);
  const match = VALUE_FIRST.exec(text.slice(from, name.start));
  const { value = match?.groups?.bare, head = match?.groups?.start } = match?.groups ?? {};
  if (!match || value === undefined || !isSecretValue(value, nameClass, "quoted")) return [];
  const start = from + match.index + match[0].indexOf(value, head?.length ?? 0);
  return [{ text: value, start, end: start + value.length }];
}

const MAX_PAIR = 320;
const VALUE_FIRST =
  /(?<head>[\\"']*value[\\"']*[ \t]*[:=][ \t]*\\*["'])(?<value>[^"'\\\n]{5,256})\\*["'],?\s*[\\"']*(?:name|key|variable)[\\"']*[ \t]*[:=][ \t]*[\\"']*$|(?<start>value:[ \t]+)(?<bare>[^\s"'\\]{5,256})(?:\n|\\+n)[ \t]+(?:name|key):[ \t]+$/i;
