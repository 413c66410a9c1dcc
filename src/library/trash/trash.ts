import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode, readIfReadable } from "../../errors.js";
import { numberAt, stringAt, tryParseJson } from "../../format/json.js";
import type { TreeItem } from "../../format/layout/folder-listing.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { acquireLock } from "../../store/lock.js";
import { moveAway, removeFolder } from "../../store/move-file.js";
import { sweepTemporary } from "../../store/temporary.js";
import { restoreItems, type StoredItem } from "../archive/session-items.js";
import { applyPurge, type Purge, undoPurge } from "../shared-files/purge.js";

/** A session in the trash. */
export interface TrashedSession {
  readonly id: string;
  readonly path: string; // where the transcript was
  readonly title: string;
  readonly project: string | null;
  readonly deletedAt: string;
  readonly items: readonly StoredItem[];
  /** What was taken out of files that other sessions share. */
  readonly purged?: Purge | undefined;
  /** Its folder in the trash. */
  readonly folder: string;
}

export type TrashedHeader = Pick<TrashedSession, "id" | "path" | "title" | "project">;

const MANIFEST = "manifest.json";

/** Locks the trash against other processes. */
export async function withTrash<T>(dataDir: string, work: (trash: string) => T): Promise<T> {
  const path = join(ensureDataDir(dataDir, "locks"), "trash.lock");
  const lock = await acquireLock(path, { purpose: "moving sessions to or from the trash" });
  try {
    const trash = ensureDataDir(dataDir, "trash");
    sweep(trash);
    return work(trash);
  } finally {
    lock.release();
  }
}

/**
 * Moves all files of a session into the trash. The manifest is written first: if the process is killed, every file is
 * either in its place or listed in the trash. Shared files are changed before any is moved, so that a purge that was cut short
 * leaves an interrupted entry. On failure everything is restored.
 */
export function moveToTrash(
  trash: string,
  header: TrashedHeader,
  found: readonly TreeItem[],
  purged?: Purge,
): TrashedSession {
  for (const rest of listTrash(trash)) if (rest.path === header.path && isInterrupted(rest)) putBack(rest);
  const deletedAt = new Date().toISOString();
  const folder = join(trash, `${deletedAt.replaceAll(/[:.]/g, "-")}-${randomBytes(4).toString("hex")}`);
  const items = found.map(
    ({ path, kind, mode, size, mtimeMs }, at): StoredItem => ({
      path,
      kind,
      mode,
      size,
      mtimeMs,
      stored: kind === "folder" ? null : String(at),
    }),
  );
  const session: TrashedSession = { ...header, deletedAt, items, purged, folder };
  mkdirSync(folder, { mode: 0o700 });
  atomicWrite(join(folder, MANIFEST), `${JSON.stringify({ version: 1, ...session, folder: undefined }, null, 1)}\n`);
  try {
    if (purged) applyPurge(purged);
    for (const { path, stored } of items) if (stored !== null) moveAway(path, join(folder, stored));
    for (const { path, stored } of items.toReversed()) if (stored === null) removeEmpty(path);
  } catch (error) {
    putBack(session);
    removeFromTrash(session);
    throw error;
  }
  return session;
}

/** Restores a session with its lines in shared files. Returns the paths of files that are no longer in the trash. */
export function restoreFromTrash(session: TrashedSession): readonly string[] {
  const missing = putBack(session);
  removeFromTrash(session);
  return missing;
}

function putBack(session: TrashedSession): readonly string[] {
  const missing = restoreItems(session);
  if (session.purged) undoPurge(session.purged);
  return missing;
}

/** Latest first. */
export function listTrash(trash: string): TrashedSession[] {
  if (!existsSync(trash)) return [];
  const folders = readdirSync(trash).filter((name) => !name.startsWith("."));
  const sessions = folders.flatMap((name) => readEntry(join(trash, name)) ?? []);
  return sessions.sort((a, b) => b.deletedAt.localeCompare(a.deletedAt));
}

/** The move was interrupted: some files are still in their place. */
export function isInterrupted({ items, folder }: TrashedSession): boolean {
  return items.some(({ stored, path }) => stored !== null && !existsSync(join(folder, stored)) && existsSync(path));
}

export function sizeOf(items: readonly Pick<TreeItem, "size">[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}

/** Permanently. */
export function removeFromTrash({ folder }: TrashedSession): void {
  removeFolder(folder);
}

function readEntry(folder: string): TrashedSession | undefined {
  const path = join(folder, MANIFEST);
  const manifest = tryParseJson(readIfReadable(path) ?? "");
  return isManifest(manifest) ? { ...manifest, folder } : undefined;
}

function isManifest(json: unknown): json is TrashedSession {
  const { id, path, title, deletedAt, items } = (json ?? {}) as Partial<TrashedSession>;
  const isItem = (item: unknown) => stringAt(item, "path") !== undefined && numberAt(item, "mode") !== undefined;
  return (
    [id, path, title, deletedAt].every((text) => typeof text === "string") &&
    Array.isArray(items) &&
    items.every(isItem)
  );
}

/** Folders in the trash whose manifest cannot be read; what they hold stays. */
export function unreadableTrash(dataDir: string): string[] {
  const trash = join(dataDir, "trash");
  const names = existsSync(trash) ? readdirSync(trash).filter((name) => !name.startsWith(".")) : [];
  return names.map((name) => join(trash, name)).filter((folder) => !readEntry(folder));
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // A file that was added meanwhile stays.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** Finishes interrupted removals, and removes the folders of deletions that were killed before anything was moved. */
function sweep(trash: string): void {
  sweepTemporary(trash);
  for (const name of readdirSync(trash)) {
    const folder = join(trash, name);
    if (existsSync(join(folder, MANIFEST))) continue;
    sweepTemporary(folder);
    removeEmpty(folder);
  }
}
