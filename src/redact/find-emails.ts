import type { Finding } from "./finding.js";
import { isEscapeLetter } from "./starts-token.js";

/** Mail addresses of people: not `git@host`, not senders that nobody reads, not `icon@2x.png`. */
export function findEmails(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const start = at - localPartLength(text, at);
    DOMAIN.lastIndex = at;
    if (start < at && DOMAIN.test(text) && !IMPERSONAL.test(text.slice(start, DOMAIN.lastIndex))) {
      found.push({ kind: "email", start, end: DOMAIN.lastIndex, certain: true });
    }
  }
  return found;
}

const DOMAIN = /@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@-])/y;
const IMPERSONAL = /^git@|^(?:no-?reply|donotreply)@|\.(?:png|jpe?g|gif|svg|webp|ico)$/i;
const MAX_LOCAL_PART = 64;

function localPartLength(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - MAX_LOCAL_PART), at);
  const name = /[A-Za-z0-9_.+%-]+$/.exec(before)?.[0] ?? "";
  return isEscapeLetter(text, at - name.length) ? name.length - 1 : name.length; // \ndana@… in JSON
}
