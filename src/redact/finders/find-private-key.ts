import { wordiness } from "../judge/is-random.js";
import type { Finder, Finding } from "./finding.js";

/**
 * Private keys in every armour (PEM, OpenSSH, PGP, SSH2, PuTTY), with real or escaped line ends, complete or truncated,
 * with line numbers or other listing prefixes. Headers without a key, as in code, are not matched.
 */
export const findPrivateKey: Finder = {
  anchors: ["-----BEGIN ", "---- BEGIN ", "-----END ", "Private-Lines:"],
  find(text, at) {
    const span = text.startsWith("-----END ", at) ? spanBefore(text, at) : spanAfter(text, at);
    if (!span || !hasKeyBody(text.slice(span.start, span.end))) return [];
    return piecesOf(text, span).map((piece) => ({ ...piece, kind: "private-key", certain: true }));
  },
};

type Span = Pick<Finding, "start" | "end">;

/** For a key whose lines are strings of a JSON list, each string is a finding, so that the list stays valid. */
function piecesOf(text: string, { start, end }: Span): Span[] {
  const pieces: Span[] = [];
  let from = start;
  for (const { 0: comma, index } of text.slice(start, end).matchAll(LIST_COMMA)) {
    pieces.push({ start: from, end: start + index });
    from = start + index + comma.length;
  }
  return [...pieces, { start: from, end }].filter((piece) => piece.end > piece.start);
}

const LIST_COMMA = /\\*"\s*,\s*\\*"/g;

const HEADER =
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|-----BEGIN OpenVPN Static key V1-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|Private-Lines: \d+/y;
const FOOTER =
  /-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|-----END OpenVPN Static key V1-----|---- END [\w ]{1,40} ----/y;
const MARKER = /-{4,5} ?(?:BEGIN|END) /;
// Lines such as "Proc-Type: 4,ENCRYPTED", then the key
const CUT_OFF_BODY =
  /(?:(?:\s|\\+[nr]){1,8}[A-Z][\w-]{1,30}: [^\n\\"]{1,80}){0,8}(?:(?:\\+[nrt]|[\s+>|→:\d-]){0,48}[A-Za-z0-9+/=]{16,})+/y;
const JSON_PUNCTUATION = /"\s*[:}\]]|[{[]\s*\\*"/; // another field starts: the footer belongs to another key
const MAX_KEY = 65_536;

function spanAfter(text: string, at: number): Span | undefined {
  HEADER.lastIndex = at;
  if (!HEADER.test(text)) return undefined;
  const bodyStart = HEADER.lastIndex;
  const marker = text.slice(bodyStart, bodyStart + MAX_KEY).search(MARKER);
  FOOTER.lastIndex = bodyStart + marker;
  const isWhole = marker >= 0 && FOOTER.test(text) && !JSON_PUNCTUATION.test(text.slice(bodyStart, bodyStart + marker));
  if (isWhole) return { start: at, end: FOOTER.lastIndex };
  CUT_OFF_BODY.lastIndex = bodyStart;
  return CUT_OFF_BODY.test(text) ? { start: at, end: CUT_OFF_BODY.lastIndex } : undefined;
}

/** The end of a key whose start is not in this text. */
function spanBefore(text: string, at: number): Span | undefined {
  FOOTER.lastIndex = at;
  if (!FOOTER.test(text)) return undefined;
  let start = at;
  for (let line = lineBefore(text, start); line && KEY_LINE.test(line); line = lineBefore(text, start)) {
    start -= line.length;
  }
  const openedHere = /[^"'`]*$/.exec(lineBefore(text, start) ?? "")?.[0] ?? ""; // the first line of a string
  if (KEY_LINE.test(openedHere)) start -= openedHere.length;
  return start < at ? { start, end: FOOTER.lastIndex } : undefined;
}

const KEY_LINE = /^[\s>|+#*-]{0,16}(?:\d{1,6}[→\t:|] ?)?[A-Za-z0-9+/=]{2,80}\s{0,8}(?:\n|\\+n)$/;
const MAX_LINE = 128;

/** The line that ends before a place, with its real or escaped line end; longer lines are no part of a key. */
function lineBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - MAX_LINE), at);
  const end = /(?:\n|\\+n)$/.exec(before);
  if (!end) return undefined;
  const escaped = before.lastIndexOf("\\n", end.index - 2);
  return before.slice(Math.max(before.lastIndexOf("\n", end.index - 1) + 1, escaped < 0 ? 0 : escaped + 2));
}

function hasKeyBody(block: string): boolean {
  const body = block.replace(/-{4,5} ?(?:BEGIN|END) [\w ]+-{4,5}/g, " ").replace(/\\+[nrt]/g, " ");
  return (body.match(/[A-Za-z0-9+/=]{16,}/g) ?? []).some((run) => wordiness(run) < 0.65);
}
