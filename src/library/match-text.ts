import { foldText } from "./fold-text.js";
import { identifierParts } from "./identifier-parts.js";
import { hasPhrase } from "./match-phrase.js";
import type { Query, Term } from "./parse-query.js";
import { tokenize } from "./tokenize.js";

/** Whether a text matches, without an index; the index finds the same. */
export function compileQuery({ kind, required, excluded }: Query): (text: string) => boolean {
  if (kind === "blank" || kind === "empty") return () => false;
  return (text) => {
    const words = tokenize(foldText(text));
    const parts = tokenize(foldText(identifierParts(text)));
    const isFound = (term: Term) => matches(term, words, parts);
    return required.every((terms) => terms.some(isFound)) && !excluded.some(isFound);
  };
}

function matches(term: Term, words: readonly string[], parts: readonly string[]): boolean {
  if (hasPhrase(words, term) || hasPhrase(parts, term)) return true;
  return term.parts !== null && hasPhrase(parts, { tokens: term.parts, isPrefix: term.isPrefix });
}
