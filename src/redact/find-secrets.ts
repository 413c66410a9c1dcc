import { findAssigned } from "./finders/find-assigned.js";
import { findPrivateKey } from "./finders/find-private-key.js";
import { type Finder, type Finding, mergeFindings } from "./finders/finding.js";
import {
  findAwsPair,
  findBasic,
  findBearer,
  findCookie,
  findSignedUrl,
  findUrlPassword,
  passwordFinders,
} from "./finders/known-notations.js";
import { aiKinds } from "./kinds/ai-kinds.js";
import { businessKinds } from "./kinds/business-kinds.js";
import { cloudKinds } from "./kinds/cloud-kinds.js";
import { codeKinds } from "./kinds/code-kinds.js";
import { messageKinds } from "./kinds/message-kinds.js";
import { findByPrefix } from "./kinds/prefix-kind.js";
import { standardKinds } from "./kinds/standard-kinds.js";

/** Every secret in a text, in order and without overlap: one scan for anchors, then the finders of each anchor. */
export function findSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  let guessedEnd = 0;
  for (let at = INDEX.nextPlace(text, 0); at >= 0; ) {
    let next = at + 1;
    for (const finding of INDEX.findAt(text, at, at >= guessedEnd)) {
      found.push(finding);
      if (finding.certain) next = finding.end;
      else guessedEnd = finding.end;
    }
    at = INDEX.nextPlace(text, next);
  }
  return mergeFindings(found);
}

/** Finders by the first characters of their anchors, so that one pass over a text skips almost all of it. */
interface FinderIndex {
  /** The first place at or after `from` where an anchor may be, or -1. */
  nextPlace(text: string, from: number): number;
  /** The findings of the first finder with an anchor at this place that finds anything. */
  findAt(text: string, at: number, guesses: boolean): readonly Finding[];
}

/** Anchors have at least three characters. */
function indexFinders(finders: readonly Finder[]): FinderIndex {
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

// Three characters hashed to 15 bits. Collisions only cost time.
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
    const findings = hasAnchorAt(text, at, anchor) ? anchor.finder.find(text, at) : [];
    if (findings.length > 0) return findings;
  }
  return [];
}

function hasAnchorAt(text: string, at: number, { literal, finder }: Anchor): boolean {
  if (!finder.anyCase) return text.startsWith(literal, at);
  return text.slice(at, at + literal.length).toLowerCase() === literal;
}

const INDEX = indexFinders([
  findPrivateKey,
  findAwsPair,
  ...[aiKinds, codeKinds, cloudKinds, messageKinds, businessKinds, standardKinds].flat().map(findByPrefix),
  findUrlPassword,
  findSignedUrl,
  findBearer,
  findBasic,
  findCookie,
  ...passwordFinders,
  findAssigned,
]);
