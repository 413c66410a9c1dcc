import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { rowAt, toOffsets } from "../heights.js";

/** Where somebody reads: so far into a row, or at the end, wherever that is. */
interface Place {
  readonly row: number;
  readonly offset: number;
  readonly isEnd: boolean;
}

export interface Reading {
  readonly first: number;
  readonly last: number;
  readonly before: number; // pixels above the first painted row
  readonly after: number;
  readonly current: number;
  readonly isAtEnd: boolean;
  readonly box: { current: HTMLDivElement | null };
  onScroll(): void;
  goTo(row: number, offset?: number): void;
  goToEnd(): void;
  /** To be called when what is painted has another size. */
  settle(): void;
}

interface ReadingOptions {
  readonly rows: number;
  /** Names rows: heights stay theirs when others come and go. */
  keyAt(row: number): number;
  /** Until a row was painted. */
  estimate(row: number): number;
}

const MARGIN = 800; // pixels above and below the window that are painted too
const WIDEN_MS = 50;

/**
 * Rows of any height, of which those in sight are painted. The place is what holds: whatever changes above it, the
 * reader stays there.
 */
export function useReadingPlace({ rows, keyAt, estimate }: ReadingOptions): Reading {
  const box = useRef<HTMLDivElement | null>(null);
  const heights = useRef(new Map<number, number>());
  const place = useRef<Place>({ row: 0, offset: 0, isEnd: false });
  const scrolled = useRef(0); // where the page itself scrolled to
  const [version, setVersion] = useState(0);
  const { margin, dropMargin } = useMargin(rows);

  const heightAt = (row: number) => heights.current.get(keyAt(row)) ?? estimate(row);
  const offsets = useMemo(() => toOffsets(rows, heightAt), [rows, keyAt, estimate, version]);
  const view = box.current?.clientHeight ?? 900;
  const end = offsets.at(-1) ?? 0;
  const top = place.current.isEnd ? Math.max(0, end - view) : (offsets[place.current.row] ?? 0) + place.current.offset;
  const first = rowAt(offsets, Math.max(0, top - margin));
  const last = Math.min(rows - 1, rowAt(offsets, top + view + margin));

  const settle = useCallback(() => {
    const element = box.current;
    if (!element) return;
    if (takeHeights(element, heights.current)) setVersion((before) => before + 1);
  }, []);

  /** After each painting: measure, and stay where the reader is. */
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const isChanged = takeHeights(element, heights.current);
    element.scrollTop = place.current.isEnd ? element.scrollHeight : top;
    scrolled.current = element.scrollTop;
    if (isChanged) setVersion((before) => before + 1);
  });

  const update = (next: Place) => {
    if (next.row < first || next.row > last) dropMargin();
    place.current = next;
    setVersion((before) => before + 1);
  };
  return {
    first,
    last,
    before: offsets[first] ?? 0,
    after: end - (offsets[last + 1] ?? end),
    current: place.current.isEnd ? rows - 1 : place.current.row,
    isAtEnd: place.current.isEnd,
    box,
    settle,
    onScroll() {
      const element = box.current;
      if (!element || Math.abs(element.scrollTop - scrolled.current) < 1) return;
      scrolled.current = element.scrollTop;
      const row = rowAt(offsets, element.scrollTop);
      const isEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
      update({ row, offset: element.scrollTop - (offsets[row] ?? 0), isEnd });
    },
    goTo: (row, offset = 0) => update({ row, offset, isEnd: false }),
    goToEnd: () => update({ row: rows - 1, offset: 0, isEnd: true }),
  };
}

/** Whoever goes far sees the rows there first, and a moment later there are some around them. */
function useMargin(rows: number): { readonly margin: number; dropMargin(): void } {
  const [margin, setMargin] = useState(0);
  useEffect(() => {
    if (margin > 0) return;
    const timer = setTimeout(() => setMargin(MARGIN), WIDEN_MS);
    return () => clearTimeout(timer);
  }, [margin, rows]);
  return { margin, dropMargin: () => setMargin(0) };
}

/** True where a row has another height than was thought. */
function takeHeights(box: HTMLElement, heights: Map<number, number>): boolean {
  let isChanged = false;
  for (const slot of box.querySelectorAll<HTMLElement>(":scope > .slot")) {
    const key = Number(slot.dataset["key"]);
    const height = slot.getBoundingClientRect().height;
    if (Math.abs((heights.get(key) ?? -1) - height) < 0.5) continue;
    heights.set(key, height);
    isChanged = true;
  }
  return isChanged;
}
