import { textWidth } from "../session/text-width.js";

/** Columns as wide as their widest cell; numbers to the right. */
export function paintTable(rows: readonly (readonly string[])[], gap = "  "): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
    });
  return rows
    .map((row) =>
      row
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, width: number): string {
  const filler = " ".repeat(Math.max(0, width - textWidth(cell)));
  return /^[\d.,]+$/.test(cell) ? filler + cell : cell + filler;
}
