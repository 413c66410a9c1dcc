import { useEffect, useRef } from "preact/hooks";
import type { SessionPages } from "./use-session-pages.js";

interface Painted {
  readonly pages: SessionPages;
  readonly offsets: Float64Array;
}

/** The session that is opened comes into sight, unless somebody scrolls before it is known where it stands. */
export function useRevealedRow(
  box: { readonly current: HTMLElement | null },
  current: string | null,
  { pages, offsets }: Painted,
  look: () => void,
): () => void {
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || current === null || revealed.current === current) return;
    const row = findRow(pages, current);
    if (row === undefined) return;
    revealed.current = current;
    const [top, bottom] = [offsets[row] ?? 0, offsets[row + 1] ?? 0];
    const isInSight = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight;
    if (!isInSight) element.scrollTop = top - (element.clientHeight - (bottom - top)) / 2;
  }, [current, pages, offsets]);
  return () => {
    revealed.current = current;
    look();
  };
}

function findRow(pages: SessionPages, id: string): number | undefined {
  for (let row = 0; row < pages.total; row += 1) if (pages.at(row)?.id === id) return row;
  return undefined;
}
