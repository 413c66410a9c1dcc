import type { Hash } from "node:crypto";
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { UserError } from "../../errors.js";
import { type ReadOptions, RecordReader } from "../reader/record-reader.js";
import type { LogRecord } from "../record/record.js";
import {
  compareBytes,
  digestOf,
  type FileState,
  hashRange,
  isOneFile,
  isSameState,
  type KnownBytes,
  LineHash,
  newHash,
  openRegular,
  stateOf,
} from "./file-identity.js";

/** How far a file was read, as JSON: enough to continue later, and to notice that the file was rewritten in the meantime. */
export interface Cursor extends FileState {
  readonly offset: number; // behind the last complete line that was read
  readonly line: number; // the number of the next line
  readonly digest: string; // of all bytes before `offset`
  /** What followed `offset` without a line end, as known bytes from the start of the file; null: nothing. */
  readonly tail: KnownBytes | null;
}

/** Of a file of which nothing was read. */
const START: Cursor = {
  offset: 0,
  line: 1,
  size: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  inode: 0,
  digest: digestOf(newHash()),
  tail: null,
};

export interface FollowOptions extends Pick<ReadOptions, "abridge" | "maxLineBytes"> {
  /** A poll reads about this many bytes, and at least one whole line. */
  readonly budgetBytes?: number;
  /** Takes the records one by one, instead of a list of them: those of a long piece take several times its memory. */
  readonly sink?: RecordSink;
}

export interface RecordSink {
  /** The file was cut or rewritten: what follows starts at its first line. */
  restart(): void;
  add(record: LogRecord): void;
}

export interface FollowResult {
  /** Of the complete lines that are new; none where a sink takes them. */
  readonly records: readonly LogRecord[];
  /** How many of them are the tail of the last poll, unchanged and now complete. */
  readonly fromTail: number;
  /** The file was cut or rewritten: discard what was read before; these records start at its first line. */
  readonly restarted: "truncated" | "replaced" | undefined;
  /** There is no file at the path now; what was read stays valid, and the file may come back. */
  readonly isMissing: boolean;
  /** The budget was used up: poll again for the rest. */
  readonly isMore: boolean;
  /** An unterminated last line: it may still be being written, so it is looked at but never consumed. */
  readonly tail: Tail | undefined;
  /** The tail is the one of the last poll. */
  readonly isTailKept: boolean;
}

interface Tail {
  readonly bytes: number;
  readonly isReadable: boolean; // it holds whole records already, only its newline is missing
}

export interface Follower {
  poll(): FollowResult;
  readonly cursor: Cursor;
  close(): void;
}

const NOTHING_NEW: FollowResult = {
  records: [],
  fromTail: 0,
  restarted: undefined,
  isMissing: false,
  isMore: false,
  tail: undefined,
  isTailKept: true,
};
const CHUNK_BYTES = 128 * 1024;
const DEFAULT_BUDGET_BYTES = 16 * 1024 * 1024;

/** Reads what others append to a file, which need not exist yet. A move to another path is for the caller to notice. */
export function openFollower(path: string, from: Cursor = START, options: FollowOptions = {}): Follower {
  return new FileFollower(path, from, options);
}

class FileFollower implements Follower {
  #cursor: Cursor;
  /** Kept open between polls: what is appended before a deletion is still read. */
  #file: number | undefined;
  /** Of the bytes before the cursor. */
  #hash = newHash();
  /** Of the open file. */
  #last: FollowResult | undefined;

  constructor(
    private readonly path: string,
    from: Cursor,
    private readonly options: FollowOptions,
  ) {
    this.#cursor = from;
  }

  get cursor(): Cursor {
    return this.#cursor;
  }

  poll(): FollowResult {
    const named = statSync(this.path, { throwIfNoEntry: false });
    if (named && !named.isFile())
      throw new UserError("unreadable", `${this.path} is not a file`, "name a session file");
    if (named && (this.#file === undefined || !isOneFile(fstatSync(this.#file), named))) this.#reopen();
    if (this.#file === undefined) return { ...NOTHING_NEW, isMissing: true };
    const result = this.#last?.isMore ? this.#readPiece(this.#file) : this.#lookAgain(this.#file);
    this.#last = { ...result, isMissing: named === undefined };
    return this.#last;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #reopen(): void {
    this.close();
    this.#file = openRegular(this.path);
    this.#last = undefined;
  }

  /** The state is taken before anything is read: a change in between is noticed by the next poll. */
  #lookAgain(file: number): FollowResult {
    const state = stateOf(fstatSync(file));
    if (this.#last && isSameState(this.#cursor, state)) return { ...NOTHING_NEW, tail: this.#last.tail };
    const restarted = this.#findRestart(file);
    this.#cursor = { ...(restarted ? START : this.#cursor), ...state };
    if (restarted) this.options.sink?.restart();
    return { ...this.#readPiece(file), restarted };
  }

  /** Compares all bytes before the cursor: a state that differs does not say what was done to the file. */
  #findRestart(file: number): FollowResult["restarted"] {
    const { offset, digest } = this.#cursor;
    const { change, hash } = compareBytes(file, { length: offset, digest });
    this.#hash = change === "rewritten" ? newHash() : hash;
    if (change !== "rewritten") return undefined;
    return fstatSync(file).size < offset ? "truncated" : "replaced";
  }

  /** A change during a long reading is noticed after its last piece. */
  #readPiece(file: number): FollowResult {
    const { offset, tail: before } = this.#cursor;
    const isContinued = before !== null && isKept(file, this.#hash, offset, before) && endsLine(file, before.length);
    const { records, isMore, tail, position, ...read } = readOn(file, this.#cursor, this.#hash, this.options);
    this.#hash = read.hash;
    this.#cursor = { ...this.#cursor, ...position, digest: digestOf(read.hash), tail: read.end };
    const fromTail = isContinued ? read.ofFirstLine : 0;
    const isTailKept = before?.length === read.end?.length && before?.digest === read.end?.digest;
    return { ...NOTHING_NEW, records, fromTail, isMore, tail, isTailKept };
  }
}

/** Whether everything before the cursor is unchanged. */
export function isCursorValid(path: string, { offset, digest }: Cursor): boolean {
  return withFile(path, false, (file) => compareBytes(file, { length: offset, digest }).change !== "rewritten");
}

/**
 * The start of a line, known by what precedes it closely. It costs the same in a file of any size, and does not say whether
 * earlier lines were rewritten: for those who only want to read on at the right line.
 */
export interface KnownPlace extends FileState {
  readonly offset: number;
  readonly line: number;
  /** Of the bytes before it, as far as they are looked at. */
  readonly before: string;
}

const BEFORE_BYTES = 4096;

/** Of a file of which nothing was read. */
export const BEGINNING: KnownPlace = {
  offset: 0,
  line: 1,
  size: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  inode: 0,
  before: digestOf(newHash()),
};

export function placeAt(path: string, { offset, line }: Pick<KnownPlace, "offset" | "line">): KnownPlace {
  return withFile(path, BEGINNING, (file) => {
    const state = stateOf(fstatSync(file));
    return { ...state, offset, line, before: digestBefore(file, offset) ?? "" };
  });
}

export function isPlaceKept(path: string, { offset, before }: KnownPlace): boolean {
  return withFile(path, false, (file) => digestBefore(file, offset) === before);
}

/** Undefined where the file is shorter. */
function digestBefore(file: number, offset: number): string | undefined {
  const hash = newHash();
  return hashRange(file, hash, Math.max(0, offset - BEFORE_BYTES), offset) < offset ? undefined : digestOf(hash);
}

function withFile<Value>(path: string, missing: Value, read: (file: number) => Value): Value {
  const file = openRegular(path);
  if (file === undefined) return missing;
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

function isKept(file: number, before: Hash, offset: number, { length, digest }: KnownBytes): boolean {
  const hash = before.copy();
  return hashRange(file, hash, offset, length) === length && digestOf(hash) === digest;
}

function endsLine(file: number, offset: number): boolean {
  return readAt(file, offset, 1).toString() === "\n";
}

interface ReadOn {
  readonly records: readonly LogRecord[];
  readonly ofFirstLine: number; // how many records
  readonly isMore: boolean;
  readonly tail: Tail | undefined;
  readonly position: RecordReader["position"];
  /** Of the bytes before the position, as they were read. */
  readonly hash: Hash;
  /** All bytes up to the end of the tail. */
  readonly end: KnownBytes | null;
}

/** Used again for every chunk: whoever keeps bytes copies them. */
const chunkBuffer = Buffer.allocUnsafe(CHUNK_BYTES);

/** Always from the last line end: a tail that was seen before may have been completed, or cut off and written anew. */
function readOn(file: number, { offset, line }: Cursor, before: Hash, options: FollowOptions): ReadOn {
  const { budgetBytes = DEFAULT_BUDGET_BYTES, sink, ...reading } = options;
  const { size } = fstatSync(file);
  const reader = new RecordReader({ ...reading, offset, line });
  const records: LogRecord[] = [];
  let ofFirstLine = 0;
  const add = (record: LogRecord) => {
    if (record.line === line) ofFirstLine += 1;
    if (sink) sink.add(record);
    else records.push(record);
  };
  const hash = new LineHash(before);
  let at = offset;
  while (at < size && (at - offset < budgetBytes || reader.position.offset === offset)) {
    const read = readSync(file, chunkBuffer, 0, Math.min(CHUNK_BYTES, budgetBytes, size - at), at);
    if (read === 0) break;
    const chunk = chunkBuffer.subarray(0, read);
    for (const record of reader.push(chunk)) add(record);
    hash.add(chunk, reader.position.offset - at);
    at += chunk.length;
  }
  const isMore = at < size;
  const { position } = reader;
  const isAtEnd = isMore || at === position.offset;
  const tail = isAtEnd ? undefined : { bytes: at - position.offset, isReadable: endsReadable(reader) };
  const end = isAtEnd ? null : { length: at, digest: digestOf(hash.all) };
  return { records, ofFirstLine, isMore, tail, position, hash: hash.atLineEnd, end };
}

function endsReadable(reader: RecordReader): boolean {
  const rest = reader.end();
  return rest.length > 0 && rest.every(({ kind }) => kind !== "broken");
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
}
