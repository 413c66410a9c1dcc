import type { Highlight } from "../code/load-highlighter.js";
import type { ShownSession } from "../shown-session.js";
import { createStyle } from "../style.js";
import type { PaintOptions } from "../terminal/paint-options.js";
import type { TurnItem } from "../turn-items.js";
import type { CastStep } from "./cast-step.js";

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  /** How much faster than life. */
  readonly speed: number;
  readonly maxPause: number; // seconds
  readonly tools: "full" | "brief" | "none";
  readonly thinking: boolean;
  /** How many levels of sub-agents are told. */
  readonly depth: number;
  /** Code has no colours without it. */
  readonly highlight?: Highlight | null;
}

/** Where in the recording of a session we are. */
export interface Stage {
  /** The session whose turns are played: itself, or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: RecordingOptions;
  /** As in a terminal, beside the margin. */
  readonly paint: PaintOptions;
  /** Stands before every line of a sub-agent. */
  readonly margin: string;
  readonly depth: number; // levels of sub-agents that are left
  readonly told: Set<string>; // sub-agents
  /** When the last thing happened. */
  readonly clock: { time: string | null };
  /** Items hold calls, calls sub-agents, and those items again. */
  play(items: readonly TurnItem[], stage: Stage): Iterable<CastStep>;
}

/** The last column stays free: terminals differ in what they do when it is full. */
export function toPaintOptions(
  session: ShownSession,
  { columns, tools, highlight = null }: RecordingOptions,
): PaintOptions {
  const folder = session.header.project;
  return { style: createStyle(true), columns: columns - 1, isPlain: false, thinking: false, tools, highlight, folder };
}

/** How long it took until now, as far as it is worth waiting for. */
export function pauseUntil(timestamp: string | null, { clock, options }: Stage): number {
  const seconds = (Date.parse(timestamp ?? "") - Date.parse(clock.time ?? "")) / 1000;
  clock.time = timestamp ?? clock.time;
  return seconds > 0 ? Math.min(seconds, options.maxPause) : 0;
}

/** A recording shows how it was, not all that was: the rest of a long text is counted. */
export function cutLines(lines: readonly string[], most: number, { style }: PaintOptions): readonly string[] {
  const left = lines.length - most + 1;
  return left <= 1 ? lines : [...lines.slice(0, most - 1), style.dim(`… ${left} more lines`)];
}

/** In characters. No recording shows more of one text, so the rest is not even painted. */
const LONGEST_TEXT = 20_000;

export function cutText(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}\n…`;
}
