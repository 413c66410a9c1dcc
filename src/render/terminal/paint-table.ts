import { paintBeside } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintWords } from "./paint-text.js";
import { paintSpans, type Span, type SpanLine, spansWidth, wrapSpans } from "./spans.js";

export type Alignment = "left" | "right" | "centre";

export interface Cells {
  readonly head: readonly SpanLine[];
  readonly rows: readonly (readonly SpanLine[])[];
  readonly alignments?: readonly Alignment[];
}

const MIN_CELL_COLUMNS = 6;
const SEPARATOR = " │ ";

/** A table no wider than the screen: cells are wrapped or, on a narrow screen, listed one below the other. */
export function paintTable(table: Cells, options: PaintOptions): string[] {
  const all = [table.head, ...table.rows];
  const count = all.reduce((most, row) => Math.max(most, row.length), 0);
  const natural = Array.from({ length: count }, (_, at) =>
    all.reduce((widest, row) => Math.max(widest, spansWidth(row[at] ?? [])), 1),
  );
  const room = options.columns - SEPARATOR.length * (count - 1);
  const widths = fitWidths(natural, room);
  const isTooNarrow = widths.some((width, at) => width < Math.min(MIN_CELL_COLUMNS, natural[at] ?? 0));
  return isTooNarrow || room < count ? paintRecords(table, options) : paintGrid(table, widths, options);
}

/** The widest columns shrink first. */
function fitWidths(natural: readonly number[], room: number): number[] {
  const sum = (cap: number) => natural.reduce((total, width) => total + Math.min(width, cap), 0);
  if (sum(Number.POSITIVE_INFINITY) <= room) return [...natural];
  let cap = 1;
  while (sum(cap + 1) <= room) cap += 1;
  let left = room - sum(cap);
  return natural.map((width) => {
    if (width <= cap || left <= 0) return Math.min(width, cap);
    left -= 1;
    return cap + 1;
  });
}

function paintGrid({ head, rows, alignments = [] }: Cells, widths: readonly number[], options: PaintOptions): string[] {
  const { style } = options;
  const paintRow = (row: readonly SpanLine[], paint: (text: string) => string): string[] => {
    const cells = widths.map((width, at) => wrapSpans(row[at] ?? [], width));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, at) => pad(lines[line] ?? [], widths[at] ?? 0, alignments[at] ?? "left", paint))
        .join(style.dim(SEPARATOR))
        .trimEnd(),
    );
  };
  const rule = style.dim(widths.map((width) => "─".repeat(width)).join("─┼─"));
  return [...paintRow(head, style.bold), rule, ...rows.flatMap((row) => paintRow(row, (text) => text))];
}

function pad(cell: SpanLine, width: number, alignment: Alignment, paint: (text: string) => string): string {
  const free = Math.max(0, width - spansWidth(cell));
  const before = alignment === "right" ? free : alignment === "centre" ? Math.floor(free / 2) : 0;
  return " ".repeat(before) + paint(paintSpans(cell)) + " ".repeat(free - before);
}

/** Each row as a list of its cells, for tables with too many columns. */
function paintRecords({ head, rows }: Cells, options: PaintOptions): string[] {
  const { style } = options;
  const colon: Span = { text: ": ", ink: style.dim };
  const indented = { first: "", others: "  ", columns: 2 };
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap((cell, at) => {
      const name = (head[at] ?? []).map((span) => ({ ...span, ink: style.bold }));
      return paintBeside(indented, options, ({ columns }) => paintWords([...name, colon, ...cell], { columns }));
    }),
  ]);
}
