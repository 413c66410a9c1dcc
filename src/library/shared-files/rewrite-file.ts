import { hash } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "../../errors.js";
import { compareFile, digestOf, newHash, stateOf } from "../../format/identity/file-identity.js";
import { atomicWrite } from "../../store/atomic-write.js";

/** Bytes that were taken out of a file, with what is needed to put them back in their places. */
export interface Cuts {
  readonly path: string;
  /** `at`: where they were, as an offset in what was left. */
  readonly pieces: readonly { readonly at: number; readonly base64: string }[];
  readonly leftLength: number;
  readonly leftHash: string;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Ranges are in order and do not overlap. */
export function toCuts(path: string, bytes: Buffer, ranges: readonly ByteRange[]): Cuts {
  let removed = 0;
  const pieces = ranges.map(({ start, end }) => {
    const piece = { at: start - removed, base64: bytes.toString("base64", start, end) };
    removed += end - start;
    return piece;
  });
  const left = withoutRanges(bytes, ranges);
  return { path, pieces, leftLength: left.length, leftHash: hash("sha256", left) };
}

export function withoutRanges(bytes: Buffer, ranges: readonly ByteRange[]): Buffer {
  const starts = [0, ...ranges.map(({ end }) => end)];
  const ends = [...ranges.map(({ start }) => start), bytes.length];
  return Buffer.concat(starts.map((start, index) => bytes.subarray(start, ends[index])));
}

/** The bytes as they were before; undefined where the file has changed since other than by growing at its end. */
export function withPieces(bytes: Buffer, { pieces, leftLength, leftHash }: Cuts): Buffer | undefined {
  if (bytes.length < leftLength || hash("sha256", bytes.subarray(0, leftLength)) !== leftHash) return undefined;
  const starts = [0, ...pieces.map(({ at }) => at)];
  const parts = starts.flatMap((start, index) => {
    const end = pieces[index]?.at ?? bytes.length;
    const piece = pieces[index];
    return [bytes.subarray(start, end), ...(piece ? [Buffer.from(piece.base64, "base64")] : [])];
  });
  return Buffer.concat(parts);
}

const MAX_ATTEMPTS = 5;

/**
 * Replaces the content of a file that other programs append to or replace; the file keeps its mode. What was appended while it
 * was written is appended to the new one. `change` returns undefined to leave the file as it is.
 */
export function rewriteFile(path: string, change: (bytes: Buffer) => Buffer | undefined): void {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) if (tryRewrite(path, change)) return;
  throw new UserError("busy", `${path} is being written`, "try again when no Claude Code is running");
}

function tryRewrite(path: string, change: (bytes: Buffer) => Buffer | undefined): boolean {
  const file = openSync(path, "r");
  try {
    const state = stateOf(fstatSync(file));
    const bytes = readFrom(file, 0);
    const next = change(bytes);
    if (next === undefined || next.equals(bytes)) return true;
    const known = { length: bytes.length, digest: digestOf(newHash().update(bytes)) };
    if (compareFile(path, { ...state, bytes: known }) !== "same") return false;
    atomicWrite(path, next);
    const late = readFrom(file, bytes.length);
    if (late.length > 0) appendFileSync(path, late);
    return true;
  } finally {
    closeSync(file);
  }
}

function readFrom(file: number, offset: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = offset; ; ) {
    const piece = Buffer.alloc(1024 * 1024);
    const length = readSync(file, piece, 0, piece.length, at);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, length));
    at += length;
  }
}
