import { useCallback, useEffect, useState } from "preact/hooks";

export interface BoxView {
  readonly top: number; // pixels that are scrolled away
  readonly height: number; // 0 while the box itself is hidden
  look(): void;
}

const USUAL = 900;

/** Which part of a scrolling box is in sight, also once the window has another size. */
export function useBoxView(box: { readonly current: HTMLElement | null }): BoxView {
  const [view, setView] = useState({ top: 0, height: USUAL });
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
