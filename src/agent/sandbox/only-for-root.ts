import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isFileError } from "../../errors.js";

const SYSTEM_FOLDER = "/etc";
const MAX_DEPTH = 4;
const OTHERS_READ = 0o004;

/** Settings of the system that others may not read, such as `/etc/shadow`: root needs no capability to read its own files. */
export function onlyForRoot(): readonly string[] {
  return process.getuid?.() === 0 ? privateIn(SYSTEM_FOLDER, MAX_DEPTH) : [];
}

function privateIn(folder: string, depth: number): readonly string[] {
  return namesIn(folder).flatMap((name): readonly string[] => {
    const path = join(folder, name);
    const stats = statsOf(path);
    if (!stats?.isDirectory() && !stats?.isFile()) return [];
    if ((stats.mode & OTHERS_READ) === 0) return [path];
    return stats.isDirectory() && depth > 1 ? privateIn(path, depth - 1) : [];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isFileError(error)) return [];
    throw error;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}
