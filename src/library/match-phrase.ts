/** Words that follow each other; of the last one the beginning is enough for a prefix. */
export interface Phrase {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

export function hasPhrase(words: readonly string[], phrase: Phrase): boolean {
  return words.some((_, at) => endsPhrase(words, at, phrase));
}

/** Whether the word at `last` is the last one of the phrase. */
export function endsPhrase(words: readonly string[], last: number, { tokens, isPrefix }: Phrase): boolean {
  const first = last - tokens.length + 1;
  if (first < 0) return false;
  for (let at = last; at >= first; at--) {
    const [word, token] = [words[at], tokens[at - first]];
    const isSame = isPrefix && at === last ? word?.startsWith(token ?? "") : word === token;
    if (!isSame) return false;
  }
  return true;
}
