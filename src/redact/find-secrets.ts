import { type CustomPattern, findCustom } from "./custom-pattern.js";
import { findSecretSpans } from "./find-secret-spans.js";
import { mergeFindings } from "./finding.js";
import { fingerprint } from "./fingerprint.js";
import { findBetweenPlaceholders } from "./placeholders.js";

/** A secret without itself: what it is, where it stands, and how to know it again. */
export interface FoundSecret {
  readonly kind: string;
  readonly start: number;
  readonly end: number; // exclusive
  readonly fingerprint: string;
}

/** Keys, tokens and passwords in a text; not paths, names or mail addresses. */
export function findSecrets(text: string, customPatterns: readonly CustomPattern[] = []): FoundSecret[] {
  const found = findBetweenPlaceholders(text, (part) =>
    mergeFindings([...findSecretSpans(part), ...findCustom(part, customPatterns)]),
  );
  return found.map(({ kind, start, end }) => ({ kind, start, end, fingerprint: fingerprint(text.slice(start, end)) }));
}
