import picomatch from "picomatch";

/** Parentheses without one of `!?*+@` before them are literal, as in `app/(shop)/page.tsx`. */
const NAME_IN_PARENTHESES = /(?<![!?*+@\\])\(([^()]*)\)/g;

/** Returns a matcher for any of the patterns. Brackets match one of their characters, or themselves. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const named = patterns.map((pattern) => pattern.replace(NAME_IN_PARENTHESES, "\\($1\\)"));
  const literal = named.map((pattern) => pattern.replace(/(?<!\\)[[\]]/g, "\\$&"));
  return picomatch([...new Set([...named, ...literal])], { dot: true });
}
