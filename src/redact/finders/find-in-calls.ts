import { isRandom } from "../judge/is-random.js";
import { hasAllCases, isUnmistakable } from "../judge/is-unmistakable.js";
import { judgeName } from "../judge/judge-name.js";
import { isSecretValue } from "../judge/judge-value.js";
import { captureAt, type Finder, type Finding, type Stretch } from "./finding.js";

/** Who signs in where. */
const ACCESS_WORDS = (
  "auth login logon connect connection client credential credentials user account authentication authenticate signin " +
  "signup register begin bind pdo pw_set andpassword password passwd database session pool setopt btoa b64encode " +
  "hashpw bcrypt.hash argon2.hash crypt connector real_connect sequelize scryptsync scrypt pbkdf2sync pbkdf2 callback ::make wpdb softap " +
  "smtp.start ::new strategy mysqli wifi.begin bind_s hashsync comparesync"
).split(" ");

/** What is made with a key. */
const KEY_WORDS = (
  "sign verify encode decode hmac hmac256 hmac512 hmac.new hmac.digest key secret token cipher cipheriv encrypt decrypt " +
  "aes.new des3.new chacha20.new arc4.new blowfish.new fernet parser keyspec signwith unlock sdk api bearer getbytes bytes mac signer keyring serializer hmacsha256 hmacsha512 hmacsha1 safeequal safe_equal hexdigest pusher twilio writefield from_secret compare_digest"
).split(" ");

const END = 4; // characters of a word that its anchor has

/** Literals in calls of functions that take a secret: `jwt.sign(payload, "…")`, `new Client("dana", "…")`. */
export const callFinders: readonly Finder[] = [
  {
    // The end of the name of a function; the words are looked up behind.
    anchors: [...new Set([...ACCESS_WORDS, ...KEY_WORDS].map((word) => `${word.slice(-END)}(`))],
    isGuess: true,
    anyCase: true,
    find: (text, at) => inCall(text, text.indexOf("(", at)),
  },
  { anchors: ["new "], isGuess: true, find: (text, at) => inConstructor(text, at) },
  {
    anchors: [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"].flatMap((next) => [
      `("${next}`,
      `('${next}`,
    ]),
    isGuess: true,
    find: (text, at) => inOnlyArgument(text, at),
  },
  {
    anchors: ['")("', "')('"],
    isGuess: true,
    find: (text, at) => [captureAt(SECOND_CALL, text, at) ?? []].flat().flatMap((value) => toFinding(value, isKey)),
  },
  {
    anchors: ['".toCharArray(', '".getBytes('],
    isGuess: true,
    find: (text, at) => literalBefore(text, at).flatMap((value) => toFinding(value, isAccess)),
  },
  {
    anchors: ["@tcp(", "@unix(", "@(local"],
    isGuess: true,
    find: (text, at) => dsnBefore(text, at).flatMap((value) => toFinding(value, () => true)),
  },
];

type IsSecret = (value: string, place: Place) => boolean;

interface Place {
  /** Whether it is the first or only literal. */
  readonly isFirst: boolean;
  readonly callee: string;
}

const SECOND_CALL = /["']\)\(["']([^"'\n\\]{16,256})["']/dy;

function toFinding({ text, start, end }: Stretch, isSecret: IsSecret, callee = ""): Finding[] {
  const isFound = isSecret(text, { isFirst: false, callee });
  return isFound
    ? [{ kind: judgeName(callee) === "password" ? "password" : "secret", start, end, certain: false }]
    : [];
}

/** A password beside a user name. */
const isAccess: IsSecret = (value, { isFirst, callee }) => {
  if (value.length < 8 || /[\s<>(){}]|:\/\/|^[\w.]+@[\w.-]+\.\w+$/.test(value) || !/\d/.test(value)) return false;
  if (isFirst && judgeName(callee) !== "password") return value.length >= 16 && isUnmistakable(value);
  if (isUnmistakable(value) || isKey(value, { isFirst, callee })) return true;
  return (
    isSecretValue(value, "password", "tight") &&
    !/[./:]|^[a-z]+[-_]?\d+$/.test(value.length >= 9 && isRandom(value, true) ? "" : value)
  );
};

/** A key of a signature or a cipher: issued, or with signs as in a password. */
const isKey: IsSecret = (value) =>
  isUnmistakable(value) ||
  (value.length >= 16 &&
    isRandom(value, true) &&
    (hasAllCases(value) || /^[0-9a-f]{32,}$/.test(value)) &&
    isSecretValue(value, "key", "quoted"));

const MAX_CALL = 400;
const MAX_LITERALS = 12;
const CALLEE = /[\w.$>:-]{0,64}$/;
const LITERAL =
  /\b([bfr]|rb)?(["'`])((?:(?!\2)[^\n\\]){0,256})\2|@?(["'])((?:(?!\4)[^\n\\]){0,256})\4|(\\+)"([^"\n\\]{1,256})\\+"/dgy;

/** The words by their last two letters. */
const BY_END = new Map<string, [string, IsSecret][]>();
for (const [words, isSecret] of [[ACCESS_WORDS, isAccess] as const, [KEY_WORDS, isKey] as const]) {
  for (const word of words) BY_END.set(word.slice(-2), [...(BY_END.get(word.slice(-2)) ?? []), [word, isSecret]]);
}

function inCall(text: string, open: number): Finding[] {
  const name = text.slice(Math.max(0, open - MAX_WORD), open).toLowerCase();
  const isSecret = BY_END.get(name.slice(-2))?.find(([word]) => name.endsWith(word))?.[1];
  const callee = isSecret && (CALLEE.exec(text.slice(Math.max(0, open - 64), open))?.[0] ?? "");
  if (callee === undefined || HARMLESS_CALLEE.test(callee)) return [];
  return literalsIn(text, open + 1).flatMap(({ isNamed, isFirst, ...literal }) => {
    const value = withoutUser(literal, callee);
    return isNamed || !isSecret?.(value.text, { isFirst, callee }) ? [] : toFinding(value, () => true, callee);
  });
}

const MAX_WORD = 16;
const HARMLESS_CALLEE =
  /(?:^|\.)(?:expect|assert\w*|describe|it|test|require|import|log|debug|info|warn|error|print\w*|t|i18n|translate|getElementById|querySelector\w*|createHash|find\w*|get|has|is\w*|parse\w*|atob|md5|sha\d+)$|hash_?id|object_?id|cache_?key|primary_?key|public_?key|foreign_?key|translat|next_?token|page_?token/i;

interface Literal extends Stretch {
  readonly isNamed: boolean;
  readonly isFirst: boolean;
}

/** The string literals among the arguments up to the end of the call. */
function literalsIn(text: string, from: number): Literal[] {
  const found: Literal[] = [];
  const limit = Math.min(text.length, from + MAX_CALL);
  let depth = 1;
  for (let at = from; at < limit && depth > 0 && found.length < MAX_LITERALS; ) {
    const char = text.charAt(at);
    if (char === "\n" && depth === 1 && found.length === 0 && at > from + 160) return found;
    if (char === "(") depth++;
    else if (char === ")") depth--;
    LITERAL.lastIndex = at;
    const match = /["'`\\@]/.test(char) ? LITERAL.exec(text) : null;
    const group = match?.indices?.[3] ?? match?.indices?.[5] ?? match?.indices?.[7];
    if (match && group) {
      const [start, end] = group;
      const isNamed =
        /(?<!\b(?:key|secret|salt|pw))["']?(?<=[\w"'])\s*(?:[:=]>?|(?<=["'])\s)\s*[a-z]{0,2}$/.test(
          text.slice(Math.max(from, at - 16), at),
        ) && !/\b(?:key|secret|salt|pw)\s*[:=]\s*[a-z]{0,2}$/.test(text.slice(Math.max(from, at - 16), at));
      found.push({
        text: text.slice(start, end),
        start,
        end,
        isNamed,
        isFirst: found.length === 0 && !/[\w)\]],\s*[a-z]{0,2}$/.test(text.slice(Math.max(from, at - 8), at)),
      });
      at = LITERAL.lastIndex;
    } else at++;
  }
  return found;
}

/** `"dana:…"` where both are one argument. */
function withoutUser(literal: Stretch, callee: string): Stretch {
  const prefix = /auth|setopt|btoa|encode|credential|user/i.test(callee)
    ? /^[\w.@-]{1,64}:(?!\/\/)|^\{noop\}/.exec(literal.text)?.[0].length
    : /^\{noop\}/.exec(literal.text)?.[0].length;
  return { text: literal.text.slice(prefix ?? 0), start: literal.start + (prefix ?? 0), end: literal.end };
}

const ONLY_ARGUMENT = /\((["'])([\w-]{24,128})\1\)/dy;

/** `Deepgram("…")`: what a class is given alone. */
function inOnlyArgument(text: string, at: number): Finding[] {
  const value = captureAt(ONLY_ARGUMENT, text, at, 2);
  const callee = value && /(?<![\w$])[A-Z][\w.]{1,48}$/.exec(text.slice(Math.max(0, at - 50), at))?.[0];
  return value && callee && !HARMLESS_CLASS.test(callee) ? toFinding(value, isKey) : [];
}

const CONSTRUCTOR = /new ([A-Z][\w.$]{1,48})\(\s*(["'`])([^"'`\s\\]{20,256})\2/dy;
const HARMLESS_CLASS =
  /Id|Uuid|UUID|GUID|Guid|Hash|Digest|Date|RegExp|URL|Uri|Error|Set|Map|Blob|Buffer|Array|File|Path|Event|Image|Worker|Decimal|Big|Number|Element|Selector|Locator|Public/;

function inConstructor(text: string, at: number): Finding[] {
  const name = captureAt(CONSTRUCTOR, text, at);
  const value = name && !HARMLESS_CLASS.test(name.text) ? captureAt(CONSTRUCTOR, text, at, 3) : undefined;
  return value ? toFinding(value, isKey) : [];
}

function literalBefore(text: string, at: number): Stretch[] {
  const value = /"([^"\n\\]{8,256})$/.exec(text.slice(Math.max(0, at - 260), at))?.[1];
  return value === undefined ? [] : [{ text: value, start: at - value.length, end: at }];
}

/** `user:…@tcp(host:3306)/db` of Go. */
function dsnBefore(text: string, at: number): Stretch[] {
  const value = /["'`=\s][\w.-]{1,64}:([^\s"'`@/]{4,128})$/.exec(text.slice(Math.max(0, at - 200), at))?.[1];
  return value === undefined || !isSecretValue(value, "password", "tight")
    ? []
    : [{ text: value, start: at - value.length, end: at }];
}
