import type { Finder } from "./finder.js";
import type { Finding } from "./finding.js";

/** Finders by the beginnings of their anchors, so that one pass over a text skips almost all of it. */
export interface FinderIndex {
  /** The first place at or after `from` where an anchor may stand, or -1. */
  nextPlace(text: string, from: number): number;
  /** What the first finder that has an anchor at a place, and finds something, finds there. */
  findAt(text: string, at: number, guesses: boolean): readonly Finding[];
}

/** Anchors have at least three characters. */
export function indexFinders(finders: readonly Finder[]): FinderIndex {
  const buckets = new Map<number, Anchor[]>();
  for (const anchor of finders.flatMap((finder) => finder.anchors.map((literal) => ({ literal, finder })))) {
    for (const code of codesOf(anchor)) buckets.set(code, [...(buckets.get(code) ?? []), anchor]);
  }
  const isMarked = new Uint8Array(CODES);
  for (const code of buckets.keys()) isMarked[code] = 1;
  return {
    nextPlace: (text, from) => nextMarked(text, from, isMarked),
    findAt(text, at, guesses) {
      const anchors = buckets.get(codeAt(text, at)) ?? [];
      return findWith(guesses ? anchors : anchors.filter(({ finder }) => !finder.isGuess), text, at);
    },
  };
}

interface Anchor {
  readonly literal: string;
  readonly finder: Finder;
}

// Three characters in 15 bits. Characters that share a code cost a look and nothing else.
const CODES = 1 << 15;
const addCode = (code: number, char: number) => ((code << 5) ^ char) & (CODES - 1);

function codeAt(text: string, at: number): number {
  return addCode(addCode(addCode(0, text.charCodeAt(at)), text.charCodeAt(at + 1)), text.charCodeAt(at + 2));
}

function codesOf({ literal, finder }: Anchor): Set<number> {
  const beginnings = [...literal.slice(0, 3)].reduce(
    (texts, char) =>
      (finder.anyCase ? [char, char.toUpperCase()] : [char]).flatMap((c) => texts.map((text) => text + c)),
    [""],
  );
  return new Set(beginnings.map((text) => codeAt(text, 0)));
}

function nextMarked(text: string, from: number, isMarked: Uint8Array): number {
  let code = addCode(text.charCodeAt(from), text.charCodeAt(from + 1));
  for (let at = from + 2; at < text.length; at++) {
    code = addCode(code, text.charCodeAt(at));
    if (isMarked[code] === 1) return at - 2;
  }
  return -1;
}

function findWith(anchors: readonly Anchor[], text: string, at: number): readonly Finding[] {
  for (const anchor of anchors) {
    const findings = standsAt(text, at, anchor) ? anchor.finder.find(text, at) : [];
    if (findings.length > 0) return findings;
  }
  return [];
}

function standsAt(text: string, at: number, { literal, finder }: Anchor): boolean {
  if (!finder.anyCase) return text.startsWith(literal, at);
  return text.slice(at, at + literal.length).toLowerCase() === literal;
}
