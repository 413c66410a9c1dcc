import { loadHighlighter } from "../../../src/render/code/load-highlighter.js";
import { createStyle } from "../../../src/render/style.js";
import type { PaintOptions } from "../../../src/render/terminal/paint-options.js";

const highlight = await loadHighlighter();

/** As on a coloured terminal of so many columns. */
export function screenOptions(columns: number, more: Partial<PaintOptions> = {}): PaintOptions {
  const style = createStyle(true);
  return { style, columns, isPlain: false, thinking: false, tools: "brief", highlight, folder: null, ...more };
}
