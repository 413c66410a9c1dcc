import { formatCount } from "../format-values.js";
import type { PaintOptions } from "./paint-options.js";
import { type Ink, paintSpans, type SpanLine, toSpan } from "./span.js";
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

/** A line of our own words, wrapped over the whole width. */
export function paintWords(line: SpanLine, { columns }: Pick<PaintOptions, "columns">): string[] {
  return wrapSpans(line, columns).map(paintSpans);
}

/** How much is not shown here. */
export function paintMore(lines: number, margin: string, options: PaintOptions): string[] {
  return paintWords([toSpan(`${margin}… ${formatCount(lines, "more line")}`, options.style.dim)], options);
}

function paintWrapped(text: string, ink: Ink | null, options: PaintOptions, columns: number): string[] {
  return toTextLines(text, options).flatMap((line) => paintWords([{ text: line, ink }], { columns }));
}
