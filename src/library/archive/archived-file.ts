import type { Hash } from "node:crypto";
import { closeSync, fstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../errors.js";
import {
  compareBytes,
  digestOf,
  isSameState,
  type KnownBytes,
  type KnownFile,
  newHash,
  openRegular,
  stateOf,
} from "../../format/identity/file-identity.js";
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
  /** As in `FileState`; older manifests have none, and no digest. */
  readonly ctimeMs?: number;
  readonly mode: number;
  readonly digest?: string; // of all bytes
}

const PIECE_BYTES = 4 * 1024 * 1024;

export function isUnchanged(stats: Stats, { rawLength, mtimeMs, ctimeMs = 0, inode }: ArchivedFile): boolean {
  return isSameState({ size: rawLength, mtimeMs, ctimeMs, inode }, stateOf(stats));
}

/** Undefined for a copy that an older turnlog made. */
export function knownFileOf(copy: ArchivedFile): KnownFile | undefined {
  const { rawLength: length, mtimeMs, ctimeMs = 0, inode, digest } = copy;
  return digest === undefined ? undefined : { size: length, mtimeMs, ctimeMs, inode, bytes: { length, digest } };
}

/** Adds the appended bytes to a copy; null when the file was rewritten and needs a new copy. */
export function growCopy(folder: string, path: string, copy: ArchivedFile): ArchivedFile | null {
  const isWhole = (statSync(join(folder, copy.data), { throwIfNoEntry: false })?.size ?? 0) >= copy.packedLength;
  if (!isWhole) return null;
  return withFile(path, (file) => {
    const known = knownBytes(folder, copy);
    const compared = known && compareBytes(file, known);
    return compared && compared.change !== "rewritten" ? extend(file, folder, copy, compared.hash) : null;
  });
}

/** Files are copied while others write them; one that is rewritten again and again is left for the next run. */
const ATTEMPTS = 3;

export function newCopy(folder: string, path: string, name: string, data: string): ArchivedFile {
  const empty = { name, data, rawLength: 0, packedLength: 0, inode: 0, mtimeMs: 0, mode: 0 };
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const copy = withFile(path, (file) => extend(file, folder, empty, newHash()));
    if (copy) return copy;
  }
  throw new UserError("busy", `${path} is being rewritten`, "archive it later");
}

/** What the copy holds; undefined where it is damaged. */
function knownBytes(folder: string, { data, digest, rawLength, packedLength }: ArchivedFile): KnownBytes | undefined {
  if (digest !== undefined) return { length: rawLength, digest };
  return skipUnreadable(data, [], () => {
    const hash = newHash();
    for (const piece of readMembers(join(folder, data), packedLength)) hash.update(piece);
    return { length: rawLength, digest: digestOf(hash) };
  });
}

/** `hash` is that of the bytes in the copy. Null when the file was rewritten while it was copied. */
function extend(file: number, folder: string, copy: ArchivedFile, hash: Hash): ArchivedFile | null {
  const stats = fstatSync(file);
  const { size, inode, mtimeMs, ctimeMs } = stateOf(stats);
  let rawLength = copy.rawLength;
  function* appended(): Generator<Buffer> {
    while (rawLength < size) {
      const piece = readBytes(file, rawLength, Math.min(PIECE_BYTES, size - rawLength));
      if (piece.length === 0) return;
      rawLength += piece.length;
      hash.update(piece);
      yield piece;
    }
  }
  const packedLength = appendMembers(join(folder, copy.data), copy.packedLength, appended());
  const grown = { ...copy, rawLength, packedLength, inode, mtimeMs, ctimeMs, mode: stats.mode, digest: digestOf(hash) };
  const isStable = isUnchanged(fstatSync(file), grown) || isContained(file, grown);
  return isStable ? grown : null;
}

function isContained(file: number, { rawLength, digest }: ArchivedFile & { readonly digest: string }): boolean {
  return compareBytes(file, { length: rawLength, digest }).change !== "rewritten";
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openRegular(path);
  if (file === undefined) throw new UserError("not-found", `${path} is no longer there`, "it was deleted or moved");
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
