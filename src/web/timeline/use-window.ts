import { useEffect, useRef, useState } from "preact/hooks";
import type { Window } from "./draw-timeline.js";

export interface Zoom {
  readonly window: Window;
  readonly isWhole: boolean;
  /** Above 1 shows less time; the place stays where it is. */
  zoom(factor: number, place?: number): void;
  /** Shifts the window by a share of its length. */
  pan(share: number): void;
  show(window: Window): void;
  /** Moves the window only where the span is not in it. */
  reveal(span: Window): void;
  fit(): void;
}

const SHORTEST = 500; // ms that a window shows at least

/** The part of a timeline of some length that is shown. */
export function useWindow(length: number): Zoom {
  const [window, setWindow] = useState<Window>({ start: 0, end: length });
  const before = useRef(length);
  const clamp = ({ start, end }: Window): Window => {
    const wide = Math.min(length, Math.max(SHORTEST, end - start));
    const from = Math.max(0, Math.min(length - wide, start));
    return { start: from, end: from + wide };
  };
  const show = (next: Window) => setWindow(clamp(next));
  useEffect(() => {
    // A whole timeline stays whole while it grows, or when pauses are drawn otherwise.
    const wasWhole = window.start <= 0 && window.end >= before.current - 1;
    before.current = length;
    setWindow(wasWhole ? { start: 0, end: length } : clamp(window));
  }, [length]);
  const wide = window.end - window.start;
  return {
    window,
    isWhole: wide >= length - 1,
    zoom(factor, place = (window.start + window.end) / 2) {
      const next = Math.min(length, Math.max(SHORTEST, wide / factor));
      const start = place - ((place - window.start) / wide) * next;
      show({ start, end: start + next });
    },
    pan: (share) => show({ start: window.start + share * wide, end: window.end + share * wide }),
    show,
    reveal(span) {
      if (span.start >= window.start && span.end <= window.end) return;
      if (span.start < window.end && span.end > window.start && span.end - span.start > wide) return;
      const start = (span.start + span.end) / 2 - wide / 2;
      show({ start, end: start + wide });
    },
    fit: () => setWindow({ start: 0, end: length }),
  };
}
