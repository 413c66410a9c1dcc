import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { Icon } from "../../render/html/components/icon.js";
import type { SearchAnswerGroups, ServedHit } from "../../server/api/search.js";
import { useAnswer } from "../api.js";
import { useServerEvents } from "../server-events.js";
import { IconButton } from "../shell/controls.js";
import { useKeys, useReturnedFocus } from "../shell/keyboard.js";
import { hitAnchor, searchedWords } from "./show-target.js";

export interface FindBarProps {
  readonly id: string;
  /** What was searched for before, if the bar is opened to go through its hits. */
  readonly words: string;
  /** To the next or the previous hit at once. */
  readonly begin: Direction | undefined;
  /** Where the reader is: in a turn, perhaps at a hit in it. */
  readonly place: { readonly turn: number; readonly anchor: string | null };
  onWords(words: string): void;
  onGo(turn: number, anchor?: string): void;
  onClose(): void;
}

type Direction = 1 | -1;

/** Finds in the whole session, also in turns that are not loaded. */
export function FindBar(props: FindBarProps) {
  const { id, words, onWords, onClose } = props;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(words);
  const found = useHits(id, text);
  const { at, step, restart } = useSteps(found, props);
  useReturnedFocus();
  // Not an effect: letters typed before the next frame would be taken as keys.
  useLayoutEffect(() => {
    if (words === "") input.current?.focus();
  }, []);
  const close = () => {
    onWords("");
    onClose();
  };
  useKeys({ n: () => step(1), N: () => step(-1), p: () => step(-1), Escape: close });
  return (
    <search class="find-bar">
      <label class="search">
        <Icon name="search" />
        <span class="out-of-sight">Find in this session</span>
        <input
          ref={input}
          type="search"
          placeholder="Find in this session"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            restart();
            onWords(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
            if (event.key === "Escape") close();
          }}
        />
      </label>
      <output>{at < 0 || found.isWaiting ? found.told : `${at + 1} of ${found.hits.length}`}</output>
      <button type="button" class="sign-button" title="Previous (N)" aria-label="Previous hit" onClick={() => step(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" class="sign-button" title="Next (n)" aria-label="Next hit" onClick={() => step(1)}>
        <Icon name="down" />
      </button>
      <IconButton name="close" label="Close" onClick={close} />
    </search>
  );
}

interface Hits {
  readonly hits: readonly ServedHit[]; // as they are read
  /** Those of what was typed before are no answer. */
  readonly isWaiting: boolean;
  readonly told: string;
}

const TYPING_MS = 150;

function useHits(id: string, text: string): Hits {
  const fields = new URLSearchParams({ q: text, session: id, limit: "500", typing: "1" });
  const wanted = text.trim() === "" ? null : `/api/search?${fields}`;
  const path = useSettled(wanted);
  const { answer, failure, isCurrent, reload } = useAnswer<SearchAnswerGroups>(path);
  useServerEvents((event) => {
    if (event.kind === "index" && event.index.state === "ready") reload(); // the session may have grown
  });
  const isWaiting = path !== wanted || !isCurrent;
  const hits = wanted === null || isWaiting || failure ? [] : inReadingOrder(answer);
  if (wanted === null) return { hits, isWaiting: false, told: "" };
  const count = `${answer?.truncated ? "more than " : ""}${formatCount(hits.length, "hit")}`;
  return { hits, isWaiting, told: isWaiting ? "…" : failure ? failure.message : count };
}

function useSettled(wanted: string | null): string | null {
  const [path, setPath] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setPath(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return path;
}

/** What a sub-agent said stands in its own file, but in a turn of the session. */
function inReadingOrder(answer: SearchAnswerGroups | undefined): ServedHit[] {
  const hits = answer?.groups.flatMap((group) => group.hits) ?? [];
  return hits.filter(({ turn }) => turn !== null).toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || a.line - b.line);
}

/** From hit to hit. Whoever does not wait for the answer goes there as soon as it comes. */
function useSteps({ hits, isWaiting }: Hits, { begin, place, onGo }: FindBarProps) {
  const [at, setAt] = useState(-1);
  const wanted = useRef(begin);
  const step = (by: Direction) => {
    wanted.current = isWaiting ? by : undefined;
    if (isWaiting || hits.length === 0) return;
    const next = ((at < 0 ? firstStep(hits, place, by) : at + by) + hits.length) % hits.length;
    const hit = hits[next];
    setAt(next);
    if (hit?.turn != null) onGo(hit.turn, hitAnchor(hit));
  };
  useEffect(() => {
    if (wanted.current !== undefined) step(wanted.current);
  }, [isWaiting]);
  const restart = () => {
    setAt(-1);
    wanted.current = undefined;
  };
  return { at, step, restart };
}

/** From the hit at which the reader is, else from the turn. */
function firstStep(hits: readonly ServedHit[], { turn, anchor }: FindBarProps["place"], by: Direction): number {
  const here = hits.findIndex((hit) => hit.turn === turn && hitAnchor(hit) === anchor);
  if (here >= 0) return here + by;
  const following = hits.findIndex((hit) => (hit.turn ?? 0) >= turn);
  const next = following < 0 ? hits.length : following;
  return by === 1 ? next : next - 1;
}

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
