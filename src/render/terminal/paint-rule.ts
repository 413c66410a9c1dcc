import { textWidth } from "../../session/text-width.js";
import type { PaintOptions } from "./paint-options.js";
import { paintWords } from "./paint-text.js";
import { type Ink, toSpan } from "./span.js";

/** Farther to the right no eye looks for what belongs to a line. */
const LINE_COLUMNS = 100;
const PIPED_COLUMNS = 80;

export function lineColumns({ columns }: PaintOptions): number {
  return Math.min(columns, LINE_COLUMNS);
}

/** A line across the page, with words at its beginning. */
export function paintRule(words: string, ink: Ink, options: PaintOptions, widerBy = 0): string[] {
  const label = toSpan(`── ${words} `, ink);
  const columns = options.isPlain ? PIPED_COLUMNS : Math.min(options.columns, LINE_COLUMNS + widerBy);
  const filler = columns - textWidth(label.text);
  if (filler >= 0 || options.isPlain) return [ink(label.text + "─".repeat(Math.max(0, filler)))];
  return paintWords([label], options);
}
