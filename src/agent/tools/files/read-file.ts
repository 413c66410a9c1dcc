import { extname } from "node:path";
import { z } from "zod";
import { createTool } from "../create-tool.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import { type JudgedFile, openJudged, pathsOf, placeOf } from "./judged-file.js";
import { readImage } from "./read-image.js";
import { type LineRange, readLongText, showLines, showRange } from "./read-lines.js";
import { readNotebook } from "./read-notebook.js";
import { readPdf } from "./read-pdf.js";

const DEFAULT_LINES = 2_000;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** A NUL in them is the sign of a binary file. */
const HEAD_BYTES = 8_192;

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
  action: ({ file_path }, context) => ({ kind: "read", ...pathsOf(context, file_path) }),
  async run({ file_path, offset, limit, pages }, context) {
    const { workspace, signal } = context;
    const found = openJudged(placeOf(context, file_path));
    try {
      const file = checkFile(found, workspace.cwd);
      const range = { offset: Math.max(offset ?? 1, 1), limit: limit ?? DEFAULT_LINES };
      const isPdf = extname(file.path).toLowerCase() === ".pdf";
      const isPart = offset !== undefined || limit !== undefined;
      const outcome = isPdf
        ? await readPdf(file, { range, pages, signal })
        : await readAny(file, isPart ? range : undefined, signal);
      workspace.noteSeen(file.path, file.descriptor);
      return outcome;
    } finally {
      found?.close();
    }
  },
});

function checkFile(file: JudgedFile | undefined, cwd: string): JudgedFile {
  if (!file) throw new ToolError(`File does not exist. Note: your current working directory is ${cwd}.`);
  if (file.stats.isDirectory()) throw new ToolError(`${file.path} is a folder, not a file. List it with Bash or Glob.`);
  if (!file.stats.isFile()) throw new ToolError(`${file.path} is not a regular file.`);
  return file;
}

async function readAny(file: JudgedFile, asked: LineRange | undefined, signal: AbortSignal): Promise<ToolOutcome> {
  const { path, stats } = file;
  const extension = extname(path).toLowerCase();
  if (IMAGES.has(extension)) return readImage(file);
  if (extension === ".ipynb") return readNotebook(file);
  const isLong = stats.size > MAX_TEXT_BYTES;
  if (isLong && !asked) {
    const hint = "Read some lines of it with offset and limit, or use Grep.";
    throw new ToolError(`${path} is too large to be read as a whole (${stats.size} bytes). ${hint}`);
  }
  if (file.readHead(HEAD_BYTES).includes(0))
    throw new ToolError(`${path} is a binary file; it cannot be shown as text.`);
  const range = asked ?? { offset: 1, limit: DEFAULT_LINES };
  return isLong
    ? showRange(path, await readLongText(file, range, signal), range)
    : showLines(path, readText(file), range);
}

function readText(file: JudgedFile): string {
  return file
    .readAll()
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
}
