import type { Finder } from "./finder.js";
import { isRandom } from "./is-random.js";
import { startsToken } from "./starts-token.js";
import { matchedGroup } from "./stretch.js";

/** An access key with its secret right behind it, as in `credentials.csv`. The secret has no mark of its own. */
export const findAwsPair: Finder = {
  anchors: ["AKIA", "ASIA"],
  find(text, at) {
    PAIR.lastIndex = at;
    const match = startsToken(text, at) ? PAIR.exec(text) : null;
    const key = matchedGroup(match, 1);
    const secret = matchedGroup(match, 2);
    if (!key || !secret || !isRandom(secret.text, true)) return [];
    return [
      { kind: "aws-key", start: key.start, end: key.end, certain: true },
      { kind: "aws-secret", start: secret.start, end: secret.end, certain: true },
    ];
  },
};

const PAIR = /(A[KS]IA[A-Z0-9]{16})[\s,;:|"']{1,8}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/dy;
