import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { extname } from "node:path";
import { z } from "zod";
import { createTool, ToolError, type ToolOutcome } from "../tool.js";
import { readImage } from "./read-image.js";
import { type LineRange, readLongText, showLines, showRange } from "./read-lines.js";
import { readNotebook } from "./read-notebook.js";
import { readPdf } from "./read-pdf.js";

const DEFAULT_LINES = 2_000;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const IMAGES: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

export const readTool = createTool({
  name: "Read",
  description: `Reads a file. file_path is absolute, or relative to the working directory. Gives up to ${DEFAULT_LINES} lines from the start, each with its number and a tab; offset and limit choose others. Also shows images (PNG, JPEG, GIF, WebP), the text of PDF files and Jupyter notebooks. Cannot read folders: list them with Bash or Glob.`,
  schema: z.object({
    file_path: z.string().min(1).describe("The file to read"),
    offset: z.number().int().min(0).optional().describe("The first line to read, counted from 1"),
    limit: z.number().int().positive().optional().describe("How many lines to read"),
    pages: z.string().optional().describe('Of a PDF file only these pages, for example "3" or "10-20"'),
  }),
  isReadOnly: true,
  action: ({ file_path }, { workspace }) => ({ kind: "read", ...workspace.place(file_path) }),
  async run({ file_path, offset, limit, pages }, { workspace, signal }) {
    const path = workspace.resolve(file_path);
    const stats = statFile(path, workspace.cwd);
    const range = { offset: Math.max(offset ?? 1, 1), limit: limit ?? DEFAULT_LINES };
    const isPdf = extname(path).toLowerCase() === ".pdf";
    const isPart = offset !== undefined || limit !== undefined;
    const outcome = isPdf
      ? await readPdf(path, stats, { range, pages, signal })
      : await readAny(path, stats, isPart ? range : undefined, signal);
    workspace.noteSeen(path);
    return outcome;
  },
});

function statFile(path: string, cwd: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new ToolError(`File does not exist. Note: your current working directory is ${cwd}.`);
  if (stats.isDirectory()) throw new ToolError(`${path} is a folder, not a file. List it with Bash or Glob.`);
  if (!stats.isFile()) throw new ToolError(`${path} is not a regular file.`);
  return stats;
}

async function readAny(
  path: string,
  stats: Stats,
  asked: LineRange | undefined,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const extension = extname(path).toLowerCase();
  if (IMAGES.has(extension)) return readImage(path, stats);
  if (extension === ".ipynb") return readNotebook(path, stats);
  const isLong = stats.size > MAX_TEXT_BYTES;
  if (isLong && !asked) {
    const hint = "Read some lines of it with offset and limit, or use Grep.";
    throw new ToolError(`${path} is too large to be read as a whole (${stats.size} bytes). ${hint}`);
  }
  if (looksBinary(path)) throw new ToolError(`${path} is a binary file; it cannot be shown as text.`);
  const range = asked ?? { offset: 1, limit: DEFAULT_LINES };
  return isLong
    ? showRange(path, await readLongText(path, range, signal), range)
    : showLines(path, readText(path), range);
}

function readText(path: string): string {
  return readFileSync(path, "utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
}

function looksBinary(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(8_192);
    return head.subarray(0, readSync(file, head)).includes(0);
  } finally {
    closeSync(file);
  }
}
