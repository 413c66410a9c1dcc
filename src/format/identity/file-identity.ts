import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { isFileError, UserError, unreadableFile } from "../../errors.js";

/*
 * Is this still the file that was read? Nobody else compares sizes, times, inodes or beginnings of files.
 *
 * A file whose state is unchanged is the same: that costs one stat. For any other file the bytes decide, because a state does
 * not say what was done: Claude Code removes lines in place and appends again, replaces a file by a trimmed one (2.1.326), and
 * a copied or touched file has a new inode or time and the same bytes.
 */

/** `grown`: the known bytes are unchanged and more follow them. `rewritten`: they are not, or some of them are missing. */
export type Change = "same" | "grown" | "rewritten" | "gone";

/** What the file system says of a file. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  /** 0: seen so soon after a change that the next one could leave the same times, so this state proves nothing. */
  readonly ctimeMs: number;
  readonly inode: number;
}

/** The first bytes of a file, as they were when they were read. */
export interface KnownBytes {
  readonly length: number;
  readonly digest: string;
}

export interface KnownFile extends FileState {
  readonly bytes: KnownBytes;
}

/** File systems with times in whole seconds count in steps of up to 2 s, others in ticks of the system clock. */
const COARSE_STEP_MS = 2000;
const FINE_STEP_MS = 50;

/** `seenAt` is when the stats were taken, ms since the epoch. */
export function stateOf({ size, mtimeMs, ctimeMs, ino }: Stats, seenAt: number = Date.now()): FileState {
  const step = ctimeMs % 1000 === 0 ? COARSE_STEP_MS : FINE_STEP_MS;
  const isSettled = Math.max(mtimeMs, ctimeMs) < seenAt - step;
  return { size, mtimeMs, ctimeMs: isSettled ? ctimeMs : 0, inode: ino };
}

/** Whether nothing was done to a file since a state of it was taken. False proves nothing. */
export function isSameState(known: FileState, now: FileState): boolean {
  return known.ctimeMs !== 0 && keyOf(known) === keyOf(now);
}

/** Equal for equal states; a state that proves nothing has a key of its own each time. */
export function stateKey(state: FileState): string {
  return state.ctimeMs === 0 ? `${keyOf(state)} ${process.hrtime.bigint()}` : keyOf(state);
}

function keyOf({ size, mtimeMs, ctimeMs, inode }: FileState): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${inode}`;
}

/** Two names of one file. */
export function isOneFile(a: Pick<Stats, "dev" | "ino">, b: Pick<Stats, "dev" | "ino">): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** What a change looks like from outside, for those who only pass it on; the reader of the file finds out what it was. */
export function guessChange(known: FileState, now: FileState | undefined): Change {
  if (!now) return "gone";
  if (known.inode === now.inode && now.size > known.size) return "grown";
  const isTimed = known.ctimeMs !== 0 && now.ctimeMs !== 0;
  const isSame = keyOf({ ...known, ctimeMs: isTimed ? known.ctimeMs : now.ctimeMs }) === keyOf(now);
  return isSame ? "same" : "rewritten";
}

/** The state of what is at a path now; undefined when there is no file. */
export function readState(path: string): FileState | undefined {
  const seenAt = Date.now();
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stateOf(stats, seenAt) : undefined;
}

/** A file as it is now, to be compared later; undefined when there is none. Reads all of it. */
export function readKnownFile(path: string): KnownFile | undefined {
  if (!readState(path)) return undefined;
  const file = openRegular(path);
  if (file === undefined) return undefined;
  try {
    return knownFileOf(file);
  } finally {
    closeSync(file);
  }
}

/** The same of an open file. */
export function knownFileOf(file: number): KnownFile {
  const seenAt = Date.now();
  const stats = fstatSync(file);
  return { ...stateOf(stats, seenAt), bytes: readKnownBytes(file, stats.size) };
}

/** What became of a file that was read. */
export function compareFile(path: string, known: KnownFile): Change {
  const state = readState(path);
  if (!state) return "gone";
  if (isSameState(known, state)) return state.size > known.bytes.length ? "grown" : "same";
  const file = openRegular(path);
  if (file === undefined) return "gone";
  try {
    return compareOpenFile(file, known);
  } finally {
    closeSync(file);
  }
}

/** The same for an open file. */
export function compareOpenFile(file: number, known: KnownFile): Exclude<Change, "gone"> {
  const state = stateOf(fstatSync(file));
  if (isSameState(known, state)) return state.size > known.bytes.length ? "grown" : "same";
  return compareBytes(file, known.bytes).change;
}

/** Compares an open file with what is known of its beginning. The hash of unchanged bytes can be continued. */
export function compareBytes(
  file: number,
  { length, digest }: KnownBytes,
): { readonly change: Exclude<Change, "gone">; readonly hash: Hash } {
  const hash = newHash();
  const { size } = fstatSync(file);
  if (size < length || hashRange(file, hash, 0, length) < length) return { change: "rewritten", hash };
  if (digestOf(hash) !== digest) return { change: "rewritten", hash };
  return { change: size > length ? "grown" : "same", hash };
}

/** The first bytes of a file as they are now. */
function readKnownBytes(file: number, end: number): KnownBytes {
  const hash = newHash();
  const length = hashRange(file, hash, 0, end);
  return { length, digest: digestOf(hash) };
}

const CHUNK_BYTES = 128 * 1024;

/** Returns the end of what was read: less than `end` where the file is shorter. */
export function hashRange(file: number, hash: Hash, start: number, end: number): number {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, end - start)));
  let at = start;
  while (at < end) {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, end - at), at);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    at += read;
  }
  return at;
}

/** Not against forgery: whoever can write a session can write anything into it. */
export function newHash(): Hash {
  return createHash("sha1");
}

/** Of what was hashed so far; the hash can be continued. */
export function digestOf(hash: Hash): string {
  return hash.copy().digest("base64");
}

/** Hashes what a reader of lines reads, so that both the last line end and the end of the bytes can be known again. */
export class LineHash {
  /** Of everything that was added. */
  readonly all: Hash;
  /** Of everything before the last line end. */
  atLineEnd: Hash;

  constructor(before: Hash = newHash()) {
    this.all = before.copy();
    this.atLineEnd = before;
  }

  /** `lineEnd` is where the last complete line of the chunk ends; 0 or less where none does. */
  add(chunk: Buffer, lineEnd: number): void {
    const cut = Math.max(0, lineEnd);
    this.all.update(chunk.subarray(0, cut));
    if (cut > 0) this.atLineEnd = this.all.copy();
    this.all.update(chunk.subarray(cut));
  }
}

/** Undefined when there is nothing at the path. A pipe or a folder is refused and never waited for. */
export function openRegular(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    if (isFileError(error) && error.code === "ENOENT") return undefined;
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
  throw new UserError("unreadable", `${path} is not a file`, "name a session file");
}
