import { constants } from "node:buffer";
import { Abridger } from "./abridger.js";

/** One line of a file, as bytes `start` to `end` of `bytes`, without its LF. */
export interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly number: number; // 1-based, as editors count
  readonly offset: number; // of the line's first byte in the file
  readonly length: number; // in the file, without the LF; larger than end - start when `isAbridged`
  readonly isTerminated: boolean;
  readonly isAbridged: boolean;
}

export interface SplitOptions {
  readonly offset?: number;
  readonly line?: number;
  /** A longer line is never held as a whole: its long strings are cut while it passes. */
  readonly maxLineBytes?: number;
}

const LF = 0x0a;
/** A longer line is never held as one string. */
export const MAX_WHOLE_LINE_BYTES = 64 * 1024 * 1024;

/**
 * The one loop that turns bytes into lines. It splits at LF only (U+2028 and friends are text), joins lines across chunk
 * borders before anything is decoded, and hands out views into the chunk: a sink that keeps bytes must copy them.
 */
export class LineSplitter {
  readonly #sink: (line: Line) => void;
  readonly #maxLineBytes: number;
  #offset: number;
  #number: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #abridger: Abridger | undefined;

  constructor(sink: (line: Line) => void, options: SplitOptions = {}) {
    this.#sink = sink;
    this.#offset = options.offset ?? 0;
    this.#number = options.line ?? 1;
    this.#maxLineBytes = Math.min(options.maxLineBytes ?? MAX_WHOLE_LINE_BYTES, constants.MAX_STRING_LENGTH);
  }

  /** Where the unfinished line starts: everything before it has been handed out. */
  get position(): { readonly offset: number; readonly line: number } {
    return { offset: this.#offset, line: this.#number };
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let lf = chunk.indexOf(LF); lf >= 0; lf = chunk.indexOf(LF, start)) {
      this.#finish(chunk, start, lf, true);
      start = lf + 1;
    }
    if (start < chunk.length) this.#hold(chunk, start);
  }

  /** Hands out an unterminated last line, if there is one. */
  end(): void {
    if (this.#heldBytes > 0) this.#finish(Buffer.alloc(0), 0, 0, false);
  }

  #hold(chunk: Buffer, start: number): void {
    this.#heldBytes += chunk.length - start;
    if (this.#heldBytes > this.#maxLineBytes) this.#abridge(chunk, start, chunk.length);
    else this.#held.push(Buffer.from(chunk.subarray(start)));
  }

  #abridge(chunk: Buffer, start: number, end: number): Abridger {
    this.#abridger ??= new Abridger();
    for (const part of this.#held) this.#abridger.push(part, 0, part.length);
    this.#held = [];
    this.#abridger.push(chunk, start, end);
    return this.#abridger;
  }

  #finish(chunk: Buffer, start: number, end: number, isTerminated: boolean): void {
    const length = this.#heldBytes + end - start;
    const isAbridged = length > this.#maxLineBytes;
    const joined = isAbridged || this.#heldBytes > 0 ? this.#join(chunk, start, end, isAbridged) : undefined;
    const line: Line = {
      bytes: joined ?? chunk,
      start: joined ? 0 : start,
      end: joined ? joined.length : end,
      number: this.#number,
      offset: this.#offset,
      length,
      isTerminated,
      isAbridged,
    };
    this.#offset += length + (isTerminated ? 1 : 0);
    this.#number += 1;
    this.#sink(line);
  }

  #join(chunk: Buffer, start: number, end: number, isAbridged: boolean): Buffer {
    const joined = isAbridged
      ? this.#abridge(chunk, start, end).finish()
      : Buffer.concat([...this.#held, chunk.subarray(start, end)]);
    this.#held = [];
    this.#heldBytes = 0;
    this.#abridger = undefined;
    return joined;
  }
}
