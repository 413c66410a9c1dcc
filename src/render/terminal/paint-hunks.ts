import type { PatchHunk } from "../../format/structured-patch.js";
import type { Style } from "../style.js";
import { paintBeside } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { type Ink, paintSpans } from "./span.js";
import { toTextLine } from "./text-lines.js";
import { breakSpans } from "./wrap-spans.js";

/** What changed in a file: the number of each line where it is known, its sign, and the line. */
export function paintHunks(hunks: readonly PatchHunk[], options: PaintOptions): string[] {
  const digits = Math.max(...hunks.map(lastNumber)).toString().length;
  const gap = options.style.dim("⋯");
  return hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [gap]), ...paintHunk(hunk, digits, options)]);
}

function lastNumber({ oldStart, newStart, lines }: PatchHunk): number {
  return Math.max(oldStart, newStart) + lines.length;
}

function paintHunk({ oldStart, newStart, lines }: PatchHunk, digits: number, options: PaintOptions): string[] {
  const { style } = options;
  const isPlaced = newStart > 0 || oldStart > 0;
  const next = { old: oldStart, new: newStart };
  return lines.flatMap((line) => {
    const sign = line[0] ?? " ";
    const number = sign === "-" ? next.old : next.new;
    if (sign !== "+" && sign !== "\\") next.old += 1;
    if (sign !== "-" && sign !== "\\") next.new += 1;
    const shownNumber = sign === "\\" ? "" : String(number);
    const ink = inkOf(sign, style);
    const numbers = isPlaced ? `${shownNumber.padStart(digits)} ` : "";
    const room = " ".repeat(numbers.length + 2);
    const first = `${style.dim(numbers)}${ink ? ink(sign) : sign} `;
    return paintBeside({ first, others: room, columns: room.length }, options, ({ columns }) =>
      breakSpans([{ text: toTextLine(line.slice(1), options), ink }], columns).map(paintSpans),
    );
  });
}

function inkOf(sign: string, style: Style): Ink | null {
  if (sign === "+") return style.green;
  if (sign === "-") return style.red;
  return sign === "\\" ? style.dim : null;
}
