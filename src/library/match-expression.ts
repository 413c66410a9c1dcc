import type { Query, Term } from "./parse-query.js";

/** What FTS5 is asked for a query, over the columns `text` and `parts`; undefined when the query names nothing to find. */
export function toMatchExpression({ required, excluded }: Query): string | undefined {
  if (required.length === 0) return undefined;
  const wanted = required.map((terms) => anyOf(terms)).join(" AND ");
  return excluded.length === 0 ? wanted : `(${wanted}) NOT ${anyOf(excluded)}`;
}

/** What FTS5 finds for this is to be left out; `toMatchExpression` does so by itself where it gives something. */
export function toExcludedExpression({ excluded }: Query): string | undefined {
  return excluded.length === 0 ? undefined : anyOf(excluded);
}

function anyOf(terms: readonly Term[]): string {
  return `(${terms.flatMap(phrasesOf).join(" OR ")})`;
}

function phrasesOf({ tokens, parts, isPrefix }: Term): string[] {
  const whole = toPhrase(tokens, isPrefix);
  return parts ? [whole, `parts : ${toPhrase(parts, isPrefix)}`] : [whole];
}

/** Words hold no quotes, so nothing is to be escaped. */
export function toPhrase(tokens: readonly string[], isPrefix: boolean): string {
  return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
