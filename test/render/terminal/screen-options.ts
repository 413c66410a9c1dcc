import { loadHighlighter } from "../../../src/render/highlight.js";
import type { PaintOptions } from "../../../src/render/terminal/paint-options.js";
import { createStyle } from "../../../src/render/terminal/style.js";

const highlight = await loadHighlighter();

/** As on a coloured terminal of so many columns. */
export function screenOptions(columns: number, more: Partial<PaintOptions> = {}): PaintOptions {
  const style = createStyle(true);
  return { style, columns, isPlain: false, thinking: false, tools: "brief", highlight, folder: null, ...more };
}
