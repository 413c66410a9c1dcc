import type { Tie } from "../../judge/judge-value.js";
import type { Stretch } from "../finding.js";
import type { AssignedName } from "./assigned-name.js";
import { findLink } from "./name-links.js";

/** The value that a text assigns to a name. */
export interface TiedValue extends Stretch {
  readonly tie: Tie;
}

/** The value after a name, in any notation; undefined where there is none. */
export function readValue(text: string, name: AssignedName): TiedValue | undefined {
  const link = findLink(text, name);
  if (!link) return undefined;
  const quoted = readQuoted(text, link.end);
  if (quoted) return { ...skipScheme(quoted), tie: link.quoted };
  const scheme = SCHEME.exec(text.slice(link.end, link.end + MAX_SCHEME))?.[0].length ?? 0;
  const bare = readBare(text, link.end + scheme, link.bare === "line");
  if (!bare || (link.isLineOnly && !endsLine(text, bare.end))) return undefined;
  return { ...bare, tie: link.bare === "loose" && !endsLine(text, bare.end) ? "said" : link.bare };
}

const OPENING = /[fbruFBRUNL@$]{0,2}(?:(\\*)(["'`])(?:\2\2)?|&quot;|&#34;)/y;
const MAX_VALUE = 8192;

function readQuoted(text: string, at: number): Stretch | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (!opening) return undefined;
  const start = OPENING.lastIndex;
  const end = opening[2] ? closingQuote(text, start, opening[2], opening[1]?.length ?? 0) : text.indexOf("&", start);
  return end > start && end - start <= MAX_VALUE ? { text: text.slice(start, end), start, end } : undefined;
}

/**
 * JSON inside JSON escapes its quotes: at each depth a quote has one more doubling of backslashes before it. A quote
 * closes the string that was opened with `slashes` of them, unless deeper escaping makes it part of the value. A string
 * in other quotes cannot extend beyond the JSON string that contains it.
 */
function closingQuote(text: string, start: number, quote: string, slashes: number): number {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let run = 0;
  for (let at = start; at < limit; at++) {
    const char = text.charAt(at);
    if (char === "\n") return at;
    if (char === '"' && quote !== '"') return at - run; // the end of the string around it
    if (char === quote && (run < slashes || run % (2 * (slashes + 1)) === slashes)) return at - Math.min(run, slashes);
    run = char === "\\" ? run + 1 : 0;
  }
  return limit;
}

const SCHEME =
  /^(?:Bearer|Basic|(?:Api-?)?Token(?:\s+token=)?|(?:Api-?)?Key|SSWS|Negotiate|Splunk|GenieKey|Bot|[A-Za-z]{2,16}-API-Key)\s+/i;
const MAX_SCHEME = 32;

/** Removes the scheme of an `Authorization` header. */
export function skipScheme(value: Stretch): Stretch {
  const length = SCHEME.exec(value.text)?.[0].length ?? 0;
  return { text: value.text.slice(length), start: value.start + length, end: value.end };
}

const MAX_BARE = 256;
const BARE = /^(?:[^\s"'`<>|│\\]|\\(?![nrtu"'`\\/]))+/;
const BARE_REST = /[^\s"'`<>|\\,;&]*/y;

function readBare(text: string, at: number, isWholeLine: boolean): Stretch | undefined {
  const run = BARE.exec(text.slice(at, at + MAX_BARE))?.[0];
  if (run === undefined) return undefined;
  const value = isWholeLine
    ? run.replace(/&&.*$/, "")
    : run.replace(/[,;].*$|&(?:\w{1,32}=|&|amp;|quot;|lt;|#|$).*$/, "").replace(/[.,;:)\]}*]+$/, "");
  return { text: value, start: at, end: at + value.length };
}

/** Extends a value to its real end. It is first read only as far as needed to judge it: hostile text may repeat names. */
export function wholeValue(text: string, value: TiedValue): TiedValue {
  BARE_REST.lastIndex = value.end;
  const rest = value.text.length === MAX_BARE ? (BARE_REST.exec(text)?.[0] ?? "") : "";
  return { ...value, text: value.text + rest, end: value.end + rest.length };
}

const LINE_REST = /[ \t]*(?:#.*)?(?:$|[\n\r"'`]|\\+[nr])/y;

function endsLine(text: string, at: number): boolean {
  LINE_REST.lastIndex = at;
  return LINE_REST.test(text);
}
