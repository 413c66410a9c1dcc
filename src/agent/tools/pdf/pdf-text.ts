import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { ToolError } from "../tool.js";

export interface PdfPages {
  readonly first: number; // counted from 1
  readonly last: number;
}

export interface PdfText {
  readonly totalPages: number;
  /** From `first` on; fewer than asked for where the text became too long. */
  readonly pages: readonly string[];
}

export interface PdfLimits {
  readonly ms: number;
  /** Of the whole process: buffers do not count as heap. */
  readonly growthBytes: number;
}

const LIMITS: PdfLimits = { ms: 20_000, growthBytes: 512 * 1024 * 1024 };
const MAX_HEAP_MB = 512;
const MAX_CHARS = 1_000_000;
const WATCH_MS = 50;

/** A PDF is a program of strangers: it is read in a thread that can be ended when it takes too long or too much. */
const SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const { module, data, first, last, maxChars } = workerData;
const textOf = ({ items }) => items.map(({ str = "", hasEOL }) => (hasEOL ? str + "\\n" : str)).join("");
async function read() {
  const { getDocumentProxy } = await import(module);
  const pdf = await getDocumentProxy(data, { isEvalSupported: false, verbosity: 0 });
  const pages = [];
  for (let n = first, chars = 0; n <= Math.min(last, pdf.numPages) && chars <= maxChars; n++) {
    const page = await pdf.getPage(n);
    const text = textOf(await page.getTextContent());
    page.cleanup();
    pages.push(text.slice(0, maxChars));
    chars += text.length;
  }
  return { totalPages: pdf.numPages, pages };
}
read().then((text) => parentPort.postMessage({ text }), (error) => parentPort.postMessage({ problem: String(error?.message ?? error) }));
`;

/** Rejects with a `ToolError` of one line, whatever is wrong with the file. */
export async function readPdfText(
  data: Uint8Array,
  pages: PdfPages,
  signal: AbortSignal,
  limits: PdfLimits = LIMITS,
): Promise<PdfText> {
  const require = createRequire(import.meta.url);
  const module = pathToFileURL(require.resolve("unpdf")).href;
  const worker = new Worker(SCRIPT, {
    eval: true,
    workerData: { module, data, ...pages, maxChars: MAX_CHARS },
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
    worker.once("message", ({ text, problem }: { text?: PdfText; problem?: string }) =>
      text ? resolve(text) : fail(toOneLine(problem ?? "")),
    );
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
