import { copyFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFileError } from "../errors.js";
import { syncFolder } from "./atomic-write.js";
import { copyReadable, isUnreadable, type ReadableTable } from "./copy-readable.js";
import { dataPaths, ensureDataDir } from "./data-dir.js";
import { waitForLock } from "./lock.js";
import { findDamage, type OwnDatabase } from "./own-database.js";
import { type Database, openDatabase } from "./sqlite.js";
import { makeDraftFolder, removeTemporary } from "./temporary.js";
import { checkTables, migrate, readLineageRows, readMarkRows, writeDigests } from "./user-schema.js";

/** Titles, tags, notes and lineage; what is lost of them cannot be made again. */
export function userDatabase(dir: string): OwnDatabase {
  return toOwn(dataPaths(dir).user, (draft, copyDamaged) => restoreOrCreate(dir, draft, copyDamaged));
}

function toOwn(path: string, fill: OwnDatabase["fill"] = () => undefined): OwnDatabase {
  return { path, keptAside: 3, check: checkTables, checkContents: checkRows, fill };
}

function checkRows(database: Database): void {
  readMarkRows(database);
  readLineageRows(database);
}

const KEPT = 5;
const PATIENCE_MS = 2000;

/**
 * Keeps a copy of what a change left: `backup/user.db.1`, and in `.2` to `.5` what was before. Where it cannot be made, the
 * change stays all the same.
 */
export function backUp(database: Database, dir: string): void {
  try {
    const lock = waitForLock(join(ensureDataDir(dir, "locks"), "user-backup.lock"), {
      purpose: "backing up user.db",
      timeoutMs: PATIENCE_MS,
    });
    try {
      rotate(database, ensureDataDir(dir, "backup"));
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

function rotate(database: Database, folder: string): void {
  const draft = makeDraftFolder(nameOf(folder, 1));
  try {
    const copy = join(draft, "user.db");
    database.prepare("VACUUM INTO ?").run(copy); // synced, as the database is
    for (let number = KEPT - 1; number >= 1; number--)
      renameIfThere(nameOf(folder, number), nameOf(folder, number + 1));
    renameSync(copy, nameOf(folder, 1));
    syncFolder(folder);
  } finally {
    removeTemporary(draft);
  }
}

function renameIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to);
}

function nameOf(folder: string, number: number): string {
  return join(folder, `user.db.${number}`);
}

/** Newest first, good or not. */
export function listBackups(dir: string): string[] {
  const folder = join(dir, "backup");
  try {
    const names = new Set(readdirSync(folder));
    return Array.from({ length: KEPT }, (_, at) => nameOf(folder, at + 1)).filter((path) =>
      names.has(path.slice(folder.length + 1)),
    );
  } catch (error) {
    if (isFileError(error)) return [];
    throw error;
  }
}

/** Makes a whole `user.db` at `draft`: from the newest good backup, else from what can be read of the damaged one, else an empty one. */
function restoreOrCreate(dir: string, draft: string, copyDamaged?: () => string | undefined): string | undefined {
  for (const backup of listBackups(dir)) {
    if (!statSync(backup).isFile()) continue;
    copyFileSync(backup, draft);
    if (!isSound(draft)) continue;
    return `restored from the backup of ${statSync(backup).mtime.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }
  rmSync(draft, { force: true });
  const database = openDatabase(draft, { journal: "delete" });
  try {
    migrate(database, draft);
    const damaged = copyDamaged?.();
    if (damaged === undefined) return copyDamaged && "it had no backup, and nothing in it could be read";
    const rows = database.transaction(() => {
      const copied = copyReadable(damaged, database, TABLES);
      writeDigests(database);
      return copied;
    });
    removeTemporary(dirname(damaged));
    return `it had no backup; ${rows} of its entries could be read`;
  } finally {
    database.close();
  }
}

/** Whether everything in it is as it was written. */
function isSound(path: string): boolean {
  try {
    return findDamage({ ...toOwn(path), options: { readonly: true } }) === undefined;
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}

const isText = (value: unknown) => typeof value === "string" && !value.includes("\uFFFD");
const isTextOrNull = (value: unknown) => value === null || isText(value);

const TABLES: readonly ReadableTable[] = [
  {
    name: "marks",
    key: ["session"],
    isWhole: ({ session, title, favourite, note }) =>
      isText(session) && isTextOrNull(title) && isTextOrNull(note) && typeof favourite === "number",
  },
  { name: "tags", key: ["session", "tag"], isWhole: ({ session, tag }) => isText(session) && isText(tag) },
  { name: "lineage", key: ["session"], isWhole: (row) => Object.values(row).every(isText) },
];
