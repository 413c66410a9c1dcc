import { isRandom, wordiness } from "./is-random.js";
import { isStandIn } from "./is-stand-in.js";
import { isHarmlessShape, isUuid, looksLikeCode } from "./judge-value.js";

/**
 * A value that can hardly be anything but a password or a key, so that a word such as "password" anywhere in its sentence
 * is enough: letters and digits mixed as in no word, name, number, path or piece of code.
 */
export function isUnmistakable(value: string): boolean {
  if (value.length < MIN_LENGTH || value.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(value)) return false;
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value) || ORDINARY.some((shape) => shape.test(value))) return false;
  if (isUuid(value) || looksLikeCode(value) || isHarmlessShape(value) || isStandIn(value)) return false;
  const plain = value.replace(TECHNICAL, "");
  if (plain.length < MIN_LENGTH - 2 || !/\d/.test(plain)) return false;
  return isIssued(value) || isChosen(plain);
}

const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

const isIssued = (value: string) =>
  value.length >= 20 && isRandom(value) && (hasAllCases(value) || /^[0-9a-f]{32,}$/i.test(value));

export const hasAllCases = (value: string): boolean => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);

/** Made up by a person, or by a generator of passwords. */
function isChosen(value: string): boolean {
  if (value.length > 40) return false;
  if (/[A-Za-z\d][!#$%^&*?+~@][A-Za-z\d]|\d{2,}[!#$%^&*?+~]$|[a-z][!#$%^&*?+~]\d|[A-Za-z]\d[!?]$/.test(value))
    return !/^[\w.]+[@+]/.test(value);
  const groups = value.match(/\d+/g) ?? [];
  if (hasAllCases(value)) {
    if (groups.length > 1 || /[a-z]\d[a-z]/.test(value)) return !/^[A-Z][a-z]+\d+[A-Z]?[a-z]*\d*$/.test(value);
    if (/^[A-Z][a-z]+([-_.])\d{2,6}\1[A-Z][a-z]+$/.test(value)) return !YEAR.test(value);
    return value.length >= 10 && (/[a-z]\d{2,}[A-Z]/.test(value) || isRandom(value)) && !YEAR.test(value);
  }
  return value.length >= 10 && groups.length > 1 && wordiness(value) < 0.3 && isRandom(value) && /[g-z]/i.test(value);
}

const YEAR = /(?:^|\D)(?:19|20)\d\d(?!\d)/;

/** Names, versions, addresses, files and options that mix letters and digits. */
const ORDINARY: readonly RegExp[] = [
  /[/\\]|:\/\/|^[.@#$&?!-]|::|\(\)|\.\.|["'`<>|;{}[\]()]/,
  /^\w[\w.-]*@\w[\w.-]*$/, // user@host, package@version
  /^[\w.-]+:\d+(?::\d+)?$|^[\w.-]+:v?\d[\w.-]*$/, // host:port, image:tag
  /^[A-Za-z_][\w.-]*=/,
  /^v?\d+(?:\.\d+)+/,
  /^[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,4}|local|internal|corp|example|html|json|yaml|toml|jsonl|woff2?|mp[34])\d?$/i, // hosts and files
  /^\d{4}-?\d\d-?\d\d/,
  /^[a-z]+(?:[-_][a-z]+)*[-_.]?\d{1,4}(?:[-_][a-z]+)*$/, // test_case_12, step-2-done
  /^[A-Z]+(?:[-_][A-Z\d]+)*$/, // CONSTANT_2, ABC-1234
  /^[A-Z]{2,}-\d+$/,
  /^(?:[A-Z]?[a-z]+)+\d{1,3}$/, // camelCase2
  /^(?:msg|toolu|req|run|asst|thread|file|evt|cus|prod|price|sub|pi|in|ch|org|user|proj)_/i,
  /^(?:ip|i|vpc|ami|sg|subnet|eni|vol|snap|rtb|igw|acl)-[\da-f-]+/,
  /^[\w-]*-[\da-f]{8,10}-[\da-z]{5}$/, // pods
  /^\w+\[\d+\]$|^U\+|^0x|^\d+x\d+|^#/,
  /^[A-Za-z]+\d*(?:[-_][A-Za-z]+\d*)*[-_]\d{1,4}$/, // Section-12
];

/** Words that have a digit in them. */
const TECHNICAL =
  /(?:sha-?\d{1,3}|md[45]|base-?(?:32|58|64)|utf-?(?:8|16|32)|oauth-?\d?[a-z]?|https?\d?|ipv?[46]|x509|s3|ec2|k[38]s|i18n|l10n|a11y|e2e|pkcs-?\d+|pbkdf\d|argon2(?:id?)?|ed25519|x25519|p-?(?:256|384|521)|[ehr]s(?:256|384|512)|web\d|log4j|neo4j|h2|aes-?(?:128|192|256)|rsa-?\d{3,4}|crc32|u?int\d{1,3}|float\d{2}|[ix]?86|amd64|arm64|x64|win(?:32|64)|mp[34]|2fa|u2f|fido2|http2|es20\d\d|latin1|iso-?\d{4,5}(?:-\d{1,2})?|rfc-?\d{3,4}|cp\d{3,4}|v\d{1,2}|vt100|xterm256|tls1(?:\.\d)?|ssl[23])/gi;
