import { isWindowsPath } from "./path-forms.js";

/** A folder that has another path now, or that is written as a token. */
export interface MovedFolder {
  readonly from: string;
  readonly to: string;
  /** How `from` is written where its form does not show it; default: by its form. */
  readonly isFromWindows?: boolean;
  /** The same for `to`. */
  readonly isToWindows?: boolean;
}

/**
 * The new path of one of the folders, or of something in it; undefined for every other path. `/a/b` is not in `/a/bc`. On
 * Windows case does not matter and both slashes separate; what follows the folder is written in the way of the new place.
 */
export function mapPath(path: string, folders: readonly MovedFolder[]): string | undefined {
  let best: MovedFolder | undefined;
  for (const folder of folders) {
    if (isIn(path, folder) && (!best || lengthOf(folder.from) > lengthOf(best.from))) best = folder;
  }
  if (!best) return undefined;
  const rest = path.slice(lengthOf(best.from));
  const [isFrom, isTo] = [isFromWindows(best), best.isToWindows ?? isWindowsPath(best.to)];
  const to = best.to.slice(0, lengthOf(best.to));
  if (isFrom && !isTo) return to + rest.replaceAll("\\", "/");
  return to + (isTo && !isFrom ? rest.replaceAll("/", "\\") : rest);
}

export function isFromWindows({ from, isFromWindows: isGiven }: MovedFolder): boolean {
  return isGiven ?? isWindowsPath(from);
}

function isIn(path: string, folder: MovedFolder): boolean {
  const length = lengthOf(folder.from);
  if (length === 0) return false; // every path is in a root
  const isWindows = isFromWindows(folder);
  const start = path.slice(0, length);
  const from = folder.from.slice(0, length);
  const isSame = isWindows ? comparable(start) === comparable(from) : start === from;
  return isSame && (path.length === length || (isWindows ? /[\\/]/ : /\//).test(path.charAt(length)));
}

function comparable(path: string): string {
  return path.replaceAll("/", "\\").toLowerCase();
}

/** Without separators at the end. */
function lengthOf(folder: string): number {
  return folder.replace(/[\\/]+$/, "").length;
}
