import { textWidth } from "../../text-width.js";
import { formatCount } from "../format-values.js";
import { neutralize, trimBlankLines } from "../safe-text.js";
import type { PaintOptions } from "./paint-options.js";
import { type Ink, paintSpans, type SpanLine, toSpan, wrapSpans } from "./spans.js";

/** Maximum width of prose; code and tables may be wider. */
const PROSE_COLUMNS = 80;

export function proseColumns({ columns, isPlain }: PaintOptions): number {
  return isPlain ? columns : Math.min(columns, PROSE_COLUMNS);
}

/** Text wrapped to the width of prose. */
export function paintText(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintWrappedText(text, ink, options, proseColumns(options));
}

/** Program output, wrapped to the whole width. */
export function paintOutput(text: string, ink: Ink | null, options: PaintOptions): string[] {
  return paintWrappedText(text, ink, options, options.columns);
}

/** A line of spans, wrapped to the whole width. */
export function paintWords(line: SpanLine, { columns }: Pick<PaintOptions, "columns">): string[] {
  return wrapSpans(line, columns).map(paintSpans);
}

/** Counts the lines that are not shown. */
export function paintMore(lines: number, margin: string, options: PaintOptions): string[] {
  return paintWords([toSpan(`${margin}… ${formatCount(lines, "more line")}`, options.style.dim)], options);
}

function paintWrappedText(text: string, ink: Ink | null, options: PaintOptions, columns: number): string[] {
  return toTextLines(text, options).flatMap((line) => paintWords([{ text: line, ink }], { columns }));
}

/** On wider terminals, figures at the end of a line would be too far from its beginning. */
const LINE_COLUMNS = 100;
const PIPED_COLUMNS = 80;

export function lineColumns({ columns }: PaintOptions): number {
  return Math.min(columns, LINE_COLUMNS);
}

/** A horizontal rule with words at its beginning. */
export function paintRule(words: string, ink: Ink, options: PaintOptions, widerBy = 0): string[] {
  const label = toSpan(`── ${words} `, ink);
  const columns = options.isPlain ? PIPED_COLUMNS : Math.min(options.columns, LINE_COLUMNS + widerBy);
  const filler = columns - textWidth(label.text);
  if (filler >= 0 || options.isPlain) return [ink(label.text + "─".repeat(Math.max(0, filler)))];
  return paintWords([label], options);
}

/** Longer lines are cut on a screen, not in a pipe. */
const MAX_LINE_CHARACTERS = 10_000;
const TAB_STOP = 4;

type LineOptions = Pick<PaintOptions, "isPlain" | "isUncut">;

/** Splits text into safe lines; on a screen, tabs are expanded and very long lines cut. */
export function toTextLines(text: string, options: LineOptions): string[] {
  const lines = trimBlankLines(neutralize(text)).split("\n");
  return options.isPlain ? lines : lines.map((line) => toScreenLine(line, options));
}

/** The same for one line, which keeps its leading and trailing spaces. */
export function toTextLine(text: string, options: LineOptions): string {
  const line = neutralize(text).replaceAll("\n", " ");
  return options.isPlain ? line : toScreenLine(line, options);
}

function toScreenLine(line: string, { isUncut }: LineOptions): string {
  return expandTabs(isUncut ? line : cutLine(line));
}

function cutLine(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const left = (line.length - MAX_LINE_CHARACTERS).toLocaleString("en");
  return `${line.slice(0, MAX_LINE_CHARACTERS)} … ${left} more characters`;
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let column = 0;
  return line
    .split("\t")
    .map((part, index, parts) => {
      column += textWidth(part);
      if (index === parts.length - 1) return part;
      const filler = TAB_STOP - (column % TAB_STOP);
      column += filler;
      return part + " ".repeat(filler);
    })
    .join("");
}

export function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
