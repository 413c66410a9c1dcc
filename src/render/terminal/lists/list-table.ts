import { cutToColumns, textWidth } from "../../../text-width.js";
import { neutralize } from "../../safe-text.js";
import type { Style } from "../style.js";

export interface TableColumn<Row> {
  readonly title: string;
  cell(row: Row): string;
  /** Left-aligned; figures are right-aligned. */
  readonly isText?: boolean;
  /** On a narrow terminal columns with the highest number are dropped first; undefined: never. */
  readonly dropOrder?: number;
  /** Which end of a long text stays when it is cut. */
  readonly keep?: "start" | "end";
  paint?(cell: string): string;
}

export interface TableLayout {
  readonly columns: number;
  readonly style: Style;
}

const GAP = "  ";
const MIN_NAME_COLUMNS = 12;

/**
 * A table that is never wider than the terminal: columns are dropped, then the first column is cut. A row with only a
 * first cell is a heading and may take the whole width.
 */
export function paintListTable<Row>(
  rows: readonly Row[],
  all: readonly TableColumn<Row>[],
  { columns, style }: TableLayout,
): string {
  const isHeading = rows.map((row) => all.slice(1).every(({ cell }) => cell(row) === ""));
  const measured = all.map((column, at) => measure(column, rows, (row) => at === 0 && (isHeading[row] ?? false)));
  const shown = dropColumns(measured, columns);
  const [name, ...figures] = shown;
  if (!name) return "";
  const nameWidth = Math.max(
    0,
    Math.min(name.width, columns - widthOf(figures) - (figures.length > 0 ? GAP.length : 0)),
  );
  const line = (cells: readonly string[], paint: (cell: string, at: number) => string) =>
    cells
      .map((cell, at) => {
        const width = at === 0 ? nameWidth : (shown[at]?.width ?? 0);
        return paint(pad(cut(cell, width, shown[at]), width, shown[at]), at);
      })
      .join(GAP)
      .trimEnd();
  const head = style.dim(
    line(
      shown.map(({ title }) => title),
      (cell) => cell,
    ),
  );
  const body = rows.map((_, row) =>
    isHeading[row]
      ? cut(name.cells[row] ?? "", columns, name)
      : line(
          shown.map(({ cells }) => cells[row] ?? ""),
          (cell, at) => shown[at]?.paint?.(cell) ?? cell,
        ),
  );
  return [head, ...body].map((text) => `${text}\n`).join("");
}

interface Measured {
  readonly title: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly isText: boolean;
  readonly dropOrder: number | undefined;
  readonly keep: "start" | "end";
  readonly paint: ((cell: string) => string) | undefined;
}

function measure<Row>(
  column: TableColumn<Row>,
  rows: readonly Row[],
  isUnmeasured: (row: number) => boolean,
): Measured {
  const { title, isText = false, dropOrder, keep = "start", paint } = column;
  const cells = rows.map((row) => neutralize(column.cell(row)).replaceAll("\n", " "));
  const width = cells.reduce(
    (widest, cell, row) => (isUnmeasured(row) ? widest : Math.max(widest, textWidth(cell))),
    textWidth(title),
  );
  return { title, cells, width, isText, dropOrder, keep, paint };
}

/** Drops the least important columns before the name is cut. */
function dropColumns(all: readonly Measured[], columns: number): readonly Measured[] {
  const [name] = all;
  let shown = all;
  const wanted = Math.min(name?.width ?? 0, MIN_NAME_COLUMNS * 2);
  while (widthOf(shown.slice(1)) + GAP.length + wanted > columns) {
    const worst = Math.max(...shown.map(({ dropOrder = -1 }) => dropOrder));
    if (worst < 0) return shown;
    shown = shown.filter(({ dropOrder }) => dropOrder !== worst);
  }
  return shown;
}

function widthOf(shown: readonly Measured[]): number {
  return shown.reduce((sum, { width }) => sum + width, 0) + Math.max(0, shown.length - 1) * GAP.length;
}

function cut(cell: string, width: number, column: Measured | undefined): string {
  if (textWidth(cell) <= width) return cell;
  return column?.keep === "end" ? cutStart(cell, width) : cutToColumns(cell, width);
}

function cutStart(cell: string, width: number): string {
  const characters = [...cell];
  while (characters.length > 0 && textWidth(characters.join("")) > width - 1) characters.shift();
  return `…${characters.join("")}`;
}

function pad(cell: string, width: number, column: Measured | undefined): string {
  const filler = " ".repeat(Math.max(0, width - textWidth(cell)));
  return column?.isText ? cell + filler : filler + cell;
}

/** Columns as wide as their widest cell; numbers are right-aligned. */
export function paintPlainTable(rows: readonly (readonly string[])[], gap = "  "): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
    });
  return rows
    .map((row) =>
      row
        .map((cell, at) => alignCell(cell, widths[at] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .join("\n");
}

function alignCell(cell: string, width: number): string {
  const filler = " ".repeat(Math.max(0, width - textWidth(cell)));
  return /^[\d.,]+$/.test(cell) ? filler + cell : cell + filler;
}
