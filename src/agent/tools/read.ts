import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { extname } from "node:path";
import { z } from "zod";
import { textBlock } from "../../format/api-message.js";
import { arrayAt, stringAt, tryParseJson } from "../../format/json.js";
import { defineTool } from "./define-tool.js";
import { ToolError, type ToolOutcome } from "./tool.js";

const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const MAX_CHARS = 100_000;
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

export const readTool = defineTool({
  name: "Read",
  description: `Reads a file. file_path is absolute, or relative to the working directory. Gives up to ${DEFAULT_LINES} lines from the start, each with its number and a tab; offset and limit choose others. Also shows images (PNG, JPEG, GIF, WebP), PDF files and Jupyter notebooks. Cannot read folders: list them with Bash or Glob.`,
  schema: z.object({
    file_path: z.string().min(1).describe("The file to read"),
    offset: z.number().int().min(0).optional().describe("The first line to read, counted from 1"),
    limit: z.number().int().positive().optional().describe("How many lines to read"),
  }),
  isReadOnly: true,
  action: ({ file_path }, { workspace }) => ({ kind: "read", path: workspace.resolve(file_path) }),
  async run({ file_path, offset, limit }, { workspace }) {
    const path = workspace.resolve(file_path);
    const stats = statFile(path, workspace.cwd);
    const outcome = readAny(path, stats, { offset: Math.max(offset ?? 1, 1), limit: limit ?? DEFAULT_LINES });
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

interface Range {
  readonly offset: number;
  readonly limit: number;
}

function readAny(path: string, stats: Stats, range: Range): ToolOutcome {
  const extension = extname(path).toLowerCase();
  const imageType = IMAGE_TYPES[extension];
  if (imageType) return readImage(path, stats, imageType);
  if (extension === ".pdf") return readPdf(path, stats);
  if (extension === ".ipynb") return readNotebook(path);
  return readText(path, stats, range);
}

function readImage(path: string, stats: Stats, mediaType: string): ToolOutcome {
  const data = readMedia(path, stats);
  return {
    content: [{ type: "image", source: { type: "base64", media_type: mediaType, data } }],
    data: { type: "image", file: { base64: data, type: mediaType, originalSize: stats.size } },
  };
}

/** The API reads text and pictures of the pages itself, better than what could be taken out of the file here. */
function readPdf(path: string, stats: Stats): ToolOutcome {
  const data = readMedia(path, stats);
  return {
    content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data } }],
    data: { type: "pdf", file: { filePath: path, base64: data, originalSize: stats.size } },
  };
}

function readMedia(path: string, { size }: Stats): string {
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_MEDIA_BYTES) {
    const way =
      extname(path).toLowerCase() === ".pdf" ? " Take the text of some pages out of it with Bash (pdftotext)." : "";
    throw new ToolError(`${path} is too large to be shown (${size} bytes).${way}`);
  }
  return readFileSync(path).toString("base64");
}

function readNotebook(path: string): ToolOutcome {
  const notebook = tryParseJson(readFileSync(path, "utf8"));
  const cells = arrayAt(notebook, "cells").map((cell, at) => ({
    cellType: stringAt(cell, "cell_type") ?? "code",
    source: [arrayAt(cell, "source"), stringAt(cell, "source") ?? []].flat().join(""),
    cell_id: stringAt(cell, "id") ?? `cell-${at}`,
    outputs: arrayAt(cell, "outputs")
      .map(outputText)
      .filter((text) => text !== ""),
  }));
  if (cells.length === 0) throw new ToolError(`${path} holds no notebook cells.`);
  const texts = cells.map(
    ({ cellType, source, cell_id, outputs }) =>
      `<cell id="${cell_id}" type="${cellType}">\n${source}\n</cell>${outputs.map((text) => `\n<output>\n${text}\n</output>`).join("")}`,
  );
  return { content: [textBlock(cut(texts.join("\n\n")))], data: { type: "notebook", file: { filePath: path, cells } } };
}

function outputText(output: unknown): string {
  const plain = arrayAt(output, "data", "text/plain");
  return [...arrayAt(output, "text"), stringAt(output, "text") ?? "", ...plain].join("");
}

function readText(path: string, { size }: Stats, { offset, limit }: Range): ToolOutcome {
  if (size > MAX_TEXT_BYTES) {
    throw new ToolError(`${path} is too large to be read (${size} bytes). Look at parts of it with Bash, or use Grep.`);
  }
  if (looksBinary(path)) throw new ToolError(`${path} is a binary file; it cannot be shown as text.`);
  const text = readFileSync(path, "utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  if (offset > lines.length) {
    const content = `The file has only ${lines.length} lines; there is no line ${offset}.`;
    return { content, data: textData(path, "", { from: offset, lines: 0, total: lines.length }) };
  }
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const numbered = shown.map((line, at) => `${offset + at}\t${cutLine(line)}`).join("\n");
  const isPart = offset > 1 || shown.length < lines.length;
  const note = isPart ? `\n\n(Lines ${offset} to ${offset + shown.length - 1} of ${lines.length}.)` : "";
  const content = text === "" ? "(The file is empty.)" : cut(numbered) + note;
  return {
    content,
    data: textData(path, shown.join("\n"), { from: offset, lines: shown.length, total: lines.length }),
  };
}

function textData(
  path: string,
  content: string,
  { from, lines, total }: { from: number; lines: number; total: number },
) {
  return { type: "text", file: { filePath: path, content, numLines: lines, startLine: from, totalLines: total } };
}

function cutLine(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}… (line cut)` : line;
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n… (cut; read the rest with offset and limit)` : text;
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
