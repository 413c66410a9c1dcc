import { findAssigned } from "./finders/assigned/find-assigned.js";
import { findInLogin } from "./finders/assigned/find-in-statement.js";
import { findByIssuer } from "./finders/find-by-issuer.js";
import { findByPrefix } from "./finders/find-by-prefix.js";
import { cookieFinders } from "./finders/find-cookies.js";
import { callFinders } from "./finders/find-in-calls.js";
import { sqlFinders } from "./finders/find-in-sql.js";
import { findOption, positionFinders } from "./finders/find-options.js";
import { findPrinted } from "./finders/find-printed.js";
import { findPrivateKey } from "./finders/find-private-key.js";
import { type Finder, type Finding, mergeFindings } from "./finders/finding.js";
import { commandFinders, findPiped } from "./finders/known-commands.js";
import { fileFinders } from "./finders/known-files.js";
import { findBasic, findBearer, findKeyPair, findSignedUrl, findUrlPassword } from "./finders/known-notations.js";
import { phraseFinders } from "./finders/known-phrases.js";
import { spokenFinders } from "./finders/spoken-words.js";
import { isPublishedSample } from "./judge/published-samples.js";
import { markedKinds } from "./kinds/all-kinds.js";
import { findEncoded } from "./views/encoded-runs.js";
import { hexDumps } from "./views/hex-dumps.js";
import { rewrites } from "./views/rewrites.js";
import { findInViews, type Trigger, type View } from "./views/text-view.js";
import { findWrapped } from "./views/wrapped-lines.js";

/**
 * Every secret in a text, in order and without overlap: one scan for anchors, then the finders of each anchor, then the
 * parts of the text that must be read differently: without colours, joined, decoded.
 */
export function findSecrets(text: string): Finding[] {
  const triggers: Trigger[] = [];
  const found = scan(text, triggers);
  if (/^[$%] /.test(text)) found.push(...findPrinted.find(text, 0)); // a transcript; elsewhere a line end is the anchor
  if (triggers.length > 0) found.push(...findInViews(text, triggers, findPlain));
  if (text.length >= MIN_HIDDEN) found.push(...findWrapped(text, found, findPlain), ...findEncoded(text, findPlain));
  const real = found.filter(({ start, end }) => !isPublishedSample(text.slice(start, end)));
  return real.length < 2 ? real : mergeFindings(real);
}

const MIN_HIDDEN = 20; // what is encoded or broken into lines is longer
const findPlain = (text: string) => mergeFindings(scan(text, []));

function scan(text: string, triggers: Trigger[]): Finding[] {
  const found: Finding[] = [];
  let guessedEnd = 0;
  for (let at = INDEX.nextPlace(text, 0); at >= 0; ) {
    let next = at + 1;
    for (const finding of INDEX.findAt(text, at, at >= guessedEnd)) {
      found.push(finding);
      if (finding.certain) next = finding.end;
      else guessedEnd = finding.end;
    }
    const view = INDEX.viewAt(text, at);
    if (view) triggers.push({ view, at });
    at = INDEX.nextPlace(text, next);
  }
  return found;
}

/** Finders by the first characters of their anchors, so that one pass over a text skips almost all of it. */
interface FinderIndex {
  /** The first place at or after `from` where an anchor may be, or -1. */
  nextPlace(text: string, from: number): number;
  /** The findings of the first finder with an anchor at this place that finds anything. */
  findAt(text: string, at: number, guesses: boolean): readonly Finding[];
  /** The view that begins at this place. */
  viewAt(text: string, at: number): View | undefined;
}

/** Anchors have at least three characters. */
function indexFinders(finders: readonly Finder[], views: readonly View[]): FinderIndex {
  const buckets = new Map<number, Anchor[]>();
  const certain = new Map<number, Anchor[]>();
  for (const anchor of finders.flatMap((finder) => finder.anchors.map((literal) => ({ literal, finder })))) {
    for (const code of codesOf(anchor)) {
      buckets.set(code, [...(buckets.get(code) ?? []), anchor]);
      if (!anchor.finder.isGuess) certain.set(code, [...(certain.get(code) ?? []), anchor]);
    }
  }
  const viewBuckets = new Map<number, [string, View][]>();
  for (const [literal, view] of views.flatMap((view) => view.anchors.map((literal) => [literal, view] as const))) {
    const code = codeAt(literal, 0);
    viewBuckets.set(code, [...(viewBuckets.get(code) ?? []), [literal, view]]);
  }
  const marks = markBeginnings(finders, views);
  return {
    nextPlace: (text, from) => nextMarked(text, from, marks),
    findAt: (text, at, guesses) => findWith((guesses ? buckets : certain).get(codeAt(text, at)) ?? [], text, at),
    viewAt: (text, at) => viewBuckets.get(codeAt(text, at))?.find(([literal]) => text.startsWith(literal, at))?.[1],
  };
}

interface Anchor {
  readonly literal: string;
  readonly finder: Finder;
}

// Three characters in 21 bits: none of ASCII collide, and others only cost time.
const CODES = 1 << 21;
const addCode = (code: number, char: number) => ((code << 7) ^ char) & (CODES - 1);

function codeAt(text: string, at: number): number {
  return addCode(addCode(addCode(0, text.charCodeAt(at)), text.charCodeAt(at + 1)), text.charCodeAt(at + 2));
}

function codesOf({ literal, finder }: Anchor): Set<number> {
  return new Set(beginningsOf(literal, finder.anyCase, 3).map((text) => codeAt(text, 0)));
}

function beginningsOf(literal: string, anyCase = false, length: number): string[] {
  return [...literal.slice(0, length)].reduce(
    (texts, char) => (anyCase ? [char, char.toUpperCase()] : [char]).flatMap((c) => texts.map((text) => text + c)),
    [""],
  );
}

/** Which characters an anchor may begin with, one bit each, so that all fit into the cache. */
interface Marks {
  readonly three: Uint32Array;
  /** Of anchors with no more than three characters. */
  readonly short: Uint32Array;
  /** Of four characters: few words that begin as an anchor go on as it does. */
  readonly four: Uint32Array;
}

function markBeginnings(finders: readonly Finder[], views: readonly View[]): Marks {
  const marks = {
    three: new Uint32Array(CODES >> 5),
    short: new Uint32Array(CODES >> 5),
    four: new Uint32Array(CODES >> 5),
  };
  for (const { anchors, anyCase } of [...finders, ...views.map((view) => ({ ...view, anyCase: false }))]) {
    for (const text of anchors.flatMap((literal) => beginningsOf(literal, anyCase, 4))) {
      setMark(marks.three, codeAt(text, 0));
      if (text.length < 4) setMark(marks.short, codeAt(text, 0));
      else setMark(marks.four, addFourth(codeAt(text, 0), text.charCodeAt(3)));
    }
  }
  return marks;
}

const addFourth = (code: number, char: number) => (Math.imul(code, 31) ^ char) & (CODES - 1);
const isMarked = (marks: Uint32Array, code: number) => (((marks[code >> 5] ?? 0) >>> (code & 31)) & 1) === 1;

function setMark(marks: Uint32Array, code: number): void {
  marks[code >> 5] = (marks[code >> 5] ?? 0) | (1 << (code & 31));
}

/** The hottest loop of all: no calls, and no character behind the end. */
function nextMarked(text: string, from: number, { three, short, four }: Marks): number {
  if (from + 2 >= text.length) return -1;
  let code = addCode(text.charCodeAt(from), text.charCodeAt(from + 1));
  const last = text.length - 1;
  for (let at = from + 2; at <= last; at++) {
    code = ((code << 7) ^ text.charCodeAt(at)) & (CODES - 1);
    if ((((three[code >> 5] ?? 0) >>> (code & 31)) & 1) === 0) continue;
    if (isMarked(short, code) || (at < last && isMarked(four, addFourth(code, text.charCodeAt(at + 1))))) return at - 2;
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
  for (let offset = 0; offset < literal.length; offset++) {
    const code = text.charCodeAt(at + offset);
    const expected = literal.charCodeAt(offset);
    if (code !== expected && (code < 128 ? code | 32 : lowerCode(code)) !== expected) return false;
  }
  return true;
}

const lowerCode = (code: number) => String.fromCharCode(code).toLowerCase().charCodeAt(0);

const INDEX = indexFinders(
  [
    findPrivateKey,
    findKeyPair,
    ...markedKinds.map(findByPrefix),
    findUrlPassword,
    findSignedUrl,
    findBearer,
    findBasic,
    ...cookieFinders,
    ...commandFinders,
    findPiped,
    ...fileFinders,
    ...sqlFinders,
    ...phraseFinders,
    ...spokenFinders,
    ...positionFinders,
    findPrinted,
    ...callFinders,
    findOption,
    findAssigned,
    findByIssuer,
    findInLogin,
  ],
  [...rewrites, hexDumps],
);
