import { isRandom } from "../../judge/is-random.js";
import { hasAllCases, isUnmistakable } from "../../judge/is-unmistakable.js";
import type { NameClass } from "../../judge/judge-name.js";
import { judgeName } from "../../judge/judge-name.js";
import { isSecretValue } from "../../judge/judge-value.js";
import { captureAt, type Finder, type Stretch } from "../finding.js";

/**
 * What stands in one sentence or statement with a word such as "password", without any notation that ties them: "… is the
 * admin password", `.type("#password", "…")`, the line after "The password is:".
 */
export function findInStatement(text: string, name: Stretch, nameClass: NameClass): Stretch[] {
  if (nameClass === "hint" || nameClass === "id") return [];
  const isPassword = nameClass === "password" || nameClass === "pass";
  const before = isPassword ? valueBefore(text, name) : undefined;
  if (before) return [before];
  const below = nameClass === "pass" ? undefined : valueOnNextLine(text, name, nameClass);
  return below
    ? [below]
    : valuesBeside(text, name, isPassword ? isUnmistakable : nameClass === "key" ? isIssued : isMixedIssued);
}

/** Words that announce how somebody gets in: "log in as dana with …". */
export const findInLogin: Finder = {
  anchors: [
    ...[
      "log in ",
      "login as ",
      "login with ",
      "log on ",
      "sign in ",
      "signs in ",
      "logged in ",
      "Log in ",
      "Login with ",
    ],
    ...["anmelden ", "einlogg"],
  ],
  isGuess: true,
  find: (text, at) =>
    valuesBeside(text, { text: "", start: at, end: at + 6 }, isUnmistakable).map(({ start, end }) => ({
      kind: "password",
      start,
      end,
      certain: false,
    })),
};

const isIssued = (value: string) => value.length >= 20 && isUnmistakable(value) && isRandom(value);

/** Hexadecimal digits beside "token" are rather a commit. */
const isMixedIssued = (value: string) => isIssued(value) && hasAllCases(value);

const MAX_BESIDE = 160;
const LINE_END = /\r|\n|\\+[nr]/;
const LAST_LINE_END = /^[\s\S]*(?:[\r\n]|\\[nr])/;
// Cheap to fail: almost no line has a word with a digit inside that is long enough.
const CANDIDATE = /\w[\w!#$%^&*?+~@.=/-]{7,255}/g;

function valuesBeside(text: string, name: Stretch, isSecret: (value: string) => boolean): Stretch[] {
  const before = text.slice(Math.max(0, name.start - MAX_BESIDE), name.start);
  const skipped = LAST_LINE_END.exec(before)?.[0].length ?? 0;
  const after = text.slice(name.end, name.end + MAX_BESIDE);
  const length = LINE_END.exec(after)?.index ?? after.length;
  const start = name.start - before.length + skipped;
  const line = text.slice(start, name.end + length);
  if (!/\d/.test(line)) return [];
  const isHashed = HASHED.test(line);
  return [...line.matchAll(CANDIDATE)].flatMap(({ 0: run, index }) => {
    if (!/\d/.test(run) || /^\w+=\w{0,6}$/.test(run) || /[\w.+/=%@:$#&~-]/.test(line.charAt(index - 1))) return [];
    const value = trimEnd(run);
    if (
      !isSecret(value) ||
      (isHashed && /^[\da-f]+$/i.test(value)) ||
      hasOtherName(line, index) ||
      isPartOfCode(line, index, run)
    )
      return [];
    const isCut = (index === 0 && before.length === MAX_BESIDE) || start + index + run.length === name.end + MAX_BESIDE;
    return isCut ? [] : [{ text: value, start: start + index, end: start + index + value.length }];
  });
}

const HASHED = /sha-?\d|md5|hash|digest|checksum|bcrypt/i;
const trimEnd = (value: string) => value.replace(/[.,:;?/=]+$/, "");

/** `user=…`, `id: …`, "commit …": what has a name of its own is not what another word on the line speaks of. */
function hasOtherName(line: string, at: number): boolean {
  const before = line.slice(Math.max(0, at - 40), at);
  const label = /([A-Za-z_][\w-]*)\\*["'`]?[\])]?[ \t]*(?:[:=]=?>?|#)[ \t]*[[({]?\\*["'`]?$/.exec(before)?.[1];
  if (label !== undefined)
    return judgeName(label) === undefined && !ANNOUNCING.test(label) && !OWNER.test(before) && !SPEAKER.test(before);
  return OTHER_NAME.test(before);
}

const ANNOUNCING =
  /^(?:is|it|this|value|val|provided|given|instead|received|changed|to|returned|issued|created|generated|obtained|got|new|one|updated|is|used|using|here|lautet|ist|set|again|following|with|now|send|default|text|answer|a|string|data|body|for|below|once)$/i;
const SPEAKER = /^(?:assistant|user|human|bot|me|you|[A-Z][a-z]+):[ \t]+$/;
const OWNER =
  /(?:\b(?:passw\w*|pw|token|secret)[ \t]+[\w.-]{1,32}[ \t]*[:=][ \t]*$|\b(?:for|of|at|on|to|von|für|pour|para)[ \t]+|@)[\w.@'-]{1,32}:[ \t]+$/i; // for root@localhost: …
const OTHER_NAME =
  /(?:\b(?:id|uuid|commit|sha|hash|digest|checksum|fingerprint|etag|version|user|username|host|branch|build|release|revision|tag|image|container|pod|node|file|nonce|index|request|trace|span|bucket|region|cursor|algorithm|alg|checkout|pick|revert|merge|rebase|show|diff|blame|onto)s?["'`)]?[ \t]*|[@/\\.$%&+=])\\*["'`(]?$/i;

/** The name of a function, a member, an entry of a list of names. */
function isPartOfCode(line: string, at: number, run: string): boolean {
  const next = line.slice(at + run.length, at + run.length + 3);
  return /^(?:\\*["'`]?\]?[ \t]*[:=(]|\(|\[|:\/\/|@)/.test(next) && !/^["'`]?\)/.test(next);
}

// granite7x is the admin password, try granite7x as password
const SAID_BEFORE =
  /(?<![\w.+/=%@:$#&~-])(?<value>[A-Za-z\d][^\s"'`<>|,;()]{5,63})\\*["'`)]{0,3}[ \t]+(?:is|was|as|ist|est|es|è|é|als|comme|como|come|für|pour)[ \t]+(?:(?:the|my|our|your|his|her|their|a|an|das|mein|le|mon|la|el|mi|il|o)[ \t]+)?(?:[\w.'-]{1,24}[ \t]+){0,3}?$/i;

function valueBefore(text: string, name: Stretch): Stretch | undefined {
  const from = Math.max(0, name.start - 128);
  const before = text.slice(from, name.start);
  if (!/\d/.test(before)) return undefined;
  const match = SAID_BEFORE.exec(before.slice(LAST_LINE_END.exec(before)?.[0].length ?? 0));
  const value = match?.groups?.value;
  if (match === null || value === undefined || !isSecretValue(value, "password", "said") || !isMixed(value))
    return undefined;
  const start = name.start - match[0].length;
  return { text: value, start, end: start + value.length };
}

const isMixed = (value: string) =>
  value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/[@:/\\()]/.test(value);

// The password for dana is: ⏎ …, also in a block of code or after an empty line
const NEXT_LINE =
  /[^\r\n\\:?]{0,60}?(?::[^\S\r\n]*\*{0,2}|\?|：|\bis|\bare|\blautet|\best)[^\S\r\n]*(?:(?:\r?\n|\\+n)[ \t>]*){1,3}(?:`{3}\w{0,12}(?:\r?\n|\\+n)[ \t]*)?(?:<\w{1,24}>[ \t]+|(?:[Ii]t['’]?s|[Ii]t is|[Ee]s ist|[Cc]['’]est|[Ii]s)[ \t]+|(?:[Nn]ew )?[Vv]alue:[ \t]+|[A-Z]:[ \t]+|>>>[ \t]+)?[*`"'\\]{0,4}([^\s"'`*\\]{8,256})[*`"']{0,3}[ \t]*(?=[\r\n]|\\+[nr"]|"|$)/dy;

function valueOnNextLine(text: string, name: Stretch, nameClass: NameClass): Stretch | undefined {
  const value = captureAt(NEXT_LINE, text, name.end);
  if (!value) return undefined;
  const isPassword = nameClass === "password" && isMixed(value.text) && isSecretValue(value.text, "password", "said");
  return isPassword || isUnmistakable(value.text) ? value : undefined;
}
