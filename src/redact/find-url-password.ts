import type { Finder } from "./finder.js";
import type { Finding } from "./finding.js";
import { isRandom } from "./is-random.js";
import { isStandIn } from "./is-stand-in.js";
import { captureAt } from "./stretch.js";

/** `postgres://user:password@host`, `https://token@host`: the password, or the token that stands for the user. */
export const findUrlPassword: Finder = {
  anchors: ["://"],
  isGuess: true,
  find(text, at) {
    const hasScheme = /[a-z]/i.test(text.charAt(at - 1));
    return hasScheme ? (passwordAfter(text, at) ?? userTokenAfter(text, at)) : [];
  },
};

// A digest after the sign makes it an image name: docker://alpine:3.19@sha256:…
const USER_AND_PASSWORD = /:\/\/([^\s/:@?#'"`<>\\]{0,128}):([^\s/?'"`<>\\]{1,256})@(?=[\w.[-])(?!sha256:)/dy;
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
