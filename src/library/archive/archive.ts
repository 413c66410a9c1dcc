import { hash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { readIfPresent, readText, UserError } from "../../errors.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { ARCHIVED_PLACES } from "../../format/layout/config-places.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { type AtomicWriteOptions, atomicWrite, syncFile, syncFolder } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import type { Archive, FoundSession } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type ArchivedFile, growCopy, isUnchanged, newCopy } from "./archived-file.js";
import { itemsOfSession } from "./session-items.js";

/** The copy of one session: a folder whose manifest lists the valid files. */
export interface ArchivedSession {
  readonly id: string;
  readonly path: string; // of the transcript, which may be deleted
  readonly root: string;
  /** The transcript first. */
  readonly files: readonly ArchivedFile[];
  /** Copies of files that were truncated or replaced since. */
  readonly former: readonly (ArchivedFile & { readonly replacedAt: string })[];
  readonly nextData: number;
  readonly folder: string;
}

const MANIFEST = "manifest.json";

/** Syncing many files in a row costs little more than syncing one. */
const BATCH = 256;

/** Archives sessions and returns the paths of those that are up to date; failures are reported in `problems`. */
export function archiveAll(archive: Archive, sessions: readonly FoundSession[], problems: FileProblem[]): string[] {
  const present = sessions.filter(({ archived }) => !archived);
  const kept: string[] = [];
  for (let at = 0; at < present.length; at += BATCH) {
    kept.push(...archiveBatch(archive, present.slice(at, at + BATCH), problems));
  }
  return kept;
}

/** Data is synced to disk before the manifest that refers to it. What fails for one session is reported, and the others go on. */
function archiveBatch(archive: Archive, sessions: readonly FoundSession[], problems: FileProblem[]): string[] {
  const copies = sessions.flatMap(
    (session) => skipUnreadable(session.path, problems, () => growSession(archive, session, problems)) ?? [],
  );
  const succeeds = (write: (copy: GrownCopy) => void) => {
    return (copy: GrownCopy) =>
      skipUnreadable(copy.session.path, problems, () => {
        write(copy);
        return true;
      });
  };
  const kept = copies
    .filter(({ isChanged }) => isChanged)
    .filter(succeeds(({ written }) => written.forEach(syncFile)))
    .filter(succeeds(({ session }) => writeArchived(session, { durable: false })))
    .filter(succeeds(({ session }) => syncFile(join(session.folder, MANIFEST))))
    .filter(succeeds(({ session }) => syncFolder(session.folder)));
  if (kept.length > 0) skipUnreadable(archive.folder, problems, () => syncFolder(archive.folder));
  const unchanged = copies.filter(({ isChanged }) => !isChanged);
  return [...unchanged, ...kept].flatMap(({ session, isWhole }) => (isWhole ? session.path : []));
}

interface GrownCopy {
  readonly session: ArchivedSession;
  readonly isChanged: boolean;
  /** False: some files could not be copied. */
  readonly isWhole: boolean;
  /** The data files that grew. */
  readonly written: readonly string[];
}

/**
 * Copies what is new of a session and its side files. Files that were deleted stay in the archive. A side file that cannot
 * be copied stops nothing else; without a transcript there is no copy.
 */
function growSession(archive: Archive, found: FoundSession, problems: FileProblem[]): GrownCopy {
  const folder = join(archive.folder, folderNameOf(found));
  const before = readArchived(folder) ?? emptyCopy(found, folder);
  if (before.files.length === 0) refuseUnreadable(folder);
  makeFolder(folder);
  const failed: FileProblem[] = [];
  const copy = growCopies(before);
  for (const path of filesOf(found, failed)) {
    skipUnreadable(path, failed, () => copy.add(path, nameIn(found.root, path)));
    if (copy.files.size === 0) break;
  }
  problems.push(...failed);
  return {
    session: copy.toSession(),
    isChanged: copy.written.size > 0,
    isWhole: failed.length === 0,
    written: [...copy.written],
  };
}

/** A manifest that exists refers to copies, which a new one would replace. */
function refuseUnreadable(folder: string): void {
  const path = join(folder, MANIFEST);
  const text = readIfPresent(path);
  if (text === undefined) return;
  throw new UserError("unreadable", `cannot read ${path}`, "restore it from a backup, or move its folder away");
}

export function listArchived(archive: Archive): ArchivedSession[] {
  return archivedFolders(archive).flatMap(({ folder }) => readArchived(folder) ?? []);
}

/** The folders of copies with their session ids, without reading the manifests. */
export function archivedFolders({ folder }: Archive): { readonly id: string; readonly folder: string }[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  return names.sort().map((name) => ({ id: name.slice(0, name.lastIndexOf(".")), folder: join(folder, name) }));
}

export function readArchived(folder: string): ArchivedSession | undefined {
  const text = attempt(folder, [], () => readText(join(folder, MANIFEST)));
  const manifest = text === undefined ? undefined : tryParseJson(text);
  return isManifest(manifest) ? { ...manifest, folder } : undefined;
}

function isManifest(json: unknown): json is ArchivedSession {
  const { id, path, root, files, former, nextData } = (json ?? {}) as Partial<ArchivedSession>;
  const isCopy = ({ name, data, rawLength, packedLength }: Partial<ArchivedFile>) =>
    [name, data].every((text) => typeof text === "string") && [rawLength, packedLength].every(Number.isSafeInteger);
  return (
    [id, path, root].every((text) => typeof text === "string") &&
    [files, former].every(
      (copies) => Array.isArray(copies) && copies.every((copy) => isObject(copy) && isCopy(copy)),
    ) &&
    Number.isSafeInteger(nextData)
  );
}

/** Folders with copies whose manifest cannot be read. */
export function unreadableCopies(archive: Archive): string[] {
  return archivedFolders(archive).flatMap(({ folder }) => (readArchived(folder) ? [] : folder));
}

export function writeArchived(session: ArchivedSession, options: AtomicWriteOptions = {}): void {
  const { folder, ...manifest } = session;
  atomicWrite(join(folder, MANIFEST), `${JSON.stringify({ version: 1, ...manifest }, null, 1)}\n`, options);
}

/** The session with each file as it was before it was last truncated or replaced; undefined where that never happened. */
export function formerSession(session: ArchivedSession): ArchivedSession | undefined {
  if (session.former.length === 0) return undefined;
  const latest = new Map(session.former.map((copy) => [copy.name, copy]));
  return { ...session, files: session.files.map((file) => latest.get(file.name) ?? file) };
}

/** Size on disk. */
export function packedSizeOf({ files, former }: ArchivedSession): number {
  return [...files, ...former].reduce((sum, { packedLength }) => sum + packedLength, 0);
}

export function archiveSize(archive: Archive): number {
  return listArchived(archive).reduce((sum, session) => sum + packedSizeOf(session), 0);
}

/** Where the copy of a session is, if there is one. */
export function archivedFolderOf({ folder }: Archive, path: string): string {
  return join(folder, folderNameOf({ id: sessionPaths(path).id, path }));
}

export function manifestOf(folder: string): string {
  return join(folder, MANIFEST);
}

/** Includes the path: the same session may be in two roots and differ. */
function folderNameOf({ id, path }: Pick<FoundSession, "id" | "path">): string {
  return `${id}.${hash("sha1", path).slice(0, 12)}`;
}

function emptyCopy({ id, path, root }: FoundSession, folder: string): ArchivedSession {
  return { id, path, root, files: [], former: [], nextData: 0, folder };
}

/** A transcript may be a link; other links are skipped, as they may point anywhere. */
function filesOf(session: FoundSession, problems: FileProblem[]): string[] {
  const [, ...others] = skipUnreadable(session.path, problems, () => itemsOfSession(session)) ?? [];
  const files = others.filter(({ kind, place }) => kind === "file" && ARCHIVED_PLACES.has(place));
  return [session.path, ...files.map(({ path }) => path)];
}

function nameIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

interface GrowingCopies {
  readonly files: ReadonlyMap<string, ArchivedFile>;
  /** The data files that were written. */
  readonly written: ReadonlySet<string>;
  add(path: string, name: string): void;
  toSession(): ArchivedSession;
}

/** Changes nothing where a file cannot be copied. */
function growCopies(before: ArchivedSession): GrowingCopies {
  const { folder } = before;
  const files = new Map(before.files.map((file) => [file.name, file]));
  const former = [...before.former];
  const written = new Set<string>();
  let { nextData } = before;
  const keep = (copy: ArchivedFile) => {
    files.set(copy.name, copy);
    written.add(join(folder, copy.data));
  };
  return {
    files,
    written,
    add(path, name) {
      const stats = statSync(path);
      const known = files.get(name);
      if (known && isUnchanged(stats, known)) return;
      const grown = known ? growCopy(folder, path, known) : null;
      if (grown && grown.ctimeMs === 0 && grown.digest === known?.digest) return; // nothing worth writing down
      if (grown) return keep(grown);
      const copy = newCopy(folder, path, name, `${nextData}.gz`);
      nextData += 1;
      if (known) former.push({ ...known, replacedAt: new Date().toISOString() });
      keep(copy);
    },
    toSession: () => ({ ...before, files: [...files.values()], former, nextData }),
  };
}
