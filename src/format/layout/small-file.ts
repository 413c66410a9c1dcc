import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { attempt, type FileProblem } from "./folder-listing.js";

/** Does not wait for a writer of a pipe; Windows has neither flag. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

export interface SmallFileOptions {
  readonly maxBytes: number;
  /** Whether a link to a file is read; users link their settings into repositories. */
  readonly followsLinks?: boolean;
}

/**
 * The bytes of a small file that another program may replace or remove at any moment; undefined where it is missing, no plain
 * file, or larger than `maxBytes`, which is noted as a problem.
 */
export function readSmallFile(
  path: string,
  { maxBytes, followsLinks = false }: SmallFileOptions,
  problems: FileProblem[] = [],
): Buffer | undefined {
  const file = attempt(path, problems, () => openSync(path, WITHOUT_WAITING | (followsLinks ? 0 : NO_LINK)));
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

/** The first or last bytes of a file of any size, as Latin-1: for a look at names and numbers. */
export function readEdge(path: string, edge: "head" | "tail", maxBytes: number): string {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const offset = edge === "head" ? 0 : size - bytes.length;
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}
