import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCode, UserError } from "../errors.js";
import { draftPathOf, keepTemporary, removeAtEnd, reservingPathOf } from "./temporary.js";

export interface AtomicWriteOptions {
  /** false: fails if the target exists, even if it appears while writing. */
  readonly overwrite?: boolean;
  /** false: skips fsync, for files that are not needed after a power failure. */
  readonly durable?: boolean;
  /** Mode of a new file, before the umask. Default: 0600. */
  readonly newMode?: number;
  /** false: a link at the path is replaced itself. Default: its target is replaced. */
  readonly followsLinks?: boolean;
  /** Where the draft is written, if that is on the same device; otherwise beside the target. */
  readonly draftsIn?: string;
  /** Called when everything is written, before the target gets its name. */
  readonly beforeNaming?: () => void;
}

/** The target has either its old content or all of the new one, never a part. An existing file keeps its mode. */
export function atomicWrite(path: string, content: string | Uint8Array, options: AtomicWriteOptions = {}): void {
  const draft = openDraft(path, options);
  try {
    writeFully(draft.fd, content);
    publish(draft, options);
  } finally {
    discard(draft);
  }
}

/** The same for content that is too large for memory. */
export async function atomicWriteChunks(
  path: string,
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const draft = openDraft(path, options);
  removeAtEnd(draft.path);
  try {
    let pauseAt = performance.now() + BUSY_MS;
    for await (const chunk of chunks) {
      writeFully(draft.fd, chunk);
      if (performance.now() < pauseAt) continue;
      await nextTurn();
      pauseAt = performance.now() + BUSY_MS;
    }
    publish(draft, options);
  } finally {
    discard(draft);
    keepTemporary(draft.path);
  }
}

/** Signals arrive between two turns of the event loop, and a long write must not hold them up. */
const BUSY_MS = 50;

interface Draft {
  readonly target: string;
  readonly path: string;
  readonly fd: number;
}

function openDraft(path: string, options: AtomicWriteOptions): Draft {
  const { overwrite = true, newMode = 0o600, draftsIn, followsLinks = true } = options;
  const existing = (followsLinks ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  if (existing && !overwrite) throw alreadyExists(path);
  // A link stays a link, and its target is replaced: settings are often linked into a repository.
  const target = existing && followsLinks ? realpathSync(path) : path;
  const isNear = draftsIn !== undefined && statSync(draftsIn).dev === statSync(dirname(target)).dev;
  const draftPath = draftPathOf(isNear ? join(draftsIn, basename(target)) : target);
  const mode = existing ? existing.mode & 0o777 : newMode;
  const draft = { target, path: draftPath, fd: openSync(draftPath, "wx", mode) };
  if (existing) fchmodSync(draft.fd, mode); // the umask restricts openSync's mode
  return draft;
}

function writeFully(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

function publish(draft: Draft, { overwrite = true, durable = true, beforeNaming }: AtomicWriteOptions): void {
  if (durable) fsyncSync(draft.fd);
  beforeNaming?.();
  if (overwrite) renameSync(draft.path, draft.target);
  else publishNew(draft.path, draft.target);
  if (durable) syncFolder(dirname(draft.target));
}

/** Gives a complete file its name and never replaces another file: there is no race between checking and writing. */
export function publishNew(draft: string, target: string): void {
  if (!linkNew(draft, target)) replaceReservation(draft, target);
  else rmSync(draft);
}

/**
 * Gives a file a second name, and unlike rename fails if that is taken. False where the file system has no hard links, or
 * `to` is on another one. FAT answers EPERM, FUSE also ENOSYS, Android EACCES.
 */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") throw alreadyExists(to);
    if (["EXDEV", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code))
      return false;
    throw error;
  }
}

/**
 * Without hard links, an empty file reserves the name, and the complete one replaces it. The draft's name says so: if the
 * process is killed in between, `sweepTemporary` removes both.
 */
function replaceReservation(draft: string, target: string): void {
  const reserving = reservingPathOf(draft);
  renameSync(draft, reserving);
  try {
    reserve(target);
    renameSync(reserving, target);
  } finally {
    rmSync(reserving, { force: true });
  }
}

function reserve(target: string): void {
  try {
    closeSync(openSync(target, "wx", 0o600));
  } catch (error) {
    throw errorCode(error) === "EEXIST" ? alreadyExists(target) : error;
  }
}

function discard({ fd, path }: Draft): void {
  closeSync(fd);
  rmSync(path, { force: true });
}

/** Makes the content of a file survive a power failure. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes new names in a folder survive a power failure. Windows cannot sync folders, some network drives refuse it. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!["EINVAL", "ENOTSUP", "EPERM"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    closeSync(fd);
  }
}

function alreadyExists(path: string): UserError {
  return new UserError("exists", `${path} already exists`, "Choose another name, or remove it first.");
}
