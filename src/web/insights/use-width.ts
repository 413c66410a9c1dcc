import { useLayoutEffect, useRef, useState } from "preact/hooks";

const USUAL = 960; // pixels

/** How wide a drawing may be, so that its words keep their size on a phone. */
export function useWidth<Box extends Element>() {
  const box = useRef<Box>(null);
  const [width, setWidth] = useState(USUAL);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(Math.max(200, Math.round(element.getBoundingClientRect().width)));
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
