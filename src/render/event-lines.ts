import { isFailed, type SessionEvent } from "../session/events.js";
import { cutToColumns } from "../session/titles.js";
import { formatDuration, formatTime } from "./format-values.js";
import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";

/** One event, one line. */
export function paintEvent(event: SessionEvent, columns: number, style: Style): string {
  const { timestamp, type, tool, input, durationMs, errorMsg } = event;
  const took = durationMs === null ? "" : ` (${formatDuration(durationMs)})`;
  const what = [tool, input].filter((part) => part).join(" ");
  const why = errorMsg ? `: ${errorMsg}` : "";
  const text = neutralize(`${what}${took}${why}`.replace(/\s+/g, " "));
  const line = cutToColumns(`${formatTime(timestamp)}  ${type.padEnd(9)}  ${text}`, columns);
  return `${isFailed(event) ? style.red(line) : line}\n`;
}
