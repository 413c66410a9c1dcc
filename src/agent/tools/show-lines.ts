import type { ToolOutcome } from "./tool.js";

export interface LineRange {
  readonly offset: number; // counted from 1
  readonly limit: number;
}

const MAX_LINE_CHARS = 2_000;
const MAX_CHARS = 100_000;

/** The lines of a file that were asked for, with their numbers. */
export function showLines(path: string, text: string, { offset, limit }: LineRange): ToolOutcome {
  const lines = text.split("\n");
  if (offset > lines.length) {
    const content = `The file has only ${lines.length} lines; there is no line ${offset}.`;
    return { content, data: textData(path, "", { from: offset, lines: 0, total: lines.length }) };
  }
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const numbered = shown.map((line, at) => `${offset + at}\t${cutLine(line)}`).join("\n");
  const isPart = offset > 1 || shown.length < lines.length;
  const note = isPart ? `\n\n(Lines ${offset} to ${offset + shown.length - 1} of ${lines.length}.)` : "";
  const content = text === "" ? "(The file is empty.)" : cutText(numbered) + note;
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

export function cutText(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n… (cut; read the rest with offset and limit)` : text;
}
