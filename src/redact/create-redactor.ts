import { type CustomPattern, findCustom } from "./custom-pattern.js";
import type { FieldUse } from "./field-use.js";
import { findInField } from "./find-assigned.js";
import { findEmails } from "./find-emails.js";
import { createIdentityFinder, type Identity } from "./find-identity.js";
import { findSecretSpans } from "./find-secret-spans.js";
import { type Finding, mergeFindings } from "./finding.js";
import { fingerprint } from "./fingerprint.js";
import { createPlaceholders, findBetweenPlaceholders } from "./placeholders.js";
import { redactJson } from "./redact-json.js";
import { createTally, type RedactionReport } from "./redaction-report.js";

export interface RedactorOptions extends Identity {
  /** `mask` removes keys, tokens and passwords from what is shown; `redact` also who and where, from what leaves. */
  readonly level: "mask" | "redact";
  /** Mail addresses too; only at level `redact`. */
  readonly emails?: boolean | undefined;
  readonly customPatterns?: readonly CustomPattern[] | undefined;
  /** Told of everything that is replaced, without the secret itself. */
  readonly onRemoved?: ((removed: Removed) => void) | undefined;
}

export interface Removed {
  readonly kind: string;
  readonly place: string;
  readonly fingerprint: string; // the same secret has the same one, everywhere
}

/** Remembers what it has seen: one secret has one placeholder in all that an instance redacts. */
export interface Redactor {
  /** `place` is a label for the report, such as `toolUseResult`. */
  text(text: string, place?: string): string;
  json<Value>(value: Value, place?: string): Value;
  report(): RedactionReport;
}

export function createRedactor(options: RedactorOptions): Redactor {
  const find = createFind(options);
  const placeholders = createPlaceholders();
  const tally = createTally();

  const nameOf = (text: string, { kind, start, end, mark }: Finding, place: string) => {
    tally.count(kind, place);
    const secret = text.slice(start, end);
    options.onRemoved?.({ kind, place, fingerprint: fingerprint(secret) });
    return mark ?? placeholders.nameOf(kind, kind === "user" ? secret.toLowerCase() : secret);
  };
  const redact = (text: string, place: string, search: Search, keepsLines = false) => {
    placeholders.reserveUsedIn(text);
    return replaceAll(text, search, (part, finding) => {
      const name = nameOf(part, finding, place);
      return keepsLines ? onEachLine(name, part.slice(finding.start, finding.end)) : name;
    });
  };

  return {
    text: (text, place = "text") => redact(text, place, find),
    json: <Value>(value: Value, place = "json") =>
      redactJson(value, {
        string: (text, use) => redact(text, place, searchFor(use, find)),
        lines: (lines) => regroup(redact(lines.join("\n"), place, find, true), lines),
        key: (text) => redact(text, place, find),
      }) as Value,
    report: tally.report,
  };
}

type Search = (text: string) => readonly Finding[];

function createFind({ level, emails, customPatterns = [], ...identity }: RedactorOptions): Search {
  const findIdentity = createIdentityFinder(identity);
  return (text) => {
    const secrets = [...findSecretSpans(text), ...findCustom(text, customPatterns)];
    if (level === "mask") return secrets;
    return [...secrets, ...(emails ? findEmails(text) : []), ...findIdentity(text)];
  };
}

function searchFor(use: FieldUse, find: Search): Search {
  switch (use.kind) {
    case "bytes":
      return () => [];
    case "identifier":
      return (text) => findSecretSpans(text).filter(({ certain }) => certain);
    case "text":
      return (text) => [...find(text), ...(use.name === undefined ? [] : findInField(use.name, text))];
    default:
      return use satisfies never;
  }
}

/**
 * Replaces until nothing is left to find, because a placeholder changes what its neighbours look like. Every round
 * leaves less text outside placeholders, so there is a last one, and redacting the result again changes nothing.
 */
function replaceAll(text: string, search: Search, replace: (text: string, finding: Finding) => string): string {
  let current = text;
  for (let found = searchAll(current, search); found.length > 0; found = searchAll(current, search)) {
    const parts = found.map(
      (finding, at) => current.slice(found[at - 1]?.end ?? 0, finding.start) + replace(current, finding),
    );
    current = parts.join("") + current.slice(found.at(-1)?.end);
  }
  return current;
}

const searchAll = (text: string, search: Search) =>
  findBetweenPlaceholders(text, (part) => mergeFindings(search(part)));

/** The name once for every line of the secret, behind the sign that a patch puts in front of a line. */
function onEachLine(name: string, secret: string): string {
  const [, ...others] = secret.split("\n");
  return [name, ...others.map((line) => `${/^[ +-]?/.exec(line)?.[0] ?? ""}${name}`)].join("\n");
}

/** Cuts a text into strings that have as many lines as the originals. */
function regroup(text: string, originals: readonly string[]): string[] {
  const lines = text.split("\n");
  let next = 0;
  return originals.map((original) => {
    const first = next;
    next += original.split("\n").length;
    return lines.slice(first, next).join("\n");
  });
}
