import { wordiness } from "./wordiness.js";

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** What stands beside secret-like names and is none: numbers, dates, versions, digests, addresses, paths, patterns. */
export function isHarmlessShape(value: string): boolean {
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
