import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { skipUnreadable } from "../skip-unreadable.js";
import { appendMembers, readBytes, readMembers } from "./gzip-members.js";

/** The compressed copy of one file, with what is needed to see whether the file only grew. */
export interface ArchivedFile {
  readonly name: string; // relative to the root, with slashes
  readonly data: string; // the file in the archive
  readonly rawLength: number;
  readonly packedLength: number;
  readonly inode: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly prefixHash: string; // of the first 4 KB
  readonly tailHash: string; // of the last 4 KB
}

const EDGE_BYTES = 4096;
const PIECE_BYTES = 4 * 1024 * 1024;

export function isUnchanged({ size, mtimeMs, ino }: Stats, copy: ArchivedFile): boolean {
  return size === copy.rawLength && mtimeMs === copy.mtimeMs && ino === copy.inode;
}

/** Adds the appended bytes to a copy; null when the file was replaced and needs a new copy. */
export function growCopy(folder: string, path: string, copy: ArchivedFile): ArchivedFile | null {
  const isWhole = (statSync(join(folder, copy.data), { throwIfNoEntry: false })?.size ?? 0) >= copy.packedLength;
  return isWhole
    ? withFile(path, (file) => (isContinued(file, folder, copy) ? extend(file, folder, copy) : null))
    : null;
}

export function newCopy(folder: string, path: string, name: string, data: string): ArchivedFile {
  const empty = {
    name,
    data,
    rawLength: 0,
    packedLength: 0,
    inode: 0,
    mtimeMs: 0,
    mode: 0,
    prefixHash: "",
    tailHash: "",
  };
  return withFile(path, (file) => extend(file, folder, empty));
}

/** Whether a file starts with the content of a copy. */
function startsWithCopy(file: number, folder: string, copy: ArchivedFile): boolean {
  let at = 0;
  for (const piece of readMembers(join(folder, copy.data), copy.packedLength)) {
    if (!piece.equals(readBytes(file, at, piece.length))) return false;
    at += piece.length;
  }
  return at === copy.rawLength;
}

/** A moved or synced file has another inode: then all bytes are compared. */
function isContinued(file: number, folder: string, copy: ArchivedFile): boolean {
  const { size, ino } = fstatSync(file);
  if (size < copy.rawLength) return false;
  if (ino !== copy.inode) return skipUnreadable(copy.data, [], () => startsWithCopy(file, folder, copy)) ?? false;
  const { prefixHash, tailHash } = hashEdges(file, copy.rawLength);
  return prefixHash === copy.prefixHash && tailHash === copy.tailHash;
}

function extend(file: number, folder: string, copy: ArchivedFile): ArchivedFile {
  const { size, ino, mtimeMs, mode } = fstatSync(file);
  let rawLength = copy.rawLength;
  function* appended(): Generator<Buffer> {
    while (rawLength < size) {
      const piece = readBytes(file, rawLength, Math.min(PIECE_BYTES, size - rawLength));
      if (piece.length === 0) return; // truncated meanwhile: the next run notices
      rawLength += piece.length;
      yield piece;
    }
  }
  const packedLength = appendMembers(join(folder, copy.data), copy.packedLength, appended());
  return { ...copy, rawLength, packedLength, inode: ino, mtimeMs, mode, ...hashEdges(file, rawLength) };
}

function hashEdges(file: number, length: number): Pick<ArchivedFile, "prefixHash" | "tailHash"> {
  const edge = Math.min(EDGE_BYTES, length);
  return {
    prefixHash: hash("sha1", readBytes(file, 0, edge), "base64"),
    tailHash: hash("sha1", readBytes(file, length - edge, edge), "base64"),
  };
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, "r");
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
