import { chmodSync, existsSync, lstatSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../errors.js";
import { makeFolder } from "../store/make-folder.js";
import { isSameContent, isThere, moveBack } from "../store/move-file.js";
import type { SessionItem } from "./session-items.js";

/** Items of which copies lie in a folder under other names. */
export interface StoredItems {
  readonly folder: string;
  readonly items: readonly (SessionItem & { readonly stored: string | null })[];
}

/**
 * Puts everything back where it was, with its modes and times; the transcript last. Refuses, before anything is touched, if
 * something else is in a place now. Gives the paths of which no copy is left.
 */
export function putBack({ folder, items }: StoredItems): readonly string[] {
  const folders = items.filter(({ stored }) => stored === null);
  const files = items.flatMap(({ path, stored }) => (stored === null ? [] : [{ path, from: join(folder, stored) }]));
  for (const { path } of folders) if (isThere(path) && !lstatSync(path).isDirectory()) throw occupied(path);
  const stored = files.filter(({ from }) => isThere(from));
  for (const { path, from } of stored) if (isThere(path) && !isSameContent(from, path)) throw occupied(path);
  const missing = files.filter(({ path, from }) => !isThere(from) && !isThere(path)).map(({ path }) => path);

  for (const { path } of folders) makeFolder(path);
  for (const { path, from } of stored.toReversed()) {
    makeFolder(dirname(path));
    moveBack(from, path);
  }
  for (const item of folders.toReversed()) if (existsSync(item.path)) setFolderFacts(item);
  return missing;
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} is there already`, "move it away first; nothing was changed");
}

function setFolderFacts({ path, mode, mtimeMs }: SessionItem): void {
  chmodSync(path, mode & 0o7777);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}
