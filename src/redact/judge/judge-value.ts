import { isRandom, wordiness } from "./is-random.js";
import { isStandIn } from "./is-stand-in.js";
import type { NameClass } from "./judge-name.js";

/** How plainly the text says that a value belongs to a name, from the plainest to the vaguest. */
export type Tie =
  | "quoted" // "name": "value"
  | "line" // NAME=value on a line of its own, the name in capitals, as in env files
  | "tight" // name=value, --name value
  | "loose" // name: value or name = value up to the end of the line: YAML and ini, but also code
  | "listed" // "name", "value": arguments, pairs, defaults
  | "said" // name: value in a sentence, or "the name is value"
  | "near"; // the value only follows the name

/** Whether a value beside a secret-like name is a secret, rather than a word, a reference, code or a sample. */
export function isSecretValue(text: string, name: NameClass, tie: Tie): boolean {
  const value = text.slice(0, MAX_JUDGED);
  if (value.length < MIN_LENGTH || isStandIn(value) || isHarmlessShape(value)) return false;
  if (isUuid(value)) return tie !== "near" && (name === "password" || name === "secret" || name === "key");
  if (/\s/.test(value)) return name === "password" && isSecretPhrase(value);
  if (tie !== "quoted" && looksLikeCode(value)) return false;
  if (name === "hint") return value.length >= 20 && isRandom(value) && hasAllCases(value);
  if (name === "pass" && !isPlain(tie)) return false;
  return isIssued(value, tie) || isMadeUp(value, name, tie);
}

const MAX_JUDGED = 128; // the beginning tells
const MIN_LENGTH = 5;

const isPlain = (tie: Tie) => tie === "quoted" || tie === "line" || tie === "tight";
const hasAllCases = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);

/** Made by a machine; the vaguer the tie, the more it must look like it. */
function isIssued(value: string, tie: Tie): boolean {
  if (isPlain(tie)) return isRandom(value, true);
  if (value.length < 11) return false;
  if (tie === "loose") return isRandom(value, true);
  if (tie !== "near") return isRandom(value);
  return value.length >= 20 && isRandom(value) && (hasAllCases(value) || /^[0-9a-f]{32,}$/i.test(value));
}

/** Made up by a person. Such a secret is full of words; digits and signs give it away, the more so in a password. */
function isMadeUp(value: string, name: NameClass, tie: Tie): boolean {
  if (name === "password") return isComplex(value) || isPassword(value, tie);
  if (tie === "near" || !/\d/.test(value) || value.length < 8) return false;
  const words = wordiness(value);
  if (name === "secret" || name === "pass") return isComplex(value) || (isPlain(tie) && words < 0.65);
  return isComplex(value) && words < 0.6;
}

/** What password rules ask for: letters, digits and a sign that neither words nor code have. */
function isComplex(value: string): boolean {
  const plain = value.replace(/%[0-9A-F]{2}/g, "");
  return plain.length >= 8 && /[A-Za-z]/.test(plain) && /\d/.test(plain) && /[!@#$%^&*?+~]/.test(plain);
}

function isPassword(value: string, tie: Tie): boolean {
  const isMixed = /[A-Za-z]/.test(value) && (/\d/.test(value) || /[A-Za-z\d][!@#$%^&*?+~=][A-Za-z\d!]/.test(value));
  if (isPlain(tie)) return isMixed || isWordChain(value) || (tie === "line" && /^[A-Za-z]{6,}$/.test(value));
  const minLength = tie === "near" || tie === "listed" ? 7 : 6;
  return isMixed && value.length >= minLength && (minLength === 6 || wordiness(value) < 0.6);
}

/** `correct-horse-battery-staple`, but not `enter-your-new-password`. */
function isWordChain(value: string): boolean {
  return /^[a-z]{3,}(?:([-._])[a-z]{3,})(?:\1[a-z]{3,}){2,}$/i.test(value) && !UI_WORDING.test(value);
}

const UI_WORDING = /pass|secret|token|enter|your|must|new|forgot|reset|confirm|current|please|input|field|error/i;

/** A password with spaces in it, rather than a sentence about passwords. */
function isSecretPhrase(value: string): boolean {
  if (/^[a-z]{4}(?: [a-z]{4}){3}$/.test(value)) return true; // Google's app passwords
  const isShort = value.length <= 64 && !UI_WORDING.test(value);
  return isShort && value.split(/\s+/).some((word) => isComplex(word) || isRandom(word));
}

/** Calls, indexing and dotted names, as on the right side of an assignment. */
function looksLikeCode(value: string): boolean {
  if (/[\w$]\??\.?[([{]|^[[({]|[)}\]];?$|=>|&&|\|\|/.test(value)) return true;
  return /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value) && wordiness(value) >= 0.5;
}

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** What stands beside secret-like names and is none: numbers, dates, versions, digests, addresses, paths, patterns. */
function isHarmlessShape(value: string): boolean {
  return HARMLESS_SHAPES.some((shape) => shape.test(value)) || (PATH.test(value) && wordiness(value) >= 0.5);
}

const HARMLESS_SHAPES: readonly RegExp[] = [
  /^[\d.,:%+-]+(?:e\d+)?[a-z]{0,3}$/i, // numbers, versions, IP addresses, sizes, durations
  /^0x[0-9a-f]{1,16}$/i,
  /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/,
  /^v?\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?$/,
  /^\d{1,4}-?(?:bytes?|bits?|char(?:acter)?s?|digits?|words?|lines?|days?|hours?|min(?:ute)?s?|sec(?:ond)?s?|px|times)$/i,
  /^(?:sha\d{1,3}|md5|integrity)[-:]/i,
  /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w+)\b/,
  /^-----BEGIN (?!.*PRIVATE)/,
  /^[a-z][a-z0-9+.-]*:\/\//i, // addresses are searched for passwords on their own
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/,
  /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i,
  /^(?:application|audio|font|image|multipart|text|video)\/[\w.+-]+$/,
  /^[\w@./\\~-]+\.(?:json|jsonl|pem|key|crt|cer|p12|pub|txt|ya?ml|toml|ini|conf|env|cjs|mjs|[jt]sx?|py|rb|go|rs|java|php|sh|md|html|css|png|svg|log|db|sqlite|enc|asc|gpg)$/i,
  /^\^|\(\?[:=!<]|\[(?:\^|\w-\w)|\\(?:[dwsb]\b|[|().x])|[\])]\{\d+,?\d*\}|\.[*+]\$?$/, // regular expressions
  // sha256-hashed, base64url, argon2id, oauth2: words that have a number in them
  /^(?:[a-z]+[-_])?(?:sha|md|base|utf|aes|rsa|ecdsa|ed|oauth|http|argon|pbkdf|bcrypt|scrypt|hs|rs|es|ipv|tls|pkcs|web|win|iso|rfc|log)-?\d{1,4}(?:[-_][a-z-]+|url|id|mb4|sum|ctr|gcm|cbc)?$/i,
];

const PATH = /^(?:~|\.{0,2}\/|[A-Za-z]:[\\/]|\\\\|[\w.@-]+\/[\w.@-]+\/)/;
