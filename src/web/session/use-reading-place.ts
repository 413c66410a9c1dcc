import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { rowAt, toOffsets } from "../shell/visible-rows.js";

/** The reading position: an offset in a row, identified by its key, or the end of the list. */
interface Place {
  readonly key: number;
  readonly offset: number;
  readonly isEnd: boolean;
}

export interface Reading {
  readonly first: number;
  readonly last: number;
  readonly before: number; // pixels above the first rendered row
  readonly after: number;
  readonly current: number;
  readonly isAtEnd: boolean;
  readonly box: { current: HTMLDivElement | null };
  onScroll(): void;
  /** Scrolls to an offset in a row, and keeps `at` in place when heights change. */
  goTo(row: number, offset?: number, at?: Element | null): void;
  goToEnd(): void;
  /** To be called when rendered rows change their size. */
  settle(): void;
}

interface ReadingOptions {
  readonly rows: number;
  /** Ascending keys: known heights stay with their rows when others are added or removed. */
  keyAt(row: number): number;
  /** The height of a row that was not rendered yet. */
  estimate(row: number): number;
}

const MARGIN = 800; // pixels rendered above and below the visible part
const WIDEN_MS = 50;

/** Renders only the visible rows of a list with any heights, and keeps the reading position when rows above it change. */
export function useReadingPlace({ rows, keyAt, estimate }: ReadingOptions): Reading {
  const box = useRef<HTMLDivElement | null>(null);
  const heights = useRef(new Map<number, number>());
  const place = useRef<Place>({ key: keyAt(0), offset: 0, isEnd: false });
  const anchor = useRef<Anchor>(undefined);
  const scrolled = useRef(0); // the last scroll position that was set here
  const [version, setVersion] = useState(0);
  const { margin, dropMargin } = useMargin(rows);
  const heightAt = (at: number) => heights.current.get(keyAt(at)) ?? estimate(at);
  const offsets = useMemo(() => toOffsets(rows, heightAt), [rows, keyAt, estimate, version]);
  const view = box.current?.clientHeight ?? 900;
  const end = offsets.at(-1) ?? 0;
  const { row, offset } = findPlace(place.current, rows, keyAt);
  const top = place.current.isEnd ? Math.max(0, end - view) : (offsets[row] ?? 0) + offset;
  const first = rowAt(offsets, Math.max(0, top - margin));
  const last = Math.min(rows - 1, rowAt(offsets, top + view + margin));

  /** Measures the rendered rows, and moves along with the anchor. */
  const settle = useCallback(() => {
    const moved = anchor.current ? movedBy(anchor.current) : 0;
    const isChanged = box.current !== null && measureRows(box.current, heights.current);
    if (anchor.current) anchor.current = toAnchor(anchor.current.element);
    place.current = { ...place.current, offset: place.current.offset + moved };
    if (isChanged || moved !== 0) setVersion((before) => before + 1);
  }, []);
  /** After each render: restores the position, and measures. */
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.scrollTop = place.current.isEnd ? box.current.scrollHeight : top;
    scrolled.current = box.current.scrollTop;
    settle();
  });

  const update = (next: number, into: number, isEnd: boolean, held?: Anchor) => {
    anchor.current = held;
    if (next < first || next > last) dropMargin();
    place.current = { key: keyAt(next), offset: into, isEnd };
    setVersion((before) => before + 1);
  };
  return {
    first,
    last,
    before: offsets[first] ?? 0,
    after: end - (offsets[last + 1] ?? end),
    current: row,
    isAtEnd: place.current.isEnd,
    box,
    settle,
    onScroll() {
      const element = box.current;
      if (!element || Math.abs(element.scrollTop - scrolled.current) < 1) return;
      scrolled.current = element.scrollTop;
      const next = rowAt(offsets, element.scrollTop);
      const isEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
      update(next, element.scrollTop - (offsets[next] ?? 0), isEnd, topAnchor(element));
    },
    goTo: (next, into = 0, at = null) => update(next, into, false, toAnchor(at)),
    goToEnd: () => update(rows - 1, 0, true),
  };
}

/** The row with the key, else the next one, else the last. */
function findPlace({ key, offset, isEnd }: Place, rows: number, keyAt: ReadingOptions["keyAt"]) {
  let [low, high] = [isEnd ? rows - 1 : 0, Math.max(0, rows - 1)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (keyAt(middle) < key) low = middle + 1;
    else high = middle;
  }
  return { row: low, offset: keyAt(low) === key ? offset : 0 };
}

/** After a jump, the rows at the target are rendered first, and those around them a moment later. */
function useMargin(rows: number): { readonly margin: number; dropMargin(): void } {
  const [margin, setMargin] = useState(0);
  useEffect(() => {
    if (margin > 0) return;
    const timer = setTimeout(() => setMargin(MARGIN), WIDEN_MS);
    return () => clearTimeout(timer);
  }, [margin, rows]);
  return { margin, dropMargin: () => setMargin(0) };
}

/** True if a height changed. */
function measureRows(box: HTMLElement, heights: Map<number, number>): boolean {
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

/** An element that keeps its position on the screen while the content above it changes its height. */
interface Anchor {
  readonly element: Element;
  readonly within: number; // pixels below the top of its row
}

/** Boxes that scroll themselves are used as a whole. */
const BOXES = ".code-box, .table-box";

function toAnchor(place: Element | null): Anchor | undefined {
  const element = place?.closest(BOXES) ?? place;
  const row = element?.closest(".slot");
  if (!element || !row) return undefined;
  return { element, within: element.getBoundingClientRect().top - row.getBoundingClientRect().top };
}

/** The topmost visible element. */
function topAnchor(box: Element): Anchor | undefined {
  const { left, top, width } = box.getBoundingClientRect();
  return toAnchor(document.elementFromPoint(left + width / 2, top + 1));
}

/** How far it has moved down in its row since then; 0 if it was removed. */
function movedBy({ element, within }: Anchor): number {
  return element.isConnected ? (toAnchor(element)?.within ?? within) - within : 0;
}
