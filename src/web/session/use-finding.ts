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

interface FindBarState {
  readonly words: string;
  onWords(words: string): void;
  onClose(): void;
}

/** What is looked for in a session. Whoever comes from a search goes through its hits here by keys. */
export function useFinding(query: string): Finding {
  const [words, setWords] = useState(query);
  const [begun, setBegun] = useState<string>(); // with what the bar was opened
  useEffect(() => setWords(query), [query]);
  const goThrough = () => setBegun(searchedWords(words).join(" "));
  useKeys(begun === undefined && words !== "" ? { n: goThrough, N: goThrough } : {});
  return {
    words,
    bar: begun === undefined ? undefined : { words: begun, onWords: setWords, onClose: () => setBegun(undefined) },
    open() {
      setBegun((before) => before ?? "");
      document.querySelector<HTMLInputElement>(".find-bar input")?.select(); // where it is open already
    },
  };
}
