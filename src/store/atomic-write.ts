import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, UserError } from "../errors.js";

export interface AtomicWriteOptions {
  /** false: fails if the target exists, even if it appears while writing. */
  readonly overwrite?: boolean;
  /** false: skips fsync, for files that are not needed after a power failure. */
  readonly durable?: boolean;
  /** Mode of a new file, before the umask. Default: 0600. */
  readonly newMode?: number;
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
  try {
    for await (const chunk of chunks) writeFully(draft.fd, chunk);
    publish(draft, options);
  } finally {
    discard(draft);
  }
}

interface Draft {
  readonly target: string;
  readonly path: string;
  readonly fd: number;
}

function openDraft(path: string, { overwrite = true, newMode = 0o600 }: AtomicWriteOptions): Draft {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !overwrite) throw alreadyExists(path);
  // A link stays a link, and its target is replaced: settings are often linked into a repository.
  const target = existing ? realpathSync(path) : path;
  // Hidden, and ending in .tmp, so that it is not taken for a session or a setting.
  const draftPath = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
  const mode = existing ? existing.mode & 0o777 : newMode;
  const draft = { target, path: draftPath, fd: openSync(draftPath, "wx", mode) };
  if (existing) fchmodSync(draft.fd, mode); // the umask restricts openSync's mode
  return draft;
}

function writeFully(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

function publish(draft: Draft, { overwrite = true, durable = true }: AtomicWriteOptions): void {
  if (durable) fsyncSync(draft.fd);
  if (overwrite) renameSync(draft.path, draft.target);
  else linkNew(draft);
  if (durable) syncFolder(dirname(draft.target));
}

/** Unlike rename, link fails if the target exists: there is no race between checking and writing. */
function linkNew({ path, target }: Draft): void {
  try {
    linkSync(path, target);
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
