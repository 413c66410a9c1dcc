import { hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorCode, UserError } from "../errors.js";
import { linkNew, publishNew, syncFile, syncFolder } from "./atomic-write.js";
import { draftPathOf } from "./temporary.js";

/** Moves a file or link to an unused name. At every moment one of the two names has all of it. */
export function moveAway(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    copyWhole(from, to, renameSync);
    unlinkSync(from);
  }
}

/** Moves it to a name that other programs use: an existing file is never replaced, unless its content is the same. */
export function moveBack(from: string, to: string): void {
  if (!isThere(to)) put(from, to);
  else if (!isSameContent(from, to)) throw occupied(to);
  unlinkSync(from);
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The same kind of entry with the same content. */
export function isSameContent(a: string, b: string): boolean {
  const [one, other] = [lstatSync(a), lstatSync(b)];
  if (one.dev === other.dev && one.ino === other.ino) return true;
  if (one.isSymbolicLink() && other.isSymbolicLink()) return readlinkSync(a) === readlinkSync(b);
  return one.isFile() && other.isFile() && one.size === other.size && digestOf(a) === digestOf(b);
}

/** It is renamed first, so that a half removed one is never taken for a whole one, and the rest is removed at the next start. */
export function removeFolder(folder: string): void {
  const renamed = draftPathOf(folder);
  renameSync(folder, renamed);
  rmSync(renamed, { recursive: true, force: true });
}

function put(from: string, to: string): void {
  const isLink = lstatSync(from).isSymbolicLink();
  if (isLink || !linkNew(from, to)) copyWhole(from, to, publishNew);
  syncFolder(dirname(to));
}

type Publish = (draft: string, to: string) => void;

/** A copy gets its name only when every byte is on disk and was verified. */
function copyWhole(from: string, to: string, publish: Publish): void {
  const before = lstatSync(from);
  if (before.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFile(from, to, before, publish);
}

function copyFile(from: string, to: string, before: Stats, publish: Publish): void {
  const draft = draftPathOf(to);
  try {
    copyFileSync(from, draft);
    chmodSync(draft, 0o600);
    syncFile(draft);
    const isSame = digestOf(draft) === digestOf(from);
    const after = lstatSync(from);
    if (!isSame || after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw changedWhileMoving(from);
    chmodSync(draft, before.mode & 0o7777);
    utimesSync(draft, before.atimeMs / 1000, before.mtimeMs / 1000);
    publish(draft, to);
    syncFolder(dirname(to));
  } finally {
    rmSync(draft, { force: true });
  }
}

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Digest of the pieces' digests, for files of any size. */
function digestOf(path: string): string {
  const file = openSync(path, "r");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let digest = "";
  try {
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      digest = hash("sha256", digest + hash("sha256", chunk.subarray(0, length)));
    }
    return digest;
  } finally {
    closeSync(file);
  }
}

function changedWhileMoving(path: string): UserError {
  return new UserError(
    "busy",
    `${path} changed while it was moved`,
    "nothing was removed; try again when it is no longer being written",
  );
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} already exists`, "move it away first; nothing was overwritten");
}
