import { useCallback, useEffect, useState } from "preact/hooks";

const MORE = 10; // rows above and below the window

/** The visible rows of a scrolling box, all of the same height. */
export function useVisibleRows(box: { readonly current: HTMLElement | null }, count: number, rowHeight: number) {
  const { top, height, look } = useBoxView(box);
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - MORE),
    last: Math.min(count - 1, Math.ceil((top + height) / rowHeight) + MORE),
    onScroll: look,
  };
}

export interface BoxView {
  readonly top: number; // scrolled pixels
  readonly height: number; // 0 while the box is hidden
  look(): void;
}

const DEFAULT_HEIGHT = 900;

/** The visible part of a scrolling box, also after a resize. */
export function useBoxView(box: { readonly current: HTMLElement | null }): BoxView {
  const [view, setView] = useState({ top: 0, height: DEFAULT_HEIGHT });
  const look = useCallback(() => {
    if (!box.current) return;
    const { scrollTop: top, clientHeight: height } = box.current;
    setView((old) => (old.top === top && old.height === height ? old : { top, height }));
  }, []);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { ...view, look };
}

/** The top of each row, in pixels; the last entry is the total height. */
export function toOffsets(count: number, heightAt: (row: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) offsets[row + 1] = (offsets[row] ?? 0) + heightAt(row);
  return offsets;
}

/** The row at a vertical position, by binary search. */
export function rowAt(offsets: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
