import type { PatchHunk } from "../../format/record/file-changes.js";
import { neutralize } from "../safe-text.js";
import { paintBeside } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { toTextLine } from "./paint-text.js";
import { breakSpans, type Ink, paintSpans } from "./spans.js";
import type { Style } from "./style.js";

/** A unified diff, coloured and safe for the terminal. */
export function paintDiff(text: string, style: Style): string {
  return text
    .split("\n")
    .map((line) => paintLine(neutralize(line), style))
    .join("\n");
}

function paintLine(line: string, style: Style): string {
  if (/^(diff --git |--- |\+\+\+ |new file |deleted file )/.test(line)) return style.bold(line);
  if (line.startsWith("@@ ")) return style.cyan(line);
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : line;
}

/** Changed lines with their signs, and with line numbers where they are known. */
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
    const ink = inkOfSign(sign, style);
    const numbers = isPlaced ? `${shownNumber.padStart(digits)} ` : "";
    const room = " ".repeat(numbers.length + 2);
    const first = `${style.dim(numbers)}${ink ? ink(sign) : sign} `;
    return paintBeside({ first, others: room, columns: room.length }, options, ({ columns }) =>
      breakSpans([{ text: toTextLine(line.slice(1), options), ink }], columns).map(paintSpans),
    );
  });
}

function inkOfSign(sign: string, style: Style): Ink | null {
  if (sign === "+") return style.green;
  if (sign === "-") return style.red;
  return sign === "\\" ? style.dim : null;
}
