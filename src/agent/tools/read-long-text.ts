import { createReadStream } from "node:fs";
import { type FoundLines, type LineRange, MAX_DATA_CHARS, MAX_LINE_CHARS, MAX_SHOWN_CHARS } from "./show-lines.js";

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
