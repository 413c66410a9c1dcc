import { toPhrase } from "./match-expression.js";
import { tokenize } from "./tokenize.js";

/**
 * What FTS5 finds for every text that contains the literal, whatever its case; undefined where nothing is certain.
 * The first word may go on to the left in a text, so it counts only after a separator; the last may go on to the right.
 */
export function narrowLiteral(literal: string): string | undefined {
  if (/[^\x00-\x7f]/.test(literal)) return undefined;
  const bounded = literal.replace(/^[0-9A-Za-z]+/, "");
  const tokens = tokenize(bounded);
  if (tokens.length === 0) return undefined;
  return `text : ${toPhrase(tokens, /[0-9A-Za-z]$/.test(bounded))}`;
}
