import { type CallResults, createCallResults } from "./call-results.js";
import { type CustomPattern, findCustom } from "./custom-patterns.js";
import { findSecrets } from "./find-secrets.js";
import { createIdentityFinder, findEmails, type Identity } from "./finders/find-identity.js";
import { type Finding, mergeFindings } from "./finders/finding.js";
import { type FieldUse, findByField } from "./json-fields.js";
import { createKnownSecrets, type KnownSecrets } from "./known-secrets.js";
import { LineCounter } from "./line-counter.js";
import { redactJson, type StringRedaction, writeRedacted } from "./redact-json.js";
import { canonical, createTally, fingerprint, type RedactionReport } from "./tally.js";

export interface RedactorOptions extends Identity {
  /** `mask` (for display) removes keys, tokens and passwords; `redact` (for exports) also the user name and home folder. */
  readonly level: "mask" | "redact";
  /** Also remove email addresses; only at level `redact`. */
  readonly emails?: boolean | undefined;
  readonly customPatterns?: readonly CustomPattern[] | undefined;
  /** Called for each replacement, without the secret itself. */
  readonly onRemoved?: ((removed: Removed) => void) | undefined;
}

export interface Removed {
  readonly kind: string;
  readonly place: string;
  readonly fingerprint: string; // equal for equal secrets
  /** In the text that was redacted, from 1. */
  readonly line: number;
}

/** An instance uses the same placeholder for the same secret in everything it redacts. */
export interface Redactor {
  /** `place` is a label for the report, such as `toolUseResult`. */
  text(text: string, place?: string): string;
  json<Value>(value: Value, place?: string): Value;
  /** The same as JSON text, without a copy in between. */
  stringify(value: object, place?: string): string;
  /** Remembers the secrets of a value without redacting it, so that they are found where nothing names them, earlier too. */
  learn(value: unknown): void;
  report(): RedactionReport;
}

export function createRedactor(options: RedactorOptions): Redactor {
  const known = createKnownSecrets();
  const results = createCallResults();
  const find = createFind(options, known, results);
  const placeholders = createPlaceholders();
  const tally = createTally();

  const nameOf = ({ kind, mark, quote = "" }: Finding, secret: string, place: string) => {
    tally.count(kind, place, secret);
    known.remember(secret, kind);
    return mark ?? quote + placeholders.nameOf(kind, kind === "user" ? secret.toLowerCase() : secret) + quote;
  };
  const redact = (text: string, place: string, search: Search, keepsLines = false) => {
    placeholders.reserveUsedIn(text);
    const lines = options.onRemoved ? new LineCounter() : undefined;
    return replaceAll(text, search, (part, finding) => {
      const secret = part.slice(finding.start, finding.end);
      const name = nameOf(finding, secret, place);
      const replacement = keepsLines ? onEachLine(name, secret) : name;
      if (lines) {
        const line = lines.lineOf(part, finding, replacement);
        options.onRemoved?.({ kind: finding.kind, place, fingerprint: fingerprint(secret), line });
      }
      return replacement;
    });
  };

  const object = (source: object) => {
    for (const value of results.notice(source)) known.remember(value, "secret");
  };

  const redactionAt = (place: string): StringRedaction => ({
    string: (text, use) => redact(text, place, searchFor(use, find)),
    lines: (lines) => regroup(redact(lines.join("\n"), place, find, true), lines),
    key: (text) => redact(text, place, find),
    object,
    number: (value, use) => {
      const text = String(value);
      const redacted = redact(text, place, (part) => findByField(part, use));
      return redacted === text ? value : redacted;
    },
  });

  return {
    text: (text, place = "text") => redact(text, place, find),
    json: <Value>(value: Value, place = "json") => redactJson(value, redactionAt(place)) as Value,
    stringify: (value, place = "json") => writeRedacted(value, redactionAt(place)),
    learn: (value) => void redactJson(value, learningWith(find, known, object)),
    report: tally.report,
  };
}

/** Reads values as redacting does and changes nothing. */
function learningWith(find: Search, known: KnownSecrets, object: StringRedaction["object"]): StringRedaction {
  const remember = (text: string, search: Search) => {
    for (const { kind, start, end } of searchAll(text, search)) known.remember(text.slice(start, end), kind);
    return text;
  };
  return {
    string: (text, use) => (text.length < MIN_LEARNT ? text : remember(text, searchFor(use, find))),
    lines: (lines) => [...lines],
    key: (text) => text,
    object,
    number: (value) => value,
  };
}

const MIN_LEARNT = 8;

type Search = (text: string) => readonly Finding[];

function createFind(
  { level, emails, customPatterns = [], ...identity }: RedactorOptions,
  known: KnownSecrets,
  results: CallResults,
): Search {
  const findIdentity = createIdentityFinder(identity);
  return (text) => {
    const secrets = [
      ...findSecrets(text),
      ...findCustom(text, customPatterns),
      ...known.find(text),
      ...results.find(text),
    ];
    if (level === "mask") return secrets;
    return [...secrets, ...(emails ? findEmails(text) : []), ...findIdentity(text)];
  };
}

function searchFor(use: FieldUse, find: Search): Search {
  switch (use.kind) {
    case "bytes":
      return () => [];
    case "identifier":
      return (text) => findSecrets(text).filter(({ certain }) => certain);
    case "text":
      return (text) => [...find(text), ...findByField(text, use)];
    default:
      return use satisfies never;
  }
}

/**
 * Repeats until nothing is found, because a placeholder changes the context of the text around it, so that redacting the
 * result again changes nothing. Only hostile text goes on for more than a few rounds.
 */
function replaceAll(text: string, search: Search, replace: (text: string, finding: Finding) => string): string {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = searchAll(current, search);
    if (found.length === 0) return current;
    const parts = found.map(
      (finding, at) => current.slice(found[at - 1]?.end ?? 0, finding.start) + replace(current, finding),
    );
    current = parts.join("") + current.slice(found.at(-1)?.end);
  }
  return current;
}

const MAX_ROUNDS = 12;

const searchAll = (text: string, search: Search) =>
  findBetweenPlaceholders(text, (part) => mergeFindings(search(part)));

/** Repeats the placeholder for every line of the secret, after the sign that a patch has in front of each line. */
function onEachLine(name: string, secret: string): string {
  const [, ...others] = secret.split("\n");
  return [name, ...others.map((line) => `${/^[ +-]?/.exec(line)?.[0] ?? ""}${name}`)].join("\n");
}

/** Splits a text into strings with as many lines as the originals. */
function regroup(text: string, originals: readonly string[]): string[] {
  const lines = text.split("\n");
  let next = 0;
  return originals.map((original) => {
    const first = next;
    next += original.split("\n").length;
    return lines.slice(first, next).join("\n");
  });
}

/** The replacements of secrets: `[REDACTED:aws-key:1]`. */
export interface Placeholders {
  /** The same secret has the same placeholder, even if it is recognized as another kind elsewhere. */
  nameOf(kind: string, secret: string): string;
  /** Reserves the numbers of placeholders that a text already contains. */
  reserveUsedIn(text: string): void;
}

function createPlaceholders(): Placeholders {
  const names = new Map<string, string>();
  const lastNumbers = new Map<string, number>();
  return {
    nameOf(kind, secret) {
      const identity = canonical(secret);
      const known = names.get(identity);
      if (known) return known;
      const number = (lastNumbers.get(kind) ?? 0) + 1;
      const name = `[REDACTED:${kind}:${number}]`;
      lastNumbers.set(kind, number);
      names.set(identity, name);
      return name;
    },
    reserveUsedIn(text) {
      for (const [, kind = "", digits] of text.includes(MARK) ? text.matchAll(PLACEHOLDER) : []) {
        lastNumbers.set(kind, Math.max(lastNumbers.get(kind) ?? 0, Number(digits)));
      }
    },
  };
}

/** Searches the text between placeholders; no finding contains or crosses one. */
function findBetweenPlaceholders(text: string, find: (part: string) => readonly Finding[]): readonly Finding[] {
  if (!text.includes(MARK)) return find(text);
  const walls = [...text.matchAll(PLACEHOLDER)].map(({ 0: wall, index }) => ({
    start: index,
    end: index + wall.length,
  }));
  const starts = [0, ...walls.map(({ end }) => end)];
  const ends = [...walls.map(({ start }) => start), text.length];
  return starts.flatMap((start, part) => find(text.slice(start, ends[part])).map((finding) => shift(finding, start)));
}

const MARK = "[REDACTED:";
const PLACEHOLDER = /\[REDACTED:([\w.-]{1,64}):(\d{1,9})\]/g;

const shift = (finding: Finding, by: number) => ({ ...finding, start: finding.start + by, end: finding.end + by });

/** Masks or redacts a value and keeps its shape; `place` is a label for the report. */
export type Clean = <Value>(value: Value, place: string) => Value;
