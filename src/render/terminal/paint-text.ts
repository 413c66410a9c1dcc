import type { PaintOptions } from "./paint-options.js";
import { type Ink, paintSpans } from "./span.js";
import { toTextLines } from "./text-lines.js";
import { wrapSpans } from "./wrap-spans.js";

/** Prose wider than this is hard to read; code and tables may be wider. */
const MEASURE = 80;

export function proseColumns({ columns, isPlain }: PaintOptions): number {
  return isPlain ? columns : Math.min(columns, MEASURE);
}

/** Words as they were written, wrapped to the width of prose. */
export function paintText(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintWrapped(text, ink, options, proseColumns(options));
}

/** What a program printed, over the whole width. */
export function paintOutput(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintWrapped(text, ink, options, options.columns);
}

function paintWrapped(text: string, ink: Ink | null, options: PaintOptions, columns: number): string[] {
  return toTextLines(text, options).flatMap((line) => wrapSpans([{ text: line, ink }], columns).map(paintSpans));
}
