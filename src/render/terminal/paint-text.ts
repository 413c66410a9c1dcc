import type { PaintOptions } from "./paint-options.js";
import { type Ink, paintSpans, type SpanLine } from "./span.js";
import { toTextLines } from "./text-lines.js";
import { breakSpans, wrapSpans } from "./wrap-spans.js";

/** Prose wider than this is hard to read; code and tables may be wider. */
const MEASURE = 80;

export function proseColumns({ columns, isPlain }: PaintOptions): number {
  return isPlain ? columns : Math.min(columns, MEASURE);
}

/** Words as they were written, wrapped to the width of prose. */
export function paintText(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintLines(toTextLines(text, options), ink, (line) => wrapSpans(line, proseColumns(options)));
}

/** What a program printed, over the whole width. */
export function paintOutput(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintLines(toTextLines(text, options), ink, (line) => breakSpans(line, options.columns));
}

function paintLines(lines: readonly string[], ink: Ink | null, breakLine: (line: SpanLine) => SpanLine[]): string[] {
  return lines.flatMap((text) => breakLine([{ text, ink }]).map(paintSpans));
}
