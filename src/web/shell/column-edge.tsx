import { useRef, useState } from "preact/hooks";

const KEY = "turnlog-list-width";
const [MIN, MAX, DEFAULT, STEP] = [240, 640, 340, 16]; // pixels

export interface ColumnWidth {
  readonly pixels: number;
  readonly style: { readonly style?: Record<string, string> };
  set(pixels: number): void;
}

/** The width of the list that the user chose; remembered. */
export function useColumnWidth(): ColumnWidth {
  const [pixels, setPixels] = useState(readWidth);
  return {
    pixels: pixels ?? DEFAULT,
    style: pixels === undefined ? {} : { style: { "--list-width": `${pixels}px` } },
    set(wanted) {
      const width = Math.round(Math.min(MAX, Math.max(MIN, wanted)));
      setPixels(width);
      try {
        localStorage.setItem(KEY, String(width));
      } catch {
        // Storage may be disabled; the width lasts until the page is closed.
      }
    },
  };
}

function readWidth(): number | undefined {
  const known = Number(localStorage.getItem(KEY));
  return known >= MIN && known <= MAX ? known : undefined;
}

/** The edge between list and session: dragged, or moved with the arrow keys. */
export function ColumnEdge({ width }: { readonly width: ColumnWidth }) {
  const start = useRef<{ readonly x: number; readonly pixels: number }>(undefined);
  return (
    <div
      class="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the list"
      aria-valuenow={width.pixels}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()} // else the browser drags a link under the pointer
      onPointerDown={(event) => {
        start.current = { x: event.clientX, pixels: shownWidth(event.currentTarget, width) };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={({ clientX }) => {
        if (start.current) width.set(start.current.pixels + clientX - start.current.x);
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        width.set(shownWidth(event.currentTarget, width) + by);
      }}
    />
  );
}

/** Until a width is chosen, the style decides. */
function shownWidth(edge: HTMLElement, { pixels }: ColumnWidth): number {
  return edge.parentElement?.offsetWidth ?? pixels;
}
