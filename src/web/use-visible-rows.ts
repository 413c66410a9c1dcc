import { useBoxView } from "./use-box-view.js";

const MORE = 10; // rows above and below the window

/** Which rows of the same height are in sight of a scrolling box. */
export function useVisibleRows(box: { readonly current: HTMLElement | null }, count: number, rowHeight: number) {
  const { top, height, look } = useBoxView(box);
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - MORE),
    last: Math.min(count - 1, Math.ceil((top + height) / rowHeight) + MORE),
    onScroll: look,
  };
}
