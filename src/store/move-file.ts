import { hash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, UserError } from "../errors.js";
import { syncFile, syncFolder } from "./atomic-write.js";

/** Moves a file or link to an unused name. At every moment one of the two names has all of it. */
export function moveAway(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    copyWhole(from, to);
    unlinkSync(from);
  }
}

/** Moves it to a name that other programs use: an existing file is never replaced, unless its content is the same. */
export function moveBack(from: string, to: string): void {
  if (!isThere(to)) put(from, to);
  else if (!isSameContent(from, to)) throw occupied(to);
  for (const draft of [copyBeside(to), draftOf(copyBeside(to))]) rmSync(draft, { force: true });
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

/** A folder is renamed to this before it is removed, so that a half removed one is never taken for a whole one. */
const REMOVED = ".removed-";

export function removeFolder(folder: string): void {
  const renamed = join(dirname(folder), REMOVED + randomBytes(6).toString("hex"));
  renameSync(folder, renamed);
  rmSync(renamed, { recursive: true, force: true });
}

/** Finishes removals in a folder that were interrupted. */
export function finishRemovals(parent: string): void {
  for (const name of readdirSync(parent))
    if (name.startsWith(REMOVED)) rmSync(join(parent, name), { recursive: true, force: true });
}

function put(from: string, to: string): void {
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (!linkNew(from, to)) putCopy(from, to);
  syncFolder(dirname(to));
}

function putCopy(from: string, to: string): void {
  const copy = copyBeside(to);
  copyWhole(from, copy);
  if (linkNew(copy, to)) return;
  if (isThere(to)) throw occupied(to);
  renameSync(copy, to);
}

const copyBeside = (path: string) => `${path}.restored.tmp`;
const draftOf = (path: string) => `${path}.partial`;

/** A copy gets its name only when every byte is on disk and was verified. */
function copyWhole(from: string, to: string): void {
  const before = lstatSync(from);
  if (before.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFile(from, to, before);
}

function copyFile(from: string, to: string, before: Stats): void {
  const draft = draftOf(to);
  rmSync(draft, { force: true });
  try {
    copyFileSync(from, draft);
    chmodSync(draft, 0o600);
    syncFile(draft);
    const isSame = digestOf(draft) === digestOf(from);
    const after = lstatSync(from);
    if (!isSame || after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw changedWhileMoving(from);
    chmodSync(draft, before.mode & 0o7777);
    utimesSync(draft, before.atimeMs / 1000, before.mtimeMs / 1000);
    renameSync(draft, to);
    syncFolder(dirname(to));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False where the file system has no hard links, or `to` is on another one. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw occupied(to);
    if (["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "")) return false;
    throw error;
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
