import { formatDuration } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { shownToolName } from "../../render/tools/view-parts.js";
import { isFailure } from "../session/visible-parts.js";
import type { Palette } from "./palette.js";
import type { Span, TimelineModel, Waiting } from "./timeline-model.js";

/** The part of the timeline that is shown, in places of its scale. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

export interface CurvePoint {
  readonly turn: number;
  readonly amount: number;
  /** What is written beside the line of a compaction. */
  readonly seam: string | null;
}

export interface Drawing {
  readonly model: TimelineModel;
  readonly curve: readonly CurvePoint[];
  readonly formatAmount: (amount: number) => string;
  readonly window: Window;
  readonly width: number; // pixels
  readonly palette: Palette;
  /** The turn that is read, and the one under the pointer. */
  readonly current: number;
  readonly pointed: number | undefined;
}

/** Where the rows are, in pixels from the top. */
export const ROWS = {
  overview: 0,
  curve: 28,
  curveHeight: 52,
  axis: 84,
  turns: 100,
  waiting: 118,
  calls: 130,
} as const;
const [LANE, AGENT] = [13, 15];

export function agentsTop({ callLanes }: TimelineModel): number {
  return ROWS.calls + Math.max(1, callLanes) * LANE + 4;
}

export function heightOf(model: TimelineModel): number {
  return agentsTop(model) + model.agentLanes * AGENT + 4;
}

type Context = CanvasRenderingContext2D;

export function drawTimeline(context: Context, drawing: Drawing): void {
  const { model, width, palette } = drawing;
  context.clearRect(0, 0, width, heightOf(model));
  context.font = palette.font;
  context.textBaseline = "middle";
  drawOverview(context, drawing);
  drawCurve(context, drawing);
  drawAxis(context, drawing);
  drawTurns(context, drawing);
  drawCalls(context, drawing);
  drawAgents(context, drawing);
}

function toX({ window: { start, end }, width }: Pick<Drawing, "window" | "width">, place: number): number {
  return ((place - start) / Math.max(1, end - start)) * width;
}

/** The spans that are in the window, of a list in the order of their beginning; long ones before it may be missed by `slack`. */
function inWindow<One extends Span>(spans: readonly One[], { start, end }: Window, slack: number): readonly One[] {
  const first = firstAtOrAfter(spans, start - slack);
  const last = firstAtOrAfter(spans, end);
  return spans.slice(first, last);
}

export function firstAtOrAfter(spans: readonly Span[], place: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.start ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

const WAITING: Readonly<Record<Waiting, keyof Palette["colours"]>> = { model: "model", tool: "tool", person: "person" };

/** The whole session in a strip, with the window on it. */
function drawOverview(context: Context, { model, width, palette: { colours }, window, current }: Drawing): void {
  const all = { window: { start: 0, end: model.scale.length }, width };
  context.fillStyle = colours.raised;
  context.fillRect(0, 0, width, 20);
  let drawn = -1;
  for (const { start, end, failures, turn } of model.turns) {
    const [from, to] = [Math.floor(toX(all, start)), toX(all, end)];
    if (to <= drawn && failures === 0 && turn.index !== current) continue;
    const wide = Math.max(1, to - from - 0.5);
    context.fillStyle = colours.model;
    context.fillRect(from, 5, wide, 10);
    context.fillStyle = colours.failed;
    if (failures > 0) context.fillRect(from, 12, wide, 3);
    drawn = to;
  }
  const here = model.turns.find(({ turn }) => turn.index === current);
  if (here) {
    context.fillStyle = colours.ink;
    context.fillRect(toX(all, here.start), 0, 2, 20);
  }
  const [left, right] = [toX(all, window.start), toX(all, window.end)];
  if (right - left >= width - 1) return;
  context.fillStyle = colours.veil;
  context.fillRect(0, 0, left, 20);
  context.fillRect(right, 0, width - right, 20);
  context.strokeStyle = colours.accent;
  context.strokeRect(left + 0.5, 0.5, Math.max(3, right - left) - 1, 19);
}

function drawCurve(context: Context, drawing: Drawing): void {
  const { model, curve, palette, width, formatAmount } = drawing;
  const { colours } = palette;
  const highest = Math.max(1, ...curve.map(({ amount }) => amount));
  const floor = ROWS.curve + ROWS.curveHeight;
  const toY = (amount: number) => floor - (amount / highest) * (ROWS.curveHeight - 8);
  const byTurn = new Map(curve.map((point) => [point.turn, point]));
  context.fillStyle = colours.curve;
  context.strokeStyle = colours.rule;
  context.strokeRect(-1, floor + 0.5, width + 2, 0);
  let at = Number.NEGATIVE_INFINITY;
  let peak = 0;
  model.turns.forEach(({ start, turn }, index) => {
    const point = byTurn.get(turn.index);
    if (!point) return;
    const [from, to] = [toX(drawing, start), toX(drawing, model.turns[index + 1]?.start ?? model.scale.length)];
    if (to < 0 || from > width) return;
    // Several turns may share a pixel: the highest is drawn.
    peak = Math.floor(from) === at ? Math.max(peak, point.amount) : point.amount;
    at = Math.floor(from);
    context.fillRect(at, toY(peak), Math.max(1, Math.ceil(to) - at), floor - toY(peak));
  });
  drawSeams(context, drawing, byTurn);
  context.fillStyle = colours.muted;
  context.fillText(formatAmount(highest), 4, ROWS.curve + 2);
}

/** Compactions; their sizes are written where there is room. */
function drawSeams(context: Context, drawing: Drawing, byTurn: ReadonlyMap<number, CurvePoint>): void {
  const { colours } = drawing.palette;
  let free = 60;
  for (const { start, turn } of drawing.model.turns) {
    const seam = byTurn.get(turn.index)?.seam;
    const x = toX(drawing, start);
    if (seam == null || x < 0 || x > drawing.width) continue;
    context.fillStyle = colours.failed;
    context.fillRect(Math.round(x), ROWS.curve, 1, ROWS.curveHeight);
    const words = context.measureText(seam).width;
    if (x < free || x + words + 8 > drawing.width) continue;
    context.fillStyle = colours.muted;
    context.fillText(seam, x + 4, ROWS.curve + 2);
    free = x + words + 16;
  }
}

/** Steps between times on the axis, in ms. */
const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400].map((one) => one * 1000);
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const SECONDS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

function drawAxis(context: Context, drawing: Drawing): void {
  const { model, window, width, palette } = drawing;
  const perLabel = ((window.end - window.start) / Math.max(1, width)) * 90;
  const step = STEPS.find((one) => one >= perLabel) ?? 86_400_000;
  const clock = step < 60_000 ? SECONDS : CLOCK;
  let free = 0;
  let day = "";
  const write = (time: number, x: number) => {
    const date = DATE.format(time);
    const words = date === day ? clock.format(time) : `${date} ${clock.format(time)}`;
    const wide = context.measureText(words).width;
    if (x < free || x + wide > width) return;
    day = date;
    context.fillStyle = palette.colours.rule;
    context.fillRect(Math.round(x), ROWS.axis - 4, 1, heightOf(model));
    context.fillStyle = palette.colours.muted;
    context.fillText(words, x + 4, ROWS.axis + 6);
    free = x + wide + 24;
  };
  write(model.scale.timeAt(window.start), 0);
  for (let place = Math.ceil(window.start / step) * step; place < window.end; place += step) {
    write(model.scale.timeAt(place), toX(drawing, place));
  }
}

function drawTurns(context: Context, drawing: Drawing): void {
  const { model, window, palette, current, pointed } = drawing;
  const { colours } = palette;
  for (const { start, end, from, to } of model.scale.cuts) {
    const [x, wide] = [toX(drawing, start), toX(drawing, end) - toX(drawing, start)];
    if (wide < 3 || x > drawing.width || x + wide < 0) continue;
    hatch(context, x, ROWS.turns, wide, 28, colours.edge);
    label(context, `paused ${formatDuration(to - from)}`, { x, y: ROWS.turns + 8, wide, colour: colours.muted });
  }
  for (const { start, end, turn, failures, parts } of inWindow(model.turns, window, longest(model.turns))) {
    const [x, wide] = [toX(drawing, start), Math.max(1, toX(drawing, end) - toX(drawing, start) - 1)];
    if (x + wide < 0) continue;
    const isCurrent = turn.index === current;
    context.fillStyle = isCurrent ? colours.accent : turn.index === pointed ? colours.edge : colours.turn;
    context.fillRect(x, ROWS.turns, wide, 15);
    const words = `${turn.index}  ${neutralize(turn.prompt)}`;
    label(context, words, { x, y: ROWS.turns + 8, wide, colour: isCurrent ? colours.paper : colours.ink });
    for (const part of parts) {
      context.fillStyle = colours[WAITING[part.waiting]];
      const left = toX(drawing, part.start);
      context.fillRect(left, ROWS.waiting, Math.max(0.5, toX(drawing, part.end) - left), 8);
    }
    if (failures === 0) continue;
    context.fillStyle = colours.failed;
    context.fillRect(x, ROWS.turns + 13, wide, 2);
  }
}

function drawCalls(context: Context, drawing: Drawing): void {
  const { model, window, palette } = drawing;
  const { colours } = palette;
  const drawn = new Map<number, number>();
  for (const { start, end, call, lane } of inWindow(model.calls, window, longest(model.calls))) {
    const x = toX(drawing, start);
    const wide = Math.max(2, toX(drawing, end) - x);
    const isFailed = isFailure(call.status);
    if (x + wide < 0 || (x + wide <= (drawn.get(lane) ?? -1) && !isFailed)) continue;
    drawn.set(lane, x + wide);
    const y = ROWS.calls + lane * LANE;
    context.fillStyle = isFailed ? colours.failedWash : colours.toolWash;
    context.fillRect(x, y, wide, LANE - 2);
    context.fillStyle = isFailed ? colours.failed : colours.tool;
    context.fillRect(x, y, 2, LANE - 2);
    label(context, neutralize(shownToolName(call.name)), { x: x + 2, y: y + 6, wide: wide - 2, colour: colours.ink });
  }
}

function drawAgents(context: Context, drawing: Drawing): void {
  const { model, palette } = drawing;
  const { colours } = palette;
  for (const { start, end, agent, lane, calls } of model.agents) {
    const x = toX(drawing, start);
    const wide = Math.max(2, toX(drawing, end) - x);
    if (x + wide < 0 || x > drawing.width) continue;
    const y = agentsTop(model) + lane * AGENT;
    context.fillStyle = colours.agentWash;
    context.fillRect(x, y, wide, AGENT - 2);
    for (const { start: from, end: to, call } of calls) {
      context.fillStyle = isFailure(call.status) ? colours.failed : colours.agent;
      context.fillRect(toX(drawing, from), y + AGENT - 5, Math.max(1, toX(drawing, to) - toX(drawing, from)), 3);
    }
    label(context, neutralize(agent.name), { x, y: y + 6, wide, colour: colours.ink });
  }
}

/** How far before the window a span may begin and still reach into it. */
function longest(spans: readonly Span[]): number {
  const known = LONGEST.get(spans);
  if (known !== undefined) return known;
  const found = spans.reduce((most, { start, end }) => Math.max(most, end - start), 0);
  LONGEST.set(spans, found);
  return found;
}

const LONGEST = new WeakMap<readonly Span[], number>();

interface Label {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
  readonly colour: string;
}

const NARROWEST = 22; // pixels that a text needs

/** Cut to the room there is; from the left edge on where the beginning is out of sight. */
function label(context: Context, text: string, { x, y, wide, colour }: Label): void {
  const left = Math.max(0, x);
  const room = x + wide - left - 6;
  if (room < NARROWEST) return;
  context.save();
  context.beginPath();
  context.rect(left, y - 8, room + 3, 16);
  context.clip();
  context.fillStyle = colour;
  context.fillText(text.slice(0, 200), left + 4, y);
  context.restore();
}

function hatch(context: Context, x: number, y: number, wide: number, high: number, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, wide, high);
  context.clip();
  context.strokeStyle = colour;
  context.globalAlpha = 0.35;
  for (let at = Math.max(-high, x - high); at < Math.min(x + wide, 6000); at += 6) {
    context.beginPath();
    context.moveTo(at, y + high);
    context.lineTo(at + high, y);
    context.stroke();
  }
  context.restore();
}
