import { isRandom, wordiness } from "../judge/is-random.js";
import { isStandIn } from "../judge/is-stand-in.js";
import { captureAt, type Finder, type Finding, matchedGroup, startsToken } from "./finding.js";

/** `Bearer …`, anywhere in a text. */
export const findBearer: Finder = {
  anchors: ["bearer", "geniekey ", "ssws ", "apikey "],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const token = startsToken(text, at) ? captureAt(BEARER, text, at) : undefined;
    const isToken = token && isRandom(token.text, true) && !isStandIn(token.text);
    return isToken ? [{ kind: "bearer", start: token.start, end: token.end, certain: false }] : [];
  },
};

/** `Basic …`, followed by a user and password in base64, or in an `Authorization` header. */
export const findBasic: Finder = {
  anchors: ["basic"],
  anyCase: true,
  find(text, at) {
    const pair = startsToken(text, at) ? captureAt(BASIC, text, at) : undefined;
    const isFound = pair && (isUserAndPassword(pair.text) || (isInHeader(text, at) && isRandom(pair.text)));
    return isFound ? [{ kind: "basic-auth", start: pair.start, end: pair.end, certain: true }] : [];
  },
};

const BEARER = /(?:bearer|geniekey|ssws|apikey)(?:\\*["'])?[ \t]*[:=]?[ \t]*(?:\\*["'])?([\w.~+/|%-]{12,}={0,2})/diy;
const BASIC = /basic[ \t]+([A-Za-z0-9+/]{6,}={0,2})/diy;

function isUserAndPassword(base64: string): boolean {
  const [, password] = (base64.length % 4 === 0 && /^[\x20-\x7e]*?:([\x20-\x7e]*)$/.exec(atob(base64))) || [];
  return password !== undefined && !isStandIn(password);
}

const isInHeader = (text: string, at: number) => /authorization\W{1,8}$/i.test(text.slice(Math.max(0, at - 24), at));

/** The id of a key directly followed by its secret, as in `credentials.csv`. The secret alone has no recognizable prefix. */
export const findKeyPair: Finder = {
  anchors: ["AKIA", "ASIA", "LTAI", "AKID", "rzp_live_", "rzp_test_", "SCW"],
  find(text, at) {
    KEY_PAIR.lastIndex = at;
    const match = startsToken(text, at) ? KEY_PAIR.exec(text) : null;
    const key = matchedGroup(match, 1);
    const secret = matchedGroup(match, 2);
    if (!key || !secret || !isRandom(secret.text, true) || !/\d/.test(secret.text)) return [];
    const issuer = /^A[KS]IA/.test(key.text) ? "aws" : "api";
    return [
      { kind: `${issuer}-key`, start: key.start, end: key.end, certain: true },
      { kind: issuer === "aws" ? "aws-secret" : "secret", start: secret.start, end: secret.end, certain: true },
    ];
  },
};

const KEY_PAIR =
  /(A[KS]IA[A-Z0-9]{16}|(?:LTAI|AKID|SCW|rzp_(?:live|test)_)[A-Za-z0-9]{12,32})(?:[\s,;:|"'/]{1,8})(?<secret>[A-Za-z0-9+/]{24,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![A-Za-z0-9+/=])/dy;

/** The signature of a signed URL: Azure's `sig`, AWS' and Google's `X-…-Signature`. */
export const findSignedUrl: Finder = {
  anchors: ["sig=", "Signature="],
  find(text, at) {
    const isParameter = /(?:[?&;,]|u0026|, |X-(?:Amz|Goog)-)$/.test(text.slice(Math.max(0, at - 8), at));
    const signature = isParameter ? captureAt(SIGNATURE, text, at) : undefined;
    const isReal = signature && wordiness(signature.text) < 0.5 && !isStandIn(signature.text);
    return isReal ? [{ kind: "signed-url", start: signature.start, end: signature.end, certain: true }] : [];
  },
};

const SIGNATURE = /(?:sig|Signature)=([A-Za-z0-9%+/_~-]{30,}={0,2})/dy;

/** `postgres://user:password@host`, `https://token@host`: the password, or the token in place of the user. */
export const findUrlPassword: Finder = {
  anchors: ["://"],
  isGuess: true,
  find(text, at) {
    const hasScheme = /[a-z\d]/i.test(text.charAt(at - 1));
    return hasScheme ? (passwordAfter(text, at) ?? userTokenAfter(text, at)) : [];
  },
};

// Not image names with a digest: docker://alpine:3.19@sha256:…
const USER_AND_PASSWORD = /:\/\/([^\s/:@?#'"`<>\\]{0,128}):([^\s/?'"`<>\\]{1,256})@(?=[\w.[{$<%-])(?!sha256:)/dy;
const USER_TOKEN = /:\/\/([\w.~%-]{20,256})@(?=[\w[])/dy;

function passwordAfter(text: string, at: number): readonly Finding[] | undefined {
  const password = captureAt(USER_AND_PASSWORD, text, at, 2);
  if (!password) return undefined;
  const user = text.slice(at + "://".length, password.start - 1);
  return isSample(user, password.text)
    ? []
    : [{ kind: "url-password", start: password.start, end: password.end, certain: false }];
}

/** `user:password@`, `postgres:postgres@`, `USER:PASS@`, `${user}:${password}@`. */
function isSample(user: string, password: string): boolean {
  return password === user || /^[A-Z_]+$/.test(password) || isStandIn(password);
}

function userTokenAfter(text: string, at: number): readonly Finding[] {
  const token = captureAt(USER_TOKEN, text, at);
  return token && isRandom(token.text)
    ? [{ kind: "url-token", start: token.start, end: token.end, certain: false }]
    : [];
}
