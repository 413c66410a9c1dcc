import type { Hash } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import {
  compareBytes,
  digestOf,
  type FileState,
  hashRange,
  type KnownFile,
  newHash,
  openRegular,
  stateOf,
} from "../../format/identity/file-identity.js";

/** Takes secrets out of what leaves the machine. */
export interface StreamRedactor {
  /** Another one where something else is removed: then everything is sent again. */
  readonly policy: string;
  text(text: string): string;
  /** A piece of a transcript from one line start to another. */
  lines(path: string, from: number, to: number): Buffer;
  /** Any other file; undefined where it cannot be redacted. */
  file(path: string): Buffer | undefined;
}

/** What is new of a file. */
export interface NewContent {
  /** Nothing of what was sent before counts any more. */
  readonly isRewritten: boolean;
  /** Each with the part of the file that is sent when it is. None where only the file's times are new. */
  readonly pieces: Iterable<ContentPiece>;
  /** The file with all pieces sent. */
  readonly state: FileState;
}

export interface ContentPiece {
  readonly bytes: Buffer;
  readonly source: KnownFile;
}

/** About as much as one segment has. */
export const PIECE_BYTES = 8 * 1024 * 1024;

export interface ContentSource {
  readonly path: string;
  readonly redactor: StreamRedactor | undefined;
}

/** Undefined for a file that is gone, or that cannot be redacted. `sent` is what was sent of it before. */
export function openContent({ path, redactor }: ContentSource, sent: KnownFile | undefined): OpenContent | undefined {
  const file = openRegular(path);
  if (file === undefined) return undefined;
  const state = stateOf(fstatSync(file));
  const { change = "rewritten", hash = newHash() } = sent ? compareBytes(file, sent.bytes) : {};
  const isRewritten = change === "rewritten";
  const start = {
    file,
    path,
    state,
    at: isRewritten ? 0 : (sent?.bytes.length ?? 0),
    hash: isRewritten ? newHash() : hash,
  };
  const close = () => closeSync(file);
  if (!redactor) return { isRewritten, state, pieces: rawPieces(start), close };
  if (path.endsWith(".jsonl")) return { isRewritten, state, pieces: redactedPieces(start, redactor), close };
  if (change === "same") return { isRewritten: false, state, pieces: [], close };
  const bytes = state.size <= MAX_REDACTED_BYTES ? redactor.file(path) : undefined;
  if (bytes) return { isRewritten: true, state, pieces: [wholePiece(start, bytes)], close };
  close();
  return undefined;
}

interface OpenContent extends NewContent {
  close(): void;
}

/** Text of side files is redacted as a whole. */
const MAX_REDACTED_BYTES = 16 * 1024 * 1024;

interface Start {
  readonly file: number;
  readonly path: string;
  readonly state: FileState;
  readonly at: number;
  /** Of the bytes before. */
  readonly hash: Hash;
}

function* rawPieces({ file, state, at: start, hash }: Start): Generator<ContentPiece> {
  for (let at = start; at < state.size; ) {
    const bytes = readFully(file, at, Math.min(PIECE_BYTES, state.size - at));
    if (bytes.length === 0) return; // cut meanwhile: the next time finds that
    at += bytes.length;
    hash.update(bytes);
    yield { bytes, source: { ...state, bytes: { length: at, digest: digestOf(hash) } } };
  }
}

/** A line without its end may be half a secret, and waits. */
function* redactedPieces(
  { file, path, state, at: start, hash }: Start,
  redactor: StreamRedactor,
): Generator<ContentPiece> {
  for (let at = start; ; ) {
    const end = nextCut(file, at, state.size);
    if (end === at) return;
    if (hashRange(file, hash, at, end) < end) return;
    const bytes = redactor.lines(path, at, end);
    at = end;
    yield { bytes, source: { ...state, bytes: { length: at, digest: digestOf(hash) } } };
  }
}

function wholePiece({ file, state }: Start, bytes: Buffer): ContentPiece {
  const hash = newHash();
  const length = hashRange(file, hash, 0, state.size);
  return { bytes, source: { ...state, bytes: { length, digest: digestOf(hash) } } };
}

const LF = 0x0a;
const SCAN_BYTES = 256 * 1024;

/** The end of the last line that ends within a piece, or of the first one that ends at all; `from` where none does. */
function nextCut(file: number, from: number, size: number): number {
  const wanted = Math.min(size, from + PIECE_BYTES);
  for (let end = wanted; end > from; ) {
    const start = Math.max(from, end - SCAN_BYTES);
    const at = readFully(file, start, end - start).lastIndexOf(LF);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  for (let start = wanted; start < size; start += SCAN_BYTES) {
    const at = readFully(file, start, Math.min(SCAN_BYTES, size - start)).indexOf(LF);
    if (at >= 0) return start + at + 1;
  }
  return from;
}

function readFully(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
