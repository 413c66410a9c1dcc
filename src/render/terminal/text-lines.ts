import { textWidth } from "../../session/text-width.js";
import { neutralize } from "../neutralize.js";
import { trimBlankLines } from "../trim-blank-lines.js";
import type { PaintOptions } from "./paint-options.js";

/** In characters. Nobody reads more of a line on a screen; a pipe gets it whole. */
const LONGEST_LINE = 10_000;
const TAB_STOP = 4;

/** Any text as lines that a screen can show: harmless, without tabs, and without the rest of endless lines. */
export function toTextLines(text: string, { isPlain }: Pick<PaintOptions, "isPlain">): string[] {
  const lines = trimBlankLines(neutralize(text)).split("\n");
  return isPlain ? lines : lines.map(toScreenLine);
}

/** One line, with the spaces around it. */
export function toTextLine(text: string, { isPlain }: Pick<PaintOptions, "isPlain">): string {
  const line = neutralize(text).replaceAll("\n", " ");
  return isPlain ? line : toScreenLine(line);
}

function toScreenLine(line: string): string {
  return expandTabs(cutLine(line));
}

function cutLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const left = (line.length - LONGEST_LINE).toLocaleString("en");
  return `${line.slice(0, LONGEST_LINE)} … ${left} more characters`;
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
