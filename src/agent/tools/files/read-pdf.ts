import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageFolder } from "../../../package-folder.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import type { JudgedFile } from "./judged-file.js";
import type { PdfAnswer, PdfPages, PdfTask, PdfText } from "./pdf-worker.js";
import { type LineRange, showLines } from "./read-lines.js";

interface PdfOptions {
  readonly range: LineRange;
  /** For example `3` or `10-20`. */
  readonly pages: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_PAGES = 200; // per call
const MAX_SHOWN_PAGES = 100; // the API's limit for page images

/** The text of a PDF by page. A PDF without text, such as a scan, is sent to the API as a document. */
export async function readPdf(file: JudgedFile, { range, pages, signal }: PdfOptions): Promise<ToolOutcome> {
  const { path } = file;
  const { size } = file.stats;
  const wanted = toPages(pages);
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_BYTES) throw new ToolError(`${path} is too large to be read as a PDF file (${size} bytes).`);
  const data = file.readAll();
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

export interface PdfLimits {
  readonly ms: number;
  /** Of the whole process, because buffers do not count as heap. */
  readonly growthBytes: number;
}

const LIMITS: PdfLimits = { ms: 20_000, growthBytes: 512 * 1024 * 1024 };
const MAX_HEAP_MB = 512;
const MAX_CHARS = 1_000_000;
const WATCH_MS = 50;

/**
 * PDFs are untrusted input: parsed in a thread that is ended when it takes too much time or memory.
 * Rejects with a one-line `ToolError` for any damaged file.
 */
export async function readPdfText(
  data: Uint8Array,
  pages: PdfPages,
  signal: AbortSignal,
  limits: PdfLimits = LIMITS,
): Promise<PdfText> {
  const task: PdfTask = { data, ...pages, maxChars: MAX_CHARS };
  const worker = new Worker(join(packageFolder(), "dist", "pdf-worker.js"), {
    workerData: task,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  try {
    return await outcomeOf(worker, signal, limits);
  } finally {
    await worker.terminate();
  }
}

function outcomeOf(worker: Worker, signal: AbortSignal, { ms, growthBytes }: PdfLimits): Promise<PdfText> {
  const started = performance.now();
  const rss = process.memoryUsage.rss();
  return new Promise<PdfText>((resolve, reject) => {
    const fail = (reason: string) => reject(new ToolError(reason));
    const watch = setInterval(() => {
      if (signal.aborted) fail("interrupted");
      else if (performance.now() - started > ms) fail(`it takes more than ${ms / 1000} s`);
      else if (process.memoryUsage.rss() - rss > growthBytes) fail("it takes too much memory");
    }, WATCH_MS);
    worker.once("message", ({ text, problem }: PdfAnswer) => (text ? resolve(text) : fail(toOneLine(problem ?? ""))));
    worker.once("error", ({ message }) => fail(toOneLine(message)));
    worker.once("exit", () => {
      clearInterval(watch);
      fail("its reader ended");
    });
  });
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
