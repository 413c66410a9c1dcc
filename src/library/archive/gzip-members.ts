import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { UserError } from "../../errors.js";

/**
 * Files of concatenated gzip members, which every gunzip reads as one. Each member has its own length in an extra field,
 * so that a file of any size can be unpacked piece by piece.
 */
const EXTRA_FLAG = 4;
const EXTRA = [8, 0, 0x54, 0x4c, 4, 0]; // 8 bytes of extra fields: "TL" with 4 bytes of data
const HEADER_BYTES = 10;
const PRELUDE_BYTES = HEADER_BYTES + EXTRA.length + 4;

/** Adds members after the first `length` bytes, without fsync; truncates what a killed process left there. Returns the new length. */
export function appendMembers(path: string, length: number, pieces: Iterable<Uint8Array>): number {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    ftruncateSync(file, length);
    let end = length;
    for (const piece of pieces) {
      const member = toMember(piece);
      for (let done = 0; done < member.length; )
        done += writeSync(file, member, done, member.length - done, end + done);
      end += member.length;
    }
    return end;
  } finally {
    closeSync(file);
  }
}

/** Unpacks the first `length` bytes piece by piece; throws a UserError where they are damaged. */
export function* readMembers(path: string, length: number): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size < length) throw damaged(path);
    for (let at = 0; at < length; ) {
      const prelude = readBytes(file, at, PRELUDE_BYTES);
      const size = prelude.length < PRELUDE_BYTES ? 0 : prelude.readUInt32LE(PRELUDE_BYTES - 4);
      if (size < PRELUDE_BYTES || at + size > length) throw damaged(path);
      yield unpack(readBytes(file, at, size), path);
      at += size;
    }
  } finally {
    closeSync(file);
  }
}

/** Returns fewer bytes only at the end of the file. */
export function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function unpack(member: Buffer, path: string): Buffer {
  try {
    return gunzipSync(member);
  } catch (error) {
    throw damaged(path, error);
  }
}

function damaged(path: string, cause?: unknown): UserError {
  return new UserError("unreadable", `the copy ${path} is damaged`, "replace it with a backup", { cause });
}

function toMember(piece: Uint8Array): Buffer {
  const packed = gzipSync(piece);
  const header = Buffer.from(packed.subarray(0, HEADER_BYTES));
  header[3] = EXTRA_FLAG;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(packed.length + EXTRA.length + size.length);
  return Buffer.concat([header, Buffer.from(EXTRA), size, packed.subarray(HEADER_BYTES)]);
}
