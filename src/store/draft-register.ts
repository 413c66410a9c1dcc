import { appendFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isFileError, readIfReadable } from "../errors.js";
import { ensureDataDir } from "./data-dir.js";
import { isDeadTag, ownTag } from "./process-identity.js";

/**
 * The folders in which a process makes drafts, noted in the data folder before the first one is made. So the next start of
 * anything finds what a killed process left, wherever it is.
 */
interface Register {
  readonly dataFolder: string;
  readonly path: string;
  readonly folders: Set<string>;
}

let own: Register | undefined;

/** From now on. `isLeft`: whether something of this process is left in a folder; the note then stays after its end. */
export function keepDraftRegister(dataFolder: string, isLeft: (folder: string) => boolean): void {
  const known = resolve(dataFolder);
  const register = { dataFolder: known, path: join(known, SUBFOLDER, ownTag()), folders: new Set<string>() };
  if (!own) process.on("exit", () => own && removeUnless(own, isLeft));
  own = register;
}

const SUBFOLDER = "drafts";

/** Before anything is made there. Every start sweeps the data folder itself and its locks. */
export function noteFolder(folder: string): void {
  const path = resolve(folder);
  if (!own || own.folders.has(path) || path === own.dataFolder || path === join(own.dataFolder, "locks")) return;
  own.folders.add(path);
  try {
    ensureDataDir(own.dataFolder, SUBFOLDER);
    appendFileSync(own.path, `${JSON.stringify(path)}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isFileError(error)) throw error; // without a note the draft is made all the same
  }
}

function removeUnless({ folders, path }: Register, isLeft: (folder: string) => boolean): void {
  if (folders.size > 0 && ![...folders].some(isLeft)) rmSync(path, { force: true });
}

/** A drive may be missing for a while. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Has all folders swept that ended processes noted. `sweep` returns false where it could not look into the folder. */
export function sweepNotedFolders(dataFolder: string, sweep: (folder: string) => boolean): void {
  const registers = join(dataFolder, SUBFOLDER);
  for (const name of namesIn(registers)) {
    const path = join(registers, name);
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (since === undefined || !/^\d[\da-f-]+$/.test(name) || !isDeadTag(name, since)) continue;
    const isDone = parseFolders(readIfReadable(path)).map((folder) => sweep(folder) || isGone(folder));
    if (isDone.every(Boolean) || since < Date.now() - KEPT_MS) rmSync(path, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isFileError(error)) return []; // nobody made drafts yet
    throw error;
  }
}

/** The folder was removed, and not only the drive that it is on. */
function isGone(folder: string): boolean {
  return (
    !statSync(folder, { throwIfNoEntry: false }) && statSync(dirname(folder), { throwIfNoEntry: false }) !== undefined
  );
}

/** A line that was cut off was written before anything in its folder. */
function parseFolders(text = ""): string[] {
  return text.split("\n").flatMap((line) => {
    try {
      const folder: unknown = JSON.parse(line);
      return typeof folder === "string" ? folder : [];
    } catch {
      return [];
    }
  });
}
