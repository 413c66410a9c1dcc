import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import { reasonOf } from "../../../errors.js";

export interface PdfPages {
  readonly first: number; // 1-based
  readonly last: number;
}

export interface PdfTask extends PdfPages {
  readonly data: Uint8Array;
  readonly maxChars: number;
}

export interface PdfText {
  readonly totalPages: number;
  /** From `first`; fewer than requested if the text became too long. */
  readonly pages: readonly string[];
}

export interface PdfAnswer {
  readonly text?: PdfText;
  readonly problem?: string;
}

/** A run of characters, or a mark without any. */
interface PdfItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
}

/** The file that a thread runs: one PDF, one answer. */
const answer = (message: PdfAnswer) => parentPort?.postMessage(message);
readPages(workerData as PdfTask).then(
  (text) => answer({ text }),
  (error: unknown) => answer({ problem: reasonOf(error) }),
);

async function readPages({ data, first, last, maxChars }: PdfTask): Promise<PdfText> {
  const pdf = await getDocumentProxy(data, { isEvalSupported: false, verbosity: 0 });
  const pages: string[] = [];
  for (let number = first, chars = 0; number <= Math.min(last, pdf.numPages) && chars <= maxChars; number++) {
    const page = await pdf.getPage(number);
    const { items }: { items: readonly PdfItem[] } = await page.getTextContent();
    page.cleanup();
    const text = items.map(({ str = "", hasEOL }) => (hasEOL ? `${str}\n` : str)).join("");
    pages.push(text.slice(0, maxChars));
    chars += text.length;
  }
  return { totalPages: pdf.numPages, pages };
}
