import { useEffect, useState } from "preact/hooks";
import { useKeys } from "../shell/use-keys.js";
import { searchedWords } from "./mark-words.js";

interface Finding {
  /** Those that are marked. */
  readonly words: string;
  /** Undefined while it is closed. */
  readonly bar: FindBarState | undefined;
  open(): void;
}

interface FindBarState extends Begun {
  onWords(words: string): void;
  onClose(): void;
}

/** With what the bar was opened, and in which direction to go at once. */
interface Begun {
  readonly words: string;
  readonly begin: 1 | -1 | undefined;
}

/** What is looked for in a session. Whoever comes from a search goes through its hits here by keys. */
export function useFinding(query: string): Finding {
  const [words, setWords] = useState(query);
  const [begun, setBegun] = useState<Begun>();
  useEffect(() => setWords(query), [query]);
  const goThrough = (begin: 1 | -1) => setBegun({ words: searchedWords(words).join(" "), begin });
  useKeys(begun === undefined && words !== "" ? { n: () => goThrough(1), N: () => goThrough(-1) } : {});
  return {
    words,
    bar: begun === undefined ? undefined : { ...begun, onWords: setWords, onClose: () => setBegun(undefined) },
    open() {
      setBegun((before) => before ?? { words: "", begin: undefined });
      document.querySelector<HTMLInputElement>(".find-bar input")?.select(); // where it is open already
    },
  };
}
