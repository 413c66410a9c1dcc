import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import type { SearchAnswerGroups, ServedHit } from "../../server/api/search.js";
import { useServerEvents } from "../server-events.js";
import { SignButton } from "../shell/sign.js";
import { useKeys } from "../shell/use-keys.js";
import { useReturnedFocus } from "../shell/use-returned-focus.js";
import { useAnswer } from "../use-answer.js";
import { callAnchor } from "./show-target.js";

interface FindBarProps {
  readonly id: string;
  /** What was searched for before, if the bar is opened to go through its hits. */
  readonly words: string;
  onWords(words: string): void;
  onGo(turn: number, anchor?: string): void;
  onClose(): void;
}

const TYPING_MS = 150;

/** Finds in the whole session, also in turns that are not loaded. */
export function FindBar({ id, words, onWords, onGo, onClose }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(words);
  const [at, setAt] = useState(-1);
  const path = useFindPath(id, text);
  const { answer, failure, isCurrent, reload } = useAnswer<SearchAnswerGroups>(path);
  useServerEvents((event) => {
    if (event.kind === "index" && event.index.state === "ready") reload(); // the session may have grown
  });
  const isWaiting = path === null || !isCurrent;
  const hits = text === "" || failure ? [] : inReadingOrder(answer);
  useReturnedFocus();
  // Not an effect: letters typed before the next frame would be taken as keys.
  useLayoutEffect(() => {
    if (words === "") input.current?.focus();
  }, []);
  const step = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const next = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    const hit = hits[next];
    setAt(next);
    if (hit?.turn != null) onGo(hit.turn, hit.toolUseId === null ? "" : callAnchor(hit.toolUseId));
  };
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
            setAt(-1);
            onWords(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
            if (event.key === "Escape") close();
          }}
        />
      </label>
      <output>{text === "" ? "" : isWaiting ? "…" : failure ? failure.message : tellPlace(at, hits.length)}</output>
      <button type="button" class="sign-button" title="Previous (N)" aria-label="Previous hit" onClick={() => step(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" class="sign-button" title="Next (n)" aria-label="Next hit" onClick={() => step(1)}>
        <Icon name="down" />
      </button>
      <SignButton name="close" label="Close" onClick={close} />
    </search>
  );
}

function tellPlace(at: number, hits: number): string {
  return at < 0 ? formatCount(hits, "hit") : `${at + 1} of ${hits}`;
}

function useFindPath(id: string, text: string): string | null {
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => {
    const fields = new URLSearchParams({ q: text, session: id, limit: "500" });
    const timer = setTimeout(() => setPath(text.trim() === "" ? null : `/api/search?${fields}`), TYPING_MS);
    return () => clearTimeout(timer);
  }, [id, text]);
  return path;
}

function inReadingOrder(answer: SearchAnswerGroups | undefined): ServedHit[] {
  const hits = answer?.groups.flatMap((group) => group.hits) ?? [];
  return hits.filter(({ turn }) => turn !== null).toSorted((a, b) => a.line - b.line);
}
