import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { describeAgent, describeCall, describeTurn, type Pointed } from "./describe-pointed.js";
import {
  agentsTop,
  type CurvePoint,
  type Drawing,
  drawTimeline,
  firstAtOrAfter,
  heightOf,
  ROWS,
  type Window,
} from "./draw-timeline.js";
import { usePalette } from "./palette.js";
import type { TimelineModel } from "./timeline-model.js";
import type { Zoom } from "./use-window.js";

interface TimelineCanvasProps {
  readonly model: TimelineModel;
  readonly curve: readonly CurvePoint[];
  readonly formatAmount: (amount: number) => string;
  readonly zoom: Zoom;
  readonly current: number;
  readonly pointed: Pointed | undefined;
  onPoint(pointed: Pointed | undefined): void;
  onGo(turn: number, anchor?: string): void;
}

/** One canvas, however many turns there are. Wheel and keys zoom, dragging moves, the strip above is brushed. */
export function TimelineCanvas(props: TimelineCanvasProps) {
  const { model, curve, formatAmount, zoom, current, pointed, onPoint, onGo } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidthOf(canvas);
  const palette = usePalette();
  const drawing: Drawing = {
    ...{ model, curve, formatAmount, width, palette, current },
    window: zoom.window,
    pointed: pointed?.turn,
  };
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || width === 0) return;
    const [ratio, height] = [devicePixelRatio || 1, heightOf(model)];
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    element.style.height = `${height}px`;
    context.scale(ratio, ratio);
    drawTimeline(context, drawing);
  });
  const find = (x: number, y: number) => findAt(drawing, x, y);
  const drag = useDrag({ drawing, zoom, find, onPoint, onGo });
  useWheel(canvas, drawing, zoom);
  return (
    <div
      class="timeline-box"
      role="group"
      tabIndex={0}
      aria-label="Turns over time: left and right go from turn to turn, plus and minus zoom, Enter shows the turn"
      onKeyDown={(event) => pressKey(event, props)}
    >
      <canvas ref={canvas} class="timeline-canvas" {...drag} />
    </div>
  );
}

function useWidthOf(canvas: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = canvas.current?.parentElement;
    if (!box) return;
    const measure = () => setWidth(box.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}

/** What is drawn at a place of the canvas. */
function findAt(drawing: Drawing, x: number, y: number): Pointed | undefined {
  const { model, window, width, curve, formatAmount } = drawing;
  const place = window.start + (x / Math.max(1, width)) * (window.end - window.start);
  const near = ((window.end - window.start) / Math.max(1, width)) * 3; // three pixels
  const isAt = ({ start, end }: Window) => place >= start - near && place <= end + near;
  if (y >= agentsTop(model)) {
    const lane = Math.floor((y - agentsTop(model)) / 15);
    const agent = model.agents.find((one) => one.lane === lane && isAt(one));
    if (agent) return describeAgent(agent);
  } else if (y >= ROWS.calls) {
    const lane = Math.floor((y - ROWS.calls) / 13);
    const call = model.calls.findLast((one) => one.lane === lane && isAt(one));
    if (call) return describeCall(call);
  }
  const turn = model.turns[Math.max(0, firstAtOrAfter(model.turns, place + near) - 1)]?.turn.index;
  if (turn === undefined) return undefined;
  return { turn, anchor: "", words: describeTurn(model, turn, curve, formatAmount) };
}

interface DragOptions extends Pick<TimelineCanvasProps, "zoom" | "onPoint" | "onGo"> {
  readonly drawing: Drawing;
  find(x: number, y: number): Pointed | undefined;
}

interface Dragged {
  readonly x: number;
  readonly isBrush: boolean;
  readonly window: Window;
  isMoved: boolean;
}

const CLICK = 4; // pixels that a hand may move in a click

/** A click goes to the turn, dragging moves the window, brushing the strip chooses it and shows its first turn. */
function useDrag({ drawing, zoom, find, onPoint, onGo }: DragOptions) {
  const dragged = useRef<Dragged>(undefined);
  const { model, width } = drawing;
  const placeInStrip = (x: number) => (Math.max(0, Math.min(width, x)) / Math.max(1, width)) * model.scale.length;
  const move = (event: PointerEvent) => {
    const { offsetX: x, offsetY: y } = event;
    const from = dragged.current;
    if (!from) return onPoint(y < 22 ? undefined : find(x, y));
    if (Math.abs(x - from.x) > CLICK) from.isMoved = true;
    if (!from.isMoved) return;
    if (from.isBrush) {
      const [a, b] = [placeInStrip(from.x), placeInStrip(x)];
      return zoom.show({ start: Math.min(a, b), end: Math.max(a, b) });
    }
    const shift = ((from.x - x) / Math.max(1, width)) * (from.window.end - from.window.start);
    zoom.show({ start: from.window.start + shift, end: from.window.end + shift });
  };
  const up = (event: PointerEvent) => {
    const from = dragged.current;
    dragged.current = undefined;
    if (!from) return;
    if (!from.isMoved && !from.isBrush) {
      const found = find(event.offsetX, event.offsetY);
      if (found) onGo(found.turn, found.anchor);
      return;
    }
    if (!from.isBrush) return;
    if (!from.isMoved) {
      const half = (zoom.window.end - zoom.window.start) / 2;
      const middle = placeInStrip(event.offsetX);
      zoom.show({ start: middle - half, end: middle + half });
    }
    const start = Math.min(placeInStrip(from.x), placeInStrip(event.offsetX));
    const first = model.turns[firstAtOrAfter(model.turns, start)] ?? model.turns.at(-1);
    if (first) onGo(first.turn.index);
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      if (event.target instanceof Element) event.target.setPointerCapture(event.pointerId);
      const { offsetX: x, offsetY: y } = event;
      dragged.current = { x, isBrush: y < 22, window: zoom.window, isMoved: false };
    },
    onPointerMove: move,
    onPointerUp: up,
    onPointerLeave: () => dragged.current ?? onPoint(undefined),
  };
}

/** A listener of its own: the page must not scroll, and Preact's are passive on some elements. */
function useWheel(canvas: { readonly current: HTMLElement | null }, drawing: Drawing, zoom: Zoom): void {
  const latest = useRef({ drawing, zoom });
  latest.current = { drawing, zoom };
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const roll = (event: WheelEvent) => {
      const { drawing: shown, zoom: by } = latest.current;
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      event.preventDefault();
      if (isSideways) return by.pan((event.deltaX || event.deltaY) / Math.max(1, shown.width));
      const { start, end } = shown.window;
      by.zoom(Math.exp(-event.deltaY / 400), start + (event.offsetX / Math.max(1, shown.width)) * (end - start));
    };
    element.addEventListener("wheel", roll, { passive: false });
    return () => element.removeEventListener("wheel", roll);
  }, []);
}

function pressKey(
  event: KeyboardEvent,
  { model, zoom, current, pointed, onPoint, onGo, ...words }: TimelineCanvasProps,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = model.turns.findIndex(({ turn }) => turn.index === (pointed?.turn ?? current));
  const step = (by: number) => {
    const next = model.turns[Math.max(0, Math.min(model.turns.length - 1, at + by))];
    if (!next) return;
    const { index } = next.turn;
    onPoint({ turn: index, anchor: "", words: describeTurn(model, index, words.curve, words.formatAmount) });
    zoom.reveal(next);
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    PageDown: () => step(20),
    PageUp: () => step(-20),
    "+": () => zoom.zoom(2, model.turns[at]?.start),
    "=": () => zoom.zoom(2, model.turns[at]?.start),
    "-": () => zoom.zoom(0.5, model.turns[at]?.start),
    "0": zoom.fit,
    Enter: () => onGo(pointed?.turn ?? current, pointed?.anchor ?? ""),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
