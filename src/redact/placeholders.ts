import type { Finding } from "./finding.js";

/** The names that stand in the place of secrets: `[REDACTED:aws-key:1]`. */
export interface Placeholders {
  /** The same secret has the same name, whatever kind it looks like where it stands. */
  nameOf(kind: string, secret: string): string;
  /** Leaves the numbers that a text already uses to what they stand for. */
  reserveUsedIn(text: string): void;
}

export function createPlaceholders(): Placeholders {
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

/** Searches what lies between placeholders; they are walls that no finding contains or crosses. */
export function findBetweenPlaceholders(text: string, find: (part: string) => readonly Finding[]): readonly Finding[] {
  if (!text.includes(MARK)) return find(text);
  const walls = [...text.matchAll(PLACEHOLDER)].map(({ 0: wall, index }) => ({
    start: index,
    end: index + wall.length,
  }));
  const starts = [0, ...walls.map(({ end }) => end)];
  const ends = [...walls.map(({ start }) => start), text.length];
  return starts.flatMap((start, part) => find(text.slice(start, ends[part])).map((finding) => shift(finding, start)));
}

/** A secret is the same one with real line ends and inside JSON, where they and its quotes and slashes are escaped. */
function canonical(secret: string): string {
  return secret.replace(/(?:\\+[nrt]|\s)+/g, " ").replace(/\\+(?=["'/])/g, "");
}

const MARK = "[REDACTED:";
const PLACEHOLDER = /\[REDACTED:([\w.-]{1,64}):(\d{1,9})\]/g;

const shift = (finding: Finding, by: number) => ({ ...finding, start: finding.start + by, end: finding.end + by });
