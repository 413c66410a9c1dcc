import { escapePattern } from "../escape-pattern.js";
import { isStandInBody } from "../judge/is-stand-in.js";
import type { SecretKind } from "../kinds/secret-kind.js";
import { type Finder, type Finding, isEscapeLetter, startsToken } from "./finding.js";

/** The finder of a kind that is recognized by its prefix. */
export function findByPrefix(kind: SecretKind): Finder {
  const prefixes = kind.prefixes.map(escapePattern).join("|");
  const pattern = new RegExp(`(?:${prefixes})((?:${kind.body.source}))`, "y");
  return { anchors: kind.prefixes, find: (text, at) => findAt(text, at, kind, pattern) };
}

function findAt(text: string, at: number, { kind, head, notAfter }: SecretKind, pattern: RegExp): readonly Finding[] {
  const first = head ? at - headLength(text, at, head) : at;
  const start = first < at && isEscapeLetter(text, first) ? first + 1 : first; // the n of \n before it
  if ((head && start === at) || !startsToken(text, start)) return [];
  if (notAfter?.test(text.slice(Math.max(0, at - MAX_HEAD), at))) return [];
  const match = matchAt(text, at, pattern);
  return match ? [{ kind, start, end: at + match.length, certain: true }] : [];
}

const MAX_JUDGED = 512;

/** Tests the start before reading a long secret to its end: hostile text may consist of prefixes. */
function matchAt(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = 0;
  const match = pattern.exec(text.slice(at, at + MAX_JUDGED));
  if (!match || isStandInBody((match[1] ?? "").slice(0, 128))) return undefined;
  if (match[0].length < MAX_JUDGED) return match[0];
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const MAX_HEAD = 80;

function headLength(text: string, at: number, head: RegExp): number {
  return head.exec(text.slice(Math.max(0, at - MAX_HEAD), at))?.[0].length ?? 0;
}
