import { constants } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { LogRecord, Place } from "../record/record.js";
import { Abridger } from "./abridger.js";
import { type Line, type ParseOptions, parseLine } from "./parse-line.js";

export interface ReadOptions extends SplitOptions, ParseOptions {}

/** Bytes in, records out, in any portions. */
export class RecordReader {
  readonly #splitter: LineSplitter;
  #records: LogRecord[] = [];

  constructor(options: ReadOptions = {}) {
    this.#splitter = new LineSplitter((line) => {
      for (const record of parseLine(line, options)) this.#records.push(record);
    }, options);
  }

  /** Where the unfinished line starts: reading can continue from here later. */
  get position(): { readonly offset: number; readonly line: number } {
    return this.#splitter.position;
  }

  push(chunk: Buffer): LogRecord[] {
    this.#splitter.push(chunk);
    return this.#take();
  }

  end(): LogRecord[] {
    this.#splitter.end();
    return this.#take();
  }

  #take(): LogRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

/** Measured: pieces up to 128 KB stay in the CPU cache, and reading and scanning them takes a third of the time of larger ones. */
const CHUNK_BYTES = 128 * 1024;

/** All records of a file, in file order, one chunk in memory at a time. */
export function* readRecords(path: string, options: ReadOptions = {}): Generator<LogRecord> {
  const reader = new RecordReader(options);
  for (const chunk of readChunks(path, options.offset ?? 0)) yield* reader.push(chunk);
  yield* reader.end();
}

/** The bytes that a file has when it is opened, in one reused buffer: a consumer that keeps them must copy them. */
export function* readChunks(path: string, offset = 0, end = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const file = openSync(path, "r");
  const buffer = spareBuffer ?? Buffer.allocUnsafe(CHUNK_BYTES);
  spareBuffer = undefined;
  try {
    const last = Math.min(end, fstatSync(file).size);
    for (let at = offset; at < last; ) {
      const read = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, last - at), at);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      at += read;
    }
  } finally {
    spareBuffer = buffer;
    closeSync(file);
  }
}

/** A library is thousands of small files: fresh memory for each would cost more than reading it. */
let spareBuffer: Buffer | undefined;

/** A record to be read again. */
export interface WantedPlace extends Place {
  /** Without the rest of its long texts. */
  readonly isAbridged?: boolean;
}

/** The records at the given places again, this time whole; a line over the limit stays abridged. */
export function* readRecordsAt(
  path: string,
  places: Iterable<WantedPlace>,
  options: ParseOptions = {},
): Generator<LogRecord> {
  const files = new OpenedFiles();
  try {
    for (const place of places) yield* files.readAt(path, place, options);
  } finally {
    files.close();
  }
}

/** Reads records of several files, in any order; the last files that were read stay open. */
export class OpenedFiles {
  readonly #files = new Map<string, number>();
  #buffer = Buffer.alloc(0);

  *readAt(path: string, place: WantedPlace, options: ParseOptions = {}): Generator<LogRecord> {
    const file = this.#open(path);
    if (place.isAbridged || place.length > MAX_WHOLE_LINE_BYTES) {
      yield* readAbridged(path, place);
      return;
    }
    if (this.#buffer.length < place.length) this.#buffer = Buffer.allocUnsafe(place.length * 2);
    yield* parseLine(toLine(place, this.#buffer, readFully(file, this.#buffer, place)), options);
  }

  #open(path: string): number {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    for (const [oldest, file] of this.#files) {
      if (this.#files.size < MAX_OPENED) break;
      this.#files.delete(oldest);
      closeSync(file);
    }
    const file = openSync(path, "r");
    this.#files.set(path, file);
    return file;
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }
}

const MAX_OPENED = 4;

/** Never held as a whole. */
function* readAbridged(path: string, { line, offset, length }: Place): Generator<LogRecord> {
  const reader = new RecordReader({ line, offset, maxLineBytes: 0 });
  for (const chunk of readChunks(path, offset, offset + length)) yield* reader.push(chunk);
  yield* reader.end();
}

/** As many bytes of a place as the file still has. */
function readFully(file: number, buffer: Buffer, { offset, length }: Place): number {
  let done = 0;
  while (done < length) {
    const read = readSync(file, buffer, done, length - done, offset + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

function toLine({ line, offset, length }: Place, bytes: Buffer, end: number): Line {
  return { bytes, start: 0, end, number: line, offset, length, isTerminated: true, isAbridged: false };
}

/** Records from any source of bytes or text: a stream, an array of chunks. */
export async function* readRecordStream(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: ReadOptions = {},
): AsyncGenerator<LogRecord> {
  const reader = new RecordReader(options);
  for await (const chunk of chunks) yield* reader.push(toBuffer(chunk));
  yield* reader.end();
}

/** Records of a text in memory. */
export function parseRecords(text: string | Uint8Array, options: ReadOptions = {}): LogRecord[] {
  const reader = new RecordReader(options);
  return [...reader.push(toBuffer(text)), ...reader.end()];
}

function toBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === "string") return Buffer.from(chunk);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
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
