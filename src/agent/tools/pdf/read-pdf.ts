import { readFileSync, type Stats } from "node:fs";
import { type LineRange, showLines } from "../show-lines.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import { type PdfPages, type PdfText, readPdfText } from "./pdf-text.js";

interface PdfOptions {
  readonly range: LineRange;
  /** Such as `3` or `10-20`. */
  readonly pages: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_PAGES = 200; // at once
const MAX_SHOWN_PAGES = 100; // the API takes no more as pictures

/** The text of a PDF, page by page. Pages without any, such as scanned ones, are given to the API to look at. */
export async function readPdf(
  path: string,
  { size }: Stats,
  { range, pages, signal }: PdfOptions,
): Promise<ToolOutcome> {
  const wanted = toPages(pages);
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_BYTES) throw new ToolError(`${path} is too large to be read as a PDF file (${size} bytes).`);
  const data = readFileSync(path);
  const text = await readPdfText(data, wanted, signal).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(`${path} cannot be read as a PDF file: ${error.message}`);
  });
  if (text.pages.length === 0)
    throw new ToolError(`${path} has only ${text.totalPages} pages; there is no page ${wanted.first}.`);
  if (text.pages.some((page) => page.trim() !== "")) return showLines(path, toText(text, wanted), range);
  if (text.totalPages > MAX_SHOWN_PAGES)
    throw new ToolError(`${path} holds no text, and too many pages to be shown (${text.totalPages}).`);
  return showPages(path, data);
}

function toPages(text: string | undefined): PdfPages {
  if (text === undefined) return { first: 1, last: MAX_PAGES };
  const [, from, to] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(text) ?? [];
  const first = Number(from);
  const last = Number(to ?? from);
  if (!(first >= 1 && last >= first))
    throw new ToolError(`pages: "${text}" names no pages; "3" and "10-20" would.`, true);
  return { first, last: Math.min(last, first + MAX_PAGES - 1) };
}

function toText({ pages, totalPages }: PdfText, { first }: PdfPages): string {
  const texts = pages.map((page, at) => `[page ${first + at} of ${totalPages}]\n${page.trimEnd() || "(no text)"}`);
  const next = first + pages.length;
  const more = next <= totalPages ? [`[more with pages: "${next}-${totalPages}"]`] : [];
  return [...texts, ...more].join("\n\n");
}

function showPages(path: string, bytes: Buffer): ToolOutcome {
  const data = bytes.toString("base64");
  return {
    content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data } }],
    data: { type: "pdf", file: { filePath: path, base64: data, originalSize: bytes.length } },
  };
}
