import { isRandom } from "../judge/is-random.js";
import { isStandIn } from "../judge/is-stand-in.js";
import { isUuid } from "../judge/judge-value.js";
import { captureAt, type Finder, type Finding, matchedGroup, type Stretch, startsToken } from "./finding.js";

/** Session ids in `Cookie:` and `Set-Cookie:` headers, `curl -b`, cookie files of Netscape, and cookies as JSON. */
export const cookieFinders: readonly Finder[] = [
  { anchors: ["cookie"], isGuess: true, anyCase: true, find: (text, at) => findAfterWord(text, at) },
  {
    anchors: [" -b ", " -b'", ' -b"'],
    isGuess: true,
    find: (text, at) => toFindings(pairsIn(captureAt(CURL_OPTION, text, at))),
  },
  { anchors: ["TRUE\t", "FALSE\t"], isGuess: true, find: (text, at) => toFindings(capturedPair(NETSCAPE, text, at)) },
  {
    anchors: ["PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "connect.sid"],
    isGuess: true,
    find: (text, at) => toFindings(capturedPair(KNOWN_NAME, text, at)),
  },
  { anchors: ['"domain"', '\\"domain'], isGuess: true, find: (text, at) => findInJar(text, at) },
];

/** The same for the field `Cookie` or `Set-Cookie` of a JSON object, and for cookies by name in a JSON object. */
export function findInCookieField(name: string, value: string): Finding[] {
  if (!/^(?:set-?)?cookies?$/i.test(name)) return [];
  return toFindings(pairsIn({ text: value, start: 0, end: value.length }));
}

/** The value of a cookie with its name, as a browser keeps it. */
export function isSecretCookie(name: string, value: string): boolean {
  if (isStandIn(value)) return false;
  if (SESSION_NAME.test(name)) return value.length >= 8 && (isUuid(value) || isRandom(value, true));
  return value.length >= 16 && isRandom(value, true) && !isUuid(value);
}

const SESSION_NAME = /sess|sid$|^sid|auth|token|jwt|remember|login|^connect\.|ticket|identity|_id$/i;

const HEADER =
  /cookies?(?:\\*["'])?[ \t]*(?:[:= ]|: ?\[|=?\(|,[ \t]*\\*["']value\\*["'][ \t]*:)[ \t]*(?:\\*["'`])?([\w.-]{1,64}=[^\n\r"'`\\]{1,1024})/diy;
const IN_OBJECT = /cookies?(?:\\*["'])?[ \t]*[:=][ \t]*\{([^{}\n]{1,2048})\}/diy;
const CURL_OPTION = / -b ?\\*["']?([\w.-]{1,64}=[^\n\r"'`\\]{1,1024})/dy;
const NETSCAPE = /(?:TRUE|FALSE)\t\d{1,16}\t([^\t\n]{1,64})\t([^\s"\\]{1,4096})/dy;
const KNOWN_NAME = /(\w[\w.]{8,20})(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?([^\s"'`;,&\\]{8,256})/dy;
const PAIR = /([\w.-]{1,64})(?:=([^;,\s]*))?(?:[;,]\s*|(?=\s|$))/dgy;
const OBJECT_PAIR = /["']([\w.-]{1,64})\\*["']\s*:\s*\\*["']([^"'\\]{1,1024})/dg;

interface Cookie {
  readonly name: string;
  readonly value: Stretch;
}

function findAfterWord(text: string, at: number): Finding[] {
  const isOption = text.startsWith("--", at - 2);
  if (!isOption && !startsToken(text, at)) return [];
  const inObject = captureAt(IN_OBJECT, text, at);
  if (inObject) return toFindings(cookiesOf(inObject, OBJECT_PAIR));
  return toFindings(pairsIn(captureAt(HEADER, text, at)));
}

const pairsIn = (header: Stretch | undefined) => (header ? cookiesOf(header, PAIR) : []);

function cookiesOf(part: Stretch, pattern: RegExp): Cookie[] {
  return [...part.text.matchAll(pattern)].flatMap((pair) => {
    const value = matchedGroup(pair, 2, part.start);
    return value ? [{ name: pair[1] ?? "", value }] : [];
  });
}

function capturedPair(pattern: RegExp, text: string, at: number): Cookie[] {
  const name = captureAt(pattern, text, at, 1);
  const value = captureAt(pattern, text, at, 2);
  return name && value ? [{ name: name.text, value }] : [];
}

function toFindings(cookies: readonly Cookie[]): Finding[] {
  return cookies
    .filter(({ name, value }) => isSecretCookie(name, value.text))
    .map(({ value: { start, end } }) => ({ kind: "cookie", start, end, certain: false }));
}

const JAR_BEFORE =
  /\{(?:[^{}]{0,400},)?\s*\\*["']name\\*["']\s*:\s*\\*["'](?<name>[^"'\\]{1,64})\\*["']\s*,(?:[^{}]{0,200},)?\s*\\*["']value\\*["']\s*:\s*\\*["'](?<value>[^"'\\]{8,2048})\\*["']\s*,[^{}]{0,200}$/;
const MAX_JAR = 2600;

/** `{"name": "sid", "value": "…", "domain": …}`. */
function findInJar(text: string, at: number): Finding[] {
  const from = Math.max(0, at - MAX_JAR);
  const match =
    text.lastIndexOf("value", at) >= from
      ? JAR_BEFORE.exec(text.slice(Math.max(from, text.lastIndexOf("{", at)), at))
      : null;
  const { name = "", value = "" } = match?.groups ?? {};
  if (!match || !isSecretCookie(name, value)) return [];
  const start = text.lastIndexOf(value, at);
  return [{ kind: "cookie", start, end: start + value.length, certain: false }];
}
