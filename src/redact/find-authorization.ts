import type { Finder } from "./finder.js";
import { isRandom } from "./is-random.js";
import { isStandIn } from "./is-stand-in.js";
import { startsToken } from "./starts-token.js";
import { captureAt } from "./stretch.js";

/** `Bearer …`, wherever it stands. */
export const findBearer: Finder = {
  anchors: ["bearer"],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const token = startsToken(text, at) ? captureAt(BEARER, text, at) : undefined;
    const isToken = token && isRandom(token.text, true) && !isStandIn(token.text);
    return isToken ? [{ kind: "bearer", start: token.start, end: token.end, certain: false }] : [];
  },
};

/** `Basic …`, where what follows is a user and a password in base64, or stands in an `Authorization` header. */
export const findBasic: Finder = {
  anchors: ["basic"],
  anyCase: true,
  find(text, at) {
    const pair = startsToken(text, at) ? captureAt(BASIC, text, at) : undefined;
    const isFound = pair && (isUserAndPassword(pair.text) || (isInHeader(text, at) && isRandom(pair.text)));
    return isFound ? [{ kind: "basic-auth", start: pair.start, end: pair.end, certain: true }] : [];
  },
};

const BEARER = /bearer(?:\\*["'])?[ \t]*[:=]?[ \t]*(?:\\*["'])?([\w.~+/|%-]{12,}={0,2})/diy;
const BASIC = /basic[ \t]+([A-Za-z0-9+/]{6,}={0,2})/diy;

function isUserAndPassword(base64: string): boolean {
  return base64.length % 4 === 0 && /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(atob(base64));
}

const isInHeader = (text: string, at: number) => /authorization\W{1,8}$/i.test(text.slice(Math.max(0, at - 24), at));
