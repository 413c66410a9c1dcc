import picomatch from "picomatch";

/** Without one of `!?*+@` before them, parentheses belong to a name, such as `app/(shop)/page.tsx`. */
const NAME_IN_PARENTHESES = /(?<![!?*+@\\])\(([^()]*)\)/g;

/** Whether a path is one of those that the patterns mean. Brackets mean one of their characters, or themselves. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const named = patterns.map((pattern) => pattern.replace(NAME_IN_PARENTHESES, "\\($1\\)"));
  const literal = named.map((pattern) => pattern.replace(/(?<!\\)[[\]]/g, "\\$&"));
  return picomatch([...new Set([...named, ...literal])], { dot: true });
}
