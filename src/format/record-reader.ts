import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { LineSplitter, type SplitOptions } from "./line-splitter.js";
import { type ParseOptions, parseLine } from "./parse-line.js";
import type { LogRecord, Place } from "./record.js";

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

  /** Where the unfinished line starts: reading may go on from here later. */
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

const CHUNK_BYTES = 1024 * 1024;

/** All records of a file, in file order, one chunk in memory at a time. */
export function* readRecords(path: string, options: ReadOptions = {}): Generator<LogRecord> {
  const reader = new RecordReader(options);
  for (const chunk of readChunks(path, options.offset ?? 0)) yield* reader.push(chunk);
  yield* reader.end();
}

/** The bytes that a file has when it is opened, in one reused buffer: a consumer that keeps them must copy them. */
export function* readChunks(path: string, offset = 0, end = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const last = Math.min(end, fstatSync(file).size);
    for (let at = offset; at < last; ) {
      const read = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, last - at), at);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

/** The records at the given places again, this time whole; a line over the limit stays abridged. */
export function* readRecordsAt(path: string, places: Iterable<Place>): Generator<LogRecord> {
  const file = openSync(path, "r");
  try {
    for (const place of places) yield* readRecordAt(file, place);
  } finally {
    closeSync(file);
  }
}

function readRecordAt(file: number, { line, offset, length }: Place): LogRecord[] {
  const reader = new RecordReader({ line, offset });
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length));
  const records: LogRecord[] = [];
  for (let done = 0; done < length; ) {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, length - done), offset + done);
    if (read === 0) break;
    records.push(...reader.push(buffer.subarray(0, read)));
    done += read;
  }
  return [...records, ...reader.end()];
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
