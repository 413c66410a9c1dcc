import { createReadStream } from "node:fs";
import type { ToolOutcome } from "../tool.js";
import type { JudgedFile } from "./judged-file.js";

export interface LineRange {
  readonly offset: number; // 1-based
  readonly limit: number;
}

const MAX_LINE_CHARS = 2_000;
const MAX_SHOWN_CHARS = 100_000;
/** Recorded content is used to restore files, so it is cut only between lines. */
const MAX_DATA_CHARS = 1_000_000;

/** The requested lines with their numbers. */
export function showLines(path: string, text: string, range: LineRange): ToolOutcome {
  const lines = text.split("\n");
  const wanted = lines.slice(range.offset - 1, range.offset - 1 + range.limit);
  const outcome = showRange(path, { wanted, total: lines.length }, range);
  return text === "" && range.offset === 1 ? { ...outcome, content: "(The file is empty.)" } : outcome;
}

interface FoundLines {
  /** The requested lines, at least as many as can be shown. */
  readonly wanted: readonly string[];
  /** Number of lines in the whole file. */
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

/** The first lines that fit. */
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

const LF = 0x0a;
/** The longest UTF-8 sequence. */
const MAX_CHARACTER_BYTES = 4;

/** Reads lines of a file that is too large for memory; keeps only what can be shown. */
export async function readLongText(
  { descriptor }: JudgedFile,
  range: LineRange,
  signal: AbortSignal,
): Promise<FoundLines> {
  const collector = new LineCollector(range);
  const options = { fd: descriptor, autoClose: false, start: 0, signal, highWaterMark: 1024 * 1024 };
  for await (const chunk of createReadStream("", options)) {
    collector.push(chunk as Buffer);
  }
  return collector.end();
}

class LineCollector {
  readonly #wanted: string[] = [];
  #number = 1;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #shownRoom = MAX_SHOWN_CHARS;
  /** A line cut here is longer than the limit for recorded content, so a part of it is never recorded. */
  #dataRoom = (MAX_DATA_CHARS + 1) * MAX_CHARACTER_BYTES;

  constructor(private readonly range: LineRange) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let lf = chunk.indexOf(LF); lf >= 0; lf = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, lf));
      this.#finish("\r");
      this.#number += 1;
      start = lf + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  end(): FoundLines {
    this.#finish("");
    return { wanted: this.#wanted, total: this.#number };
  }

  get #isWanted(): boolean {
    const { offset, limit } = this.range;
    return this.#number >= offset && this.#number < offset + limit && this.#shownRoom >= 0;
  }

  #keep(bytes: Buffer): void {
    if (!this.#isWanted) return;
    const room = Math.max(this.#dataRoom, (MAX_LINE_CHARS + 1) * MAX_CHARACTER_BYTES) - this.#pieceBytes;
    if (room <= 0) return;
    const kept = Buffer.from(bytes.subarray(0, room)); // a copy: the stream reuses its buffer
    this.#pieces.push(kept);
    this.#pieceBytes += kept.length;
  }

  #finish(lineEnd: string): void {
    if (!this.#isWanted) return;
    const whole = Buffer.concat(this.#pieces).toString("utf8");
    const line = this.#number === 1 ? whole.replace(/^\uFEFF/, "") : whole;
    this.#wanted.push(lineEnd !== "" && line.endsWith(lineEnd) ? line.slice(0, -1) : line);
    this.#shownRoom -= Math.min(line.length, MAX_LINE_CHARS);
    this.#dataRoom -= this.#pieceBytes;
    this.#pieces = [];
    this.#pieceBytes = 0;
  }
}
