import type { PageTools } from "../../../src/render/html/components/page-tools.js";
import { loadExportTools } from "../../../src/render/html/export/export-tools.js";

export function loadPageTools(): Promise<PageTools> {
  return loadExportTools(null);
}

/** The head of a golden file: opened by hand, it looks as the page does. */
export function goldenHead(depth: number): string {
  const sheet = `${"../".repeat(depth)}src/render/html/styles/index.css`;
  return `<!doctype html>\n<meta charset="utf-8">\n<link rel="stylesheet" href="${sheet}">\n`;
}
