import { useEffect, useState } from "preact/hooks";

const MORE = 10; // rows above and below the window

/** Which rows of the same height are in sight of a scrolling box. */
export function useVisibleRows(box: { readonly current: HTMLElement | null }, count: number, height: number) {
  const [view, setView] = useState({ top: 0, size: 900 });
  const look = () => {
    if (box.current) setView({ top: box.current.scrollTop, size: box.current.clientHeight });
  };
  useEffect(look, []);
  return {
    first: Math.max(0, Math.floor(view.top / height) - MORE),
    last: Math.min(count - 1, Math.ceil((view.top + view.size) / height) + MORE),
    onScroll: look,
  };
}
