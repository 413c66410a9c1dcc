import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { SessionHeading } from "../../render/html/components/session-heading.js";
import type { OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { dayLabel } from "../labels.js";
import { FailedState } from "../shell/states.js";
import type { RawPlace } from "./raw-dialog.js";
import { ItemPlaceContext, ServedItems } from "./served-items.js";
import { agentAnchor, callAnchor, type Launches, markWords, showTarget, unmarkTarget } from "./show-target.js";
import { TurnSlot } from "./turn-slot.js";
import type { TurnStore } from "./turn-store.js";
import { useReadingPlace } from "./use-reading-place.js";
import { isEverything, isTurnShown, type TurnFilter } from "./visible-parts.js";

/** Where to scroll: a turn, and possibly a call in it. Each request is a new object. */
export interface Target {
  readonly turn: number;
  readonly anchor: string;
  readonly isEnd?: boolean;
}

export interface TurnListProps {
  readonly session: SessionAnswer;
  readonly store: TurnStore;
  readonly filter: TurnFilter;
  readonly target: Target | undefined;
  /** The words to highlight. */
  readonly words: string;
  onPlace(turn: number, isAtEnd: boolean): void;
  onRaw(place: RawPlace): void;
  onFork(turn: OutlineTurn): void;
}

const HEADER = 0; // the key of the first row, which precedes the turns

/** All turns of a session; only visible ones are loaded and rendered. */
export function TurnList({ session, store, filter, target, words, onPlace, onRaw, onFork }: TurnListProps) {
  const shown = useMemo(() => session.turns.filter((turn) => isTurnShown(turn, filter)), [session.turns, filter]);
  const keyAt = useCallback((row: number) => (row === 0 ? HEADER : (shown[row - 1]?.index ?? HEADER)), [shown]);
  const estimate = useCallback((row: number) => estimateHeight(shown[row - 1]), [shown]);
  const reading = useReadingPlace({ rows: shown.length + 1, keyAt, estimate });
  const { first, last, box, settle } = reading;
  const { isAtEnd } = reading;
  const rows = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  useLayoutEffect(() => {
    const turns = rows.map(keyAt).filter((key) => key !== HEADER);
    store.want(turns, isAtEnd);
  }, [store, keyAt, first, last, isAtEnd]);
  useResize(box, settle);
  useTarget(target, shown, reading, words);
  useLayoutEffect(() => onPlace(keyAt(Math.max(1, reading.current)), reading.isAtEnd));
  useEffect(() => markWords(box.current, words));
  const reached = target && target.turn === keyAt(reading.current) ? target.turn : HEADER;
  return (
    <div class="turns" ref={box} onScroll={reading.onScroll} tabIndex={0} role="region" aria-label="Turns">
      <div style={{ height: `${reading.before}px` }} />
      {rows.map((row) => (
        <div key={keyAt(row)} class={row > 0 && keyAt(row) === reached ? "slot reached" : "slot"} data-key={keyAt(row)}>
          {row === 0 ? (
            <Beginning session={session} store={store} isWhole={isEverything(filter)} shownTurns={shown.length} />
          ) : (
            <Slot turns={shown} at={row - 1} store={store} filter={filter} onRaw={onRaw} onFork={onFork} />
          )}
        </div>
      ))}
      <div style={{ height: `${reading.after}px` }} />
      {rows.length > shown.length ? null : (
        <p class="only-printed">
          Turns {keyAt(Math.max(1, first))} to {keyAt(last)} of {session.turns.length}. An export contains all.
        </p>
      )}
    </div>
  );
}

interface SlotProps extends Pick<TurnListProps, "store" | "filter" | "onRaw" | "onFork"> {
  readonly turns: readonly OutlineTurn[];
  readonly at: number;
}

function Slot({ turns, at, store, filter, onRaw, onFork }: SlotProps) {
  const outline = turns[at];
  if (!outline) return null;
  const isNewDay = dayLabel(outline.startedAt) !== dayLabel(turns[at - 1]?.startedAt ?? null);
  return (
    <TurnSlot
      outline={outline}
      served={store.at(outline.index)}
      filter={filter}
      isNewDay={isNewDay}
      onReveal={() => store.reveal(outline.index)}
      onRaw={() => onRaw({ line: outline.line })}
      onFork={() => onFork(outline)}
    />
  );
}

/** While the title is visible, the bar does not repeat it. */
function useTitleInSight(): void {
  useLayoutEffect(() => {
    const title = document.querySelector(".turns header.session h1");
    const view = title?.closest(".session-view");
    if (!title || !view) return;
    const mark = (isInSight: boolean) => view.toggleAttribute("data-title-in-sight", isInSight);
    const observer = new IntersectionObserver(([entry]) => mark(entry?.isIntersecting ?? false));
    mark(true); // before the observer's first call, so that no frame shows the title twice
    observer.observe(title);
    return () => {
      observer.disconnect();
      mark(false);
    };
  }, []);
}

interface BeginningProps extends Pick<TurnListProps, "session" | "store"> {
  readonly isWhole: boolean;
  readonly shownTurns: number;
}

function Beginning({ session: { header, totals }, store, isWhole, shownTurns }: BeginningProps) {
  useTitleInSight();
  return (
    <>
      <SessionHeading header={header} totals={totals} />
      {header.note === null ? null : <p class="own-note">{header.note}</p>}
      {store.failure ? <FailedState failure={store.failure} onRetry={() => store.refreshFrom(1)} /> : null}
      {isWhole && store.preamble.length > 0 ? (
        <section class="aside" aria-label="Before the first turn">
          <ServedItems items={store.preamble} />
        </section>
      ) : null}
      {shownTurns === 0 ? <p class="quiet">{isWhole ? "This session has no turns." : "No matching turns."}</p> : null}
    </>
  );
}

const LINE = 24; // pixels

function estimateHeight(turn: OutlineTurn | undefined): number {
  if (!turn) return 140;
  const calls = Math.min(turn.calls.length, 8);
  return 180 + Math.min(6, turn.prompt.length / 80) * LINE + calls * (LINE + 6);
}

function useResize(box: { readonly current: HTMLElement | null }, settle: () => void): void {
  const observer = useRef<ResizeObserver>(undefined);
  useLayoutEffect(() => {
    observer.current ??= new ResizeObserver(settle);
    const element = box.current;
    if (!element) return;
    for (const slot of element.querySelectorAll(":scope > .slot")) observer.current.observe(slot);
    observer.current.observe(element);
  });
  useEffect(() => () => observer.current?.disconnect(), []);
}

/** Scrolls to the turn at once, and to the place inside it as soon as that is rendered. */
function useTarget(
  target: Target | undefined,
  shown: readonly OutlineTurn[],
  { box, goTo, goToEnd }: ReturnType<typeof useReadingPlace>,
  words: string,
): void {
  const launches = useLaunches();
  const started = useRef<Target>(undefined);
  const reached = useRef<Target>(undefined);
  useLayoutEffect(() => {
    if (!target || reached.current === target || shown.length === 0) return;
    const row = target.turn === 0 ? 0 : shown.findIndex(({ index }) => index >= target.turn) + 1;
    if (started.current !== target) {
      started.current = target;
      unmarkTarget(box.current);
      if (target.isEnd) goToEnd();
      else goTo(row === 0 && target.turn !== 0 ? shown.length : row);
      if (target.isEnd || (target.anchor === "" && words === "")) reached.current = target;
      return;
    }
    const slot = box.current?.querySelector<HTMLElement>(`.slot[data-key="${target.turn}"]`);
    if (!slot || slot.querySelector(".turn.pending")) return;
    const place = showTarget(slot, target.anchor, words, launches);
    if (place === undefined) return;
    reached.current = target;
    goTo(row, place.offset, place.element);
  });
}

function useLaunches(): Launches {
  const { subagents } = useContext(ItemPlaceContext);
  return useMemo(
    () =>
      new Map(
        subagents.flatMap(({ agentId, toolUseId }) =>
          toolUseId === null ? [] : [[agentAnchor(agentId), callAnchor(toolUseId)] as const],
        ),
      ),
    [subagents],
  );
}
