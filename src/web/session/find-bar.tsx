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
  /** The query of the search that led here, if the bar is opened to step through its hits. */
  readonly words: string;
  /** Step in this direction as soon as there are hits. */
  readonly direction: Direction | undefined;
  /** The current turn, and the hit in it that was reached. */
  readonly place: { readonly turn: number; readonly anchor: string | null };
  onWords(words: string): void;
  onGo(turn: number, anchor?: string): void;
  onClose(): void;
}

type Direction = 1 | -1;

/** Searches the whole session, including turns that are not loaded. */
export function FindBar(props: FindBarProps) {
  const { id, words, onWords, onClose } = props;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(words);
  const found = useHits(id, text);
  const { at, step, restart } = useSteps(found, props);
  useReturnedFocus();
  // A layout effect: letters typed before the next frame would be taken as shortcuts.
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
      <output>{at < 0 || found.isWaiting ? found.status : `${at + 1} of ${found.hits.length}`}</output>
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
  readonly hits: readonly ServedHit[]; // in reading order
  /** The hits of the current text are still loading. */
  readonly isWaiting: boolean;
  readonly status: string;
}

const TYPING_MS = 150;

function useHits(id: string, text: string): Hits {
  const fields = new URLSearchParams({ q: text, session: id, limit: "500", typing: "1", prefix: "1" });
  const wanted = text.trim() === "" ? null : `/api/search?${fields}`;
  const path = useSettled(wanted);
  const { answer, failure, isCurrent, reload } = useAnswer<SearchAnswerGroups>(path);
  useServerEvents((event) => {
    if (event.kind === "index" && event.index.state === "ready") reload(); // the session may have grown
  });
  const isWaiting = path !== wanted || !isCurrent;
  const hits = wanted === null || isWaiting || failure ? [] : inReadingOrder(answer);
  if (wanted === null) return { hits, isWaiting: false, status: "" };
  const isAll = answer?.exact && !answer.truncated;
  const count = `${isAll === false ? "more than " : ""}${formatCount(hits.length, "hit")}`;
  return { hits, isWaiting, status: isWaiting ? "…" : failure ? failure.message : count };
}

function useSettled(wanted: string | null): string | null {
  const [path, setPath] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setPath(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return path;
}

/** Sorted by turn first: hits in a sub-agent have line numbers of its own file. */
function inReadingOrder(answer: SearchAnswerGroups | undefined): ServedHit[] {
  const hits = answer?.groups.flatMap((group) => group.hits) ?? [];
  return hits.filter(({ turn }) => turn !== null).toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || a.line - b.line);
}

/** Steps through the hits. A step before the answer is made when it arrives. */
function useSteps({ hits, isWaiting }: Hits, { direction, place, onGo }: FindBarProps) {
  const [at, setAt] = useState(-1);
  const wanted = useRef(direction);
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

/** Starts at the hit that was reached, else at the current turn. */
function firstStep(hits: readonly ServedHit[], { turn, anchor }: FindBarProps["place"], by: Direction): number {
  const here = hits.findIndex((hit) => hit.turn === turn && hitAnchor(hit) === anchor);
  if (here >= 0) return here + by;
  const following = hits.findIndex((hit) => (hit.turn ?? 0) >= turn);
  const next = following < 0 ? hits.length : following;
  return by === 1 ? next : next - 1;
}

interface Finding {
  /** The words to highlight. */
  readonly words: string;
  /** Undefined while the bar is closed. */
  readonly bar: FindBarState | undefined;
  open(): void;
}

interface FindBarState extends FindStart {
  onWords(words: string): void;
  onClose(): void;
}

interface FindStart {
  readonly words: string;
  readonly direction: 1 | -1 | undefined;
}

/** The state of finding in a session. After a search, `n` and `N` step through its hits. */
export function useFinding(query: string): Finding {
  const [words, setWords] = useState(query);
  const [start, setStart] = useState<FindStart>();
  useEffect(() => setWords(query), [query]);
  const stepThrough = (direction: 1 | -1) => setStart({ words: searchedWords(words).join(" "), direction });
  useKeys(start === undefined && words !== "" ? { n: () => stepThrough(1), N: () => stepThrough(-1) } : {});
  return {
    words,
    bar: start === undefined ? undefined : { ...start, onWords: setWords, onClose: () => setStart(undefined) },
    open() {
      setStart((before) => before ?? { words: "", direction: undefined });
      document.querySelector<HTMLInputElement>(".find-bar input")?.select(); // if it is already open
    },
  };
}
