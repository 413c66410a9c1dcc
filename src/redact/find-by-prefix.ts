import { escapePattern } from "./escape-pattern.js";
import type { Finder } from "./finder.js";
import type { Finding } from "./finding.js";
import { isStandInBody } from "./is-stand-in.js";
import type { SecretKind } from "./secret-kind.js";
import { startsToken } from "./starts-token.js";

/** The finder of a kind that its prefix gives away. */
export function findByPrefix(kind: SecretKind): Finder {
  const prefixes = kind.prefixes.map(escapePattern).join("|");
  const pattern = new RegExp(`(?:${prefixes})((?:${kind.body.source}))`, "y");
  return { anchors: kind.prefixes, find: (text, at) => findAt(text, at, kind, pattern) };
}

function findAt(text: string, at: number, { kind, head }: SecretKind, pattern: RegExp): readonly Finding[] {
  const start = head ? at - headLength(text, at, head) : at;
  if ((head && start === at) || !startsToken(text, start)) return [];
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match || isStandInBody(match[1] ?? "")) return [];
  return [{ kind, start, end: pattern.lastIndex, certain: true }];
}

const MAX_HEAD = 40;

function headLength(text: string, at: number, head: RegExp): number {
  return head.exec(text.slice(Math.max(0, at - MAX_HEAD), at))?.[0].length ?? 0;
}
