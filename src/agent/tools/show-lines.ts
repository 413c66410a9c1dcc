import type { ToolOutcome } from "./tool.js";

export interface LineRange {
  readonly offset: number; // counted from 1
  readonly limit: number;
}

export const MAX_LINE_CHARS = 2_000;
export const MAX_SHOWN_CHARS = 100_000;
/** What screens read is exact: whoever restores a file takes it for the file. So of too much only whole lines stay. */
export const MAX_DATA_CHARS = 1_000_000;

/** The lines of a file that were asked for, with their numbers. */
export function showLines(path: string, text: string, range: LineRange): ToolOutcome {
  const lines = text.split("\n");
  const wanted = lines.slice(range.offset - 1, range.offset - 1 + range.limit);
  const outcome = showRange(path, { wanted, total: lines.length }, range);
  return text === "" && range.offset === 1 ? { ...outcome, content: "(The file is empty.)" } : outcome;
}

export interface FoundLines {
  /** As many of those that were asked for as can be shown, at least. */
  readonly wanted: readonly string[];
  /** In the whole file. */
  readonly total: number;
}

export function showRange(path: string, { wanted, total }: FoundLines, { offset, limit }: LineRange): ToolOutcome {
  if (offset > total) {
    const content = `The file has only ${total} lines; there is no line ${offset}.`;
    return { content, data: textData(path, [], offset, total) };
  }
  const numbered = fitting(
    wanted.map((line, at) => `${offset + at}\t${cutLine(line)}`),
    MAX_SHOWN_CHARS,
  );
  const last = offset + numbered.length - 1;
  const isCut = numbered.length < Math.min(limit, total - offset + 1);
  const isPart = offset > 1 || last < total;
  const more = isCut ? ` Read on with offset ${last + 1}.` : "";
  const note = isPart ? `\n\n(Lines ${offset} to ${last} of ${total}.${more})` : "";
  const content = numbered.join("\n") + note;
  return { content, data: textData(path, fitting(wanted.slice(0, numbered.length), MAX_DATA_CHARS), offset, total) };
}

/** From the first on, as many as there is room for. */
function fitting(lines: readonly string[], maxChars: number): readonly string[] {
  let room = maxChars;
  const end = lines.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function textData(path: string, lines: readonly string[], from: number, total: number) {
  const content = lines.join("\n");
  return {
    type: "text",
    file: { filePath: path, content, numLines: lines.length, startLine: from, totalLines: total },
  };
}

function cutLine(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}… (line cut)` : line;
}
