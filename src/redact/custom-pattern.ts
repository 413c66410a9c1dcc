import type { Finding } from "./finding.js";

/** What somebody wants removed besides what we know. */
export interface CustomPattern {
  /** Becomes the kind in the placeholder. */
  readonly name: string;
  readonly pattern: RegExp; // global
}

export function findCustom(text: string, patterns: readonly CustomPattern[]): Finding[] {
  return patterns.flatMap(({ name, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => match !== "")
      .map(({ 0: match, index }) => ({ kind: name, start: index, end: index + match.length, certain: true })),
  );
}
