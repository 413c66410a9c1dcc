import { loadHighlighter } from "../../render/highlight.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { createStyle } from "../../render/terminal/style.js";
import type { Io } from "../io.js";
import { parseTools, type ShowOptions } from "../options/show-options.js";
import { isColoured } from "./is-coloured.js";

const NARROWEST = 20;
const FORCED_COLUMNS = 80;

/** A pipe gets plain text, unless colours are forced for a pager. */
export function toPaintOptions({ tools, thinking }: Pick<ShowOptions, "tools" | "thinking">, io: Io): PaintOptions {
  const style = createStyle(isColoured(io));
  const isPlain = !io.isTerminal && !style.isColoured;
  const screen = io.isTerminal ? io.columns : Number(io.env["COLUMNS"]) || FORCED_COLUMNS;
  const columns = isPlain ? Number.POSITIVE_INFINITY : Math.max(screen, NARROWEST);
  return {
    style,
    columns,
    isPlain,
    thinking: thinking ?? false,
    tools: parseTools(tools),
    highlight: null,
    folder: null,
  };
}

/** Highlights code if the output has colours. */
export async function withHighlighter(paint: PaintOptions): Promise<PaintOptions> {
  return paint.style.isColoured ? { ...paint, highlight: await loadHighlighter() } : paint;
}
