import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { UserError, unreadableFile } from "../../errors.js";
import { type ReadOptions, RecordReader } from "../reader/record-reader.js";
import type { LogRecord } from "../record/record.js";

/** How far a file was read, as JSON: enough to continue later, and to notice that the file was replaced in the meantime. */
export interface Cursor {
  readonly offset: number; // behind the last complete line that was read
  readonly line: number; // the number of the next line
  readonly inode: number;
  readonly size: number; // of the file when it was last looked at
  readonly prefixHash: string; // of the first `prefixLength` bytes, which an append never changes
  readonly prefixLength: number;
  readonly endHash: string; // of the bytes just before `offset`: an edit further up has moved them
}

export interface FollowOptions extends Pick<ReadOptions, "abridge" | "maxLineBytes"> {
  /** A poll reads about this many bytes, and at least one whole line. */
  readonly budgetBytes?: number;
}

export interface FollowResult {
  /** Of the complete lines that are new. */
  readonly records: readonly LogRecord[];
  /** The file was truncated or replaced: discard what was read before; these records start at its first line. */
  readonly restarted: "truncated" | "replaced" | undefined;
  /** There is no file at the path now; what was read stays valid, and the file may come back. */
  readonly isMissing: boolean;
  /** The budget was used up: poll again for the rest. */
  readonly isMore: boolean;
  /** An unterminated last line: it may still be being written, so it is looked at but never consumed. */
  readonly tail: Tail | undefined;
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

const START: Cursor = { offset: 0, line: 1, inode: 0, size: 0, prefixHash: "", prefixLength: 0, endHash: "" };
const NOTHING_NEW: FollowResult = {
  records: [],
  restarted: undefined,
  isMissing: false,
  isMore: false,
  tail: undefined,
};
const PREFIX_BYTES = 4096;
const END_BYTES = 1024;
const CHUNK_BYTES = 128 * 1024;
const DEFAULT_BUDGET_BYTES = 16 * 1024 * 1024;

/** Reads what others append to a file, which need not exist yet. A move to another path is for the caller to notice. */
export function openFollower(path: string, from: Cursor = START, options: FollowOptions = {}): Follower {
  let cursor = from;
  /** Kept open between polls: so the inode cannot be given to a file that takes the name later. */
  let file: number | undefined;

  function poll(): FollowResult {
    const named = statSync(path, { throwIfNoEntry: false });
    if (named && !named.isFile()) throw new UserError("unreadable", `${path} is not a file`, "name a session file");
    if (named && (file === undefined || !isSameFile(fstatSync(file), named))) reopen();
    if (file === undefined) return { ...NOTHING_NEW, isMissing: true };
    const restarted = findRestart(file, cursor);
    if (restarted) cursor = START;
    const { result, position } = readOn(file, cursor, options);
    cursor = { ...position, ...describeFile(file, position.offset) };
    return { ...result, restarted, isMissing: named === undefined };
  }

  function reopen(): void {
    close();
    file = openToRead(path);
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  return {
    poll,
    get cursor() {
      return cursor;
    },
    close,
  };
}

/** A cursor at the start of any line of a file. */
export function cursorAt(path: string, { offset, line }: Pick<Cursor, "offset" | "line">): Cursor {
  return withFile(path, (file) => ({ offset, line, ...describeFile(file, offset) }));
}

/** Whether everything before the cursor is unchanged. */
export function isCursorValid(path: string, cursor: Cursor): boolean {
  return withFile(path, (file) => findRestart(file, cursor) === undefined);
}

function withFile<Value>(path: string, read: (file: number) => Value): Value {
  const file = openSync(path, "r");
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Undefined when it was removed just now. */
function openToRead(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw unreadableFile(path, error);
  }
}

/** An append leaves everything before the cursor as it was: the same file, the same beginning, a line end. */
function findRestart(file: number, cursor: Cursor): FollowResult["restarted"] {
  const { offset, inode, prefixHash, prefixLength, endHash } = cursor;
  if (offset === 0) return undefined;
  const { ino, size } = fstatSync(file);
  if (ino !== inode) return "replaced";
  if (size < offset) return "truncated";
  const isLineEnd = readAt(file, offset - 1, 1).toString() === "\n";
  const isSame = isLineEnd && hashPrefix(file, prefixLength) === prefixHash && hashEnd(file, offset) === endHash;
  return isSame ? undefined : "replaced";
}

/** Always from the last line end: a tail that was seen before may have been completed, or cut off and written anew. */
function readOn(
  file: number,
  { offset, line }: Cursor,
  options: FollowOptions,
): { readonly result: Pick<FollowResult, "records" | "isMore" | "tail">; readonly position: RecordReader["position"] } {
  const { budgetBytes = DEFAULT_BUDGET_BYTES } = options;
  const { size } = fstatSync(file);
  const reader = new RecordReader({ ...options, offset, line });
  const records: LogRecord[] = [];
  let at = offset;
  while (at < size && (at - offset < budgetBytes || reader.position.offset === offset)) {
    const chunk = readAt(file, at, Math.min(CHUNK_BYTES, budgetBytes, size - at));
    if (chunk.length === 0) break;
    for (const record of reader.push(chunk)) records.push(record);
    at += chunk.length;
  }
  const isMore = at < size;
  const position = reader.position;
  const tail =
    isMore || at === position.offset ? undefined : { bytes: at - position.offset, isReadable: endsReadable(reader) };
  return { result: { records, isMore, tail }, position };
}

function endsReadable(reader: RecordReader): boolean {
  const rest = reader.end();
  return rest.length > 0 && rest.every(({ kind }) => kind !== "broken");
}

function describeFile(file: number, offset: number): Omit<Cursor, "offset" | "line"> {
  const { ino, size } = fstatSync(file);
  const prefixLength = Math.min(offset, PREFIX_BYTES);
  return { inode: ino, size, prefixHash: hashPrefix(file, prefixLength), prefixLength, endHash: hashEnd(file, offset) };
}

function hashPrefix(file: number, length: number): string {
  return hash("sha1", readAt(file, 0, length), "base64");
}

function hashEnd(file: number, offset: number): string {
  const length = Math.min(offset, END_BYTES);
  return hash("sha1", readAt(file, offset - length, length), "base64");
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
}
