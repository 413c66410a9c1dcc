import { cutToColumns } from "../../session/titles.js";
import { neutralize } from "../neutralize.js";
import type { ShownSession } from "../shown-session.js";
import type { Style } from "../style.js";
import { trimBlankLines } from "../trim-blank-lines.js";
import type { TurnItem } from "../turn-items.js";
import { wrapLines } from "../wrap-lines.js";
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
}

/** Where in the recording of a session we are. */
export interface Stage {
  /** The session whose turns are played: itself, or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: RecordingOptions;
  readonly style: Style;
  /** Stands before every line of a sub-agent. */
  readonly margin: string;
  readonly depth: number; // levels of sub-agents that are left
  readonly told: Set<string>; // sub-agents
  /** When the last thing happened. */
  readonly clock: { time: string | null };
  /** Items hold calls, calls sub-agents, and those items again. */
  play(items: readonly TurnItem[], stage: Stage): Iterable<CastStep>;
}

/** How long it took until now, as far as it is worth waiting for. */
export function pauseUntil(timestamp: string | null, { clock, options }: Stage): number {
  const seconds = (Date.parse(timestamp ?? "") - Date.parse(clock.time ?? "")) / 1000;
  clock.time = timestamp ?? clock.time;
  return seconds > 0 ? Math.min(seconds, options.maxPause) : 0;
}

/** Words of a session, harmless and no wider than the terminal; `used` columns are taken. */
export function fitted(text: string, { options, margin }: Stage, used: number): string {
  return wrapLines(trimBlankLines(plain(text)), options.columns - 1 - used - margin.length);
}

export function withMargin(lines: string, { margin }: Stage): string {
  return lines.replace(/^/gm, margin);
}

/** On one line, which the terminal never breaks. */
export function oneLine(text: string, columns: number): string {
  return cutToColumns(plain(text).replace(/\s+/g, " ").trim(), columns - 1);
}

/** A recording shows how it was, not all that was: the rest of a long text is counted. */
export function cutLines(text: string, most: number): string {
  const lines = text.split("\n");
  return lines.length <= most
    ? text
    : `${lines.slice(0, most - 1).join("\n")}\n… ${lines.length - most + 1} more lines`;
}

function plain(text: string): string {
  return neutralize(text).replaceAll("\t", "    ").replace(NO_CHARACTER, "\ufffd");
}

/** Players and XML refuse them. */
const NO_CHARACTER = /\p{Surrogate}|[\ufffe\uffff]/gu;
