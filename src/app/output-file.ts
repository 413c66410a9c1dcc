import { realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { isFileError, UserError } from "../errors.js";
import { isOneFile } from "../format/identity/file-identity.js";
import { configRootOf, projectsDirOf } from "../format/layout/session-paths.js";
import { atomicWriteChunks } from "../store/atomic-write.js";

export interface OutputFile {
  readonly path: string;
  readonly overwrite: boolean;
  /** The exported session, if there is one, and the folders of sessions: nothing is ever written there. */
  readonly source?: string;
  readonly roots: readonly string[];
}

export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Writes an export completely or not at all. */
export async function writeOutputFile(output: OutputFile, pieces: Pieces): Promise<void> {
  const { path, overwrite } = output;
  const existing = statOf(path);
  refuseFolder(path, existing);
  refuseSource(output, existing);
  refuseLibrary(output, existing);
  if (existing && !overwrite) throw new UserError("exists", `${path} already exists`, "add --force to overwrite it");
  try {
    await atomicWriteChunks(path, pieces, { overwrite });
  } catch (error) {
    throw isDraftError(error) ? cannotWrite(path, error) : error;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function refuseFolder(path: string, existing: Stats | undefined): void {
  if (existing?.isDirectory()) {
    throw new UserError("exists", `${path} is a folder`, `add a file name, for example ${join(path, "session.json")}`);
  }
  const folder = dirname(path);
  if (!statOf(folder)?.isDirectory()) {
    throw new UserError("not-found", `no such folder: ${folder}`, "create it first");
  }
}

function refuseSource({ path, source }: OutputFile, existing: Stats | undefined): void {
  if (source === undefined) return;
  if (!existing || !isOneFile(existing, statSync(source))) return;
  throw new UserError("exists", `${path} is the session itself`, "sessions are never changed; use another file");
}

function refuseLibrary(output: OutputFile, existing: Stats | undefined): void {
  const { path } = output;
  refusePlace(existing ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path)), output);
}

/** `place` is `path` without links. */
export function refusePlace(place: string, { path, source, roots }: Omit<OutputFile, "overwrite">): void {
  const root = [...roots, ...(source === undefined ? [] : clientFolderOf(source))].find(
    (folder) => statOf(folder) && isBelow(place, folder),
  );
  if (root === undefined) return;
  throw new UserError("exists", `${path} is inside ${root}, where sessions are read from`, "write it somewhere else");
}

/** Claude Code's folder of a session given by its path. */
function clientFolderOf(source: string): string[] {
  const root = configRootOf(realpathSync(source));
  return projectsDirOf(root) === dirname(dirname(realpathSync(source))) ? [root] : [];
}

export function isBelow(target: string, folder: string): boolean {
  const way = relative(realpathSync(folder), target);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Errors about the temporary file next to the target are reported for the target. */
function isDraftError(error: unknown): error is NodeJS.ErrnoException {
  return isFileError(error) && (error.path ?? "").endsWith(".tmp");
}

function cannotWrite(path: string, error: NodeJS.ErrnoException): UserError {
  const hint = "check the permissions and the free disk space";
  return new UserError("unreadable", `cannot write ${path} (${error.code})`, hint, { cause: error });
}
