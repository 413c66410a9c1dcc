import { loadHighlighter } from "../../../src/render/code/load-highlighter.js";
import { createMarkdownHtml } from "../../../src/render/html/create-markdown-html.js";
import type { PageTools } from "../../../src/render/html/page-tools.js";

export async function loadPageTools(): Promise<PageTools> {
  const highlight = await loadHighlighter();
  return { highlight, markdown: createMarkdownHtml(highlight), project: null };
}

const STYLES = ["theme", "page", "items", "code", "print"];

/** The head of a golden file: opened by hand, it looks as the page does. */
export function goldenHead(depth: number): string {
  const root = "../".repeat(depth);
  const links = STYLES.map((name) => `<link rel="stylesheet" href="${root}src/render/html/styles/${name}.css">\n`);
  return `<!doctype html>\n<meta charset="utf-8">\n${links.join("")}`;
}
