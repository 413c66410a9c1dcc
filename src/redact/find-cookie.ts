import type { Finder } from "./finder.js";
import { isRandom } from "./is-random.js";
import { isStandIn } from "./is-stand-in.js";
import { startsToken } from "./starts-token.js";
import { captureAt, matchedGroup } from "./stretch.js";
import { isUuid } from "./value-shape.js";

/** `Cookie:` and `Set-Cookie:` headers: the values that look like sessions. */
export const findCookie: Finder = {
  anchors: ["cookie"],
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const header = startsToken(text, at) ? captureAt(HEADER, text, at) : undefined;
    return [...(header?.text.matchAll(PAIR) ?? [])]
      .flatMap((pair) => matchedGroup(pair, 1, header?.start) ?? [])
      .filter(({ text: value }) => value.length >= 16 && isRandom(value, true) && !isStandIn(value) && !isUuid(value))
      .map(({ start, end }) => ({ kind: "cookie", start, end, certain: false }));
  },
};

const HEADER = /cookie(?:\\*["'])?[ \t]*[:= ][ \t]*(?:\\*["'`])?([\w.-]{1,64}=[^\n\r"'`\\]{1,1024})/diy;
const PAIR = /[\w.-]{1,64}(?:=([^;,\s]*))?(?:[;,]\s*|$)/dgy;
