import { chmodSync, existsSync, lstatSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../errors.js";
import { listItemsElsewhere, listSessionItems, type SessionItem } from "../../format/layout/files-of-session.js";
import type { TreeItem } from "../../format/layout/folder-listing.js";
import { makeFolder } from "../../store/make-folder.js";
import { isSameContent, isThere, moveBack } from "../../store/move-file.js";
import { sweepTemporary } from "../../store/temporary.js";
import type { FoundSession } from "../found-session.js";

/** All files, folders and links of a session, links not followed; the transcript first. Of an archived one what is left elsewhere. */
export function itemsOfSession({ path, root, archived, sharedSubagents, places }: FoundSession): SessionItem[] {
  const options = { configRoot: root, places: places() };
  if (archived) return listItemsElsewhere(path, options);
  return listSessionItems(path, { ...options, shared: sharedSubagents() });
}

/** A file, folder or link whose content is stored under another name; null for folders, which are created again. */
export interface StoredItem extends Omit<TreeItem, "inode"> {
  readonly stored: string | null;
}

/** Items whose contents are stored in a folder under other names. */
export interface StoredItems {
  readonly folder: string;
  readonly items: readonly StoredItem[];
}

/**
 * Restores all items with their modes and times, the transcript last. Refuses before changing anything if another file
 * is in the way. Returns the paths that have no stored content left.
 */
export function restoreItems({ folder, items }: StoredItems): readonly string[] {
  const folders = items.filter(({ stored }) => stored === null);
  const files = items.flatMap(({ path, stored }) => (stored === null ? [] : [{ path, from: join(folder, stored) }]));
  for (const { path } of folders) if (isThere(path) && !lstatSync(path).isDirectory()) throw occupied(path);
  const stored = files.filter(({ from }) => isThere(from));
  for (const { path, from } of stored) if (isThere(path) && !isSameContent(from, path)) throw occupied(path);
  const missing = files.filter(({ path, from }) => !isThere(from) && !isThere(path)).map(({ path }) => path);

  for (const folder of new Set(files.map(({ path }) => dirname(path)))) sweepTemporary(folder);
  for (const { path } of folders) makeFolder(path);
  for (const { path, from } of stored.toReversed()) {
    makeFolder(dirname(path));
    moveBack(from, path);
  }
  for (const item of folders.toReversed()) if (existsSync(item.path)) setFolderFacts(item);
  return missing;
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} already exists`, "move it away first; nothing was changed");
}

function setFolderFacts({ path, mode, mtimeMs }: StoredItem): void {
  chmodSync(path, mode & 0o7777);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}
