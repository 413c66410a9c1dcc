import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { attempt, type FileProblem } from "./folder-listing.js";

/** Neither waits for a writer of a pipe nor follows a link; Windows has neither flag. */
const CAREFULLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * The bytes of a small file that another program may replace or remove at any moment; undefined where it is missing, no plain
 * file, or larger than `maxBytes`, which is noted as a problem.
 */
export function readSmallFile(path: string, maxBytes: number, problems: FileProblem[] = []): Buffer | undefined {
  const file = attempt(path, problems, () => openSync(path, CAREFULLY));
  if (file === undefined) return undefined;
  try {
    const reason = reasonToSkip(file, maxBytes);
    if (reason !== undefined) problems.push({ path, reason });
    return reason === undefined ? attempt(path, problems, () => readUpTo(file, maxBytes)) : undefined;
  } finally {
    closeSync(file);
  }
}

function reasonToSkip(file: number, maxBytes: number): string | undefined {
  const stats = fstatSync(file);
  if (!stats.isFile()) return "not a file";
  return stats.size > maxBytes ? `larger than ${maxBytes} bytes` : undefined;
}

function readUpTo(file: number, maxBytes: number): Buffer {
  const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(file).size + 1024));
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}
