import { createReadStream } from "node:fs";
import type { ToolOutcome } from "../tool.js";

export interface LineRange {
  readonly offset: number; // counted from 1
  readonly limit: number;
}

const MAX_LINE_CHARS = 2_000;
const MAX_SHOWN_CHARS = 100_000;
/** What screens read is exact: whoever restores a file takes it for the file. So of too much only whole lines stay. */
const MAX_DATA_CHARS = 1_000_000;

/** The lines of a file that were asked for, with their numbers. */
export function showLines(path: string, text: string, range: LineRange): ToolOutcome {
  const lines = text.split("\n");
  const wanted = lines.slice(range.offset - 1, range.offset - 1 + range.limit);
  const outcome = showRange(path, { wanted, total: lines.length }, range);
  return text === "" && range.offset === 1 ? { ...outcome, content: "(The file is empty.)" } : outcome;
}

interface FoundLines {
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

const LF = 0x0a;
/** No character has more in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

/** Some lines of a file that is too large to be held: all of it is read, but only what can be shown is kept. */
export async function readLongText(path: string, range: LineRange, signal: AbortSignal): Promise<FoundLines> {
  const collector = new LineCollector(range);
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 * 1024 })) {
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
  /** A line that is cut here is longer than what screens are given, so that they never get a part of it. */
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
    const kept = Buffer.from(bytes.subarray(0, room)); // a copy, as the stream uses its memory again
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
