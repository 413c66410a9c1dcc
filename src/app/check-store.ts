import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isFileError, reasonOf, UserError } from "../errors.js";
import { unreadableCopies } from "../library/archive/archive.js";
import { indexDatabase } from "../library/catalog/open-index.js";
import { openArchive } from "../library/found-session.js";
import { unreadableTrash } from "../library/trash/trash.js";
import { formatBytes, formatCount } from "../render/format-values.js";
import { readConfig } from "../store/config.js";
import { dataPaths } from "../store/data-dir.js";
import { findDamage, mend, type OwnDatabase } from "../store/own-database.js";
import { userDatabase } from "../store/user-backup.js";
import { outboxDatabase } from "../trace/outbox/outbox-schema.js";
import { readTraceKeys } from "../trace/outbox/trace-keys.js";

export interface Check {
  readonly name: string;
  /** `warning`: only part of turnlog is affected. */
  readonly state: "ok" | "warning" | "failed";
  readonly found: string;
  readonly hint?: string;
}

/** Whether what turnlog keeps is whole. `isMended`: what is damaged is set aside, and made again or restored. */
export async function checkStore(dataFolder: string, isMended: boolean): Promise<readonly Check[]> {
  const paths = dataPaths(dataFolder);
  const databases = [indexDatabase(paths.index), userDatabase(dataFolder), outboxDatabase(dataFolder)];
  return [
    await checkFile(paths.config, () => readConfig(dataFolder)),
    await checkFile(paths.traceKeys, () => readTraceKeys(dataFolder, { opensKeychain: false })),
    ...databases.map((own) => checkDatabase(own, isMended)),
    checkFolders("archive", unreadableCopies(openArchive(dataFolder)), "copies"),
    checkFolders("trash", unreadableTrash(dataFolder), "deleted sessions"),
  ].flatMap((check) => check ?? []);
}

function checkDatabase(own: OwnDatabase, isMended: boolean): Check | undefined {
  const name = basename(own.path);
  try {
    const damage = findDamage(own);
    if (damage && isMended) {
      mend(own, damage);
      return { name, state: "ok", found: "was damaged; repaired" };
    }
    if (damage) return { name, state: "failed", found: `damaged: ${damage.message}`, hint: FIX };
    const stats = statSync(own.path, { throwIfNoEntry: false });
    return stats && { name, state: "ok", found: `no damage (${formatBytes(stats.size)})` };
  } catch (error) {
    return unusable(name, error);
  }
}

const FIX =
  "`turnlog doctor --fix` sets it aside and puts what can be restored in its place; so does the next command that needs it";

/** Files that people write themselves are left to them. */
async function checkFile(path: string, read: () => unknown): Promise<Check | undefined> {
  const name = basename(path);
  try {
    await read();
    return existsSync(path) ? { name, state: "ok", found: "readable" } : undefined;
  } catch (error) {
    return unusable(name, error);
  }
}

function unusable(name: string, error: unknown): Check {
  if (!(error instanceof UserError)) {
    if (!isFileError(error)) throw error;
    return { name, state: "failed", found: reasonOf(error), hint: "check what it is and who may use it" };
  }
  const { message, hint, code } = error;
  return {
    name,
    state: code === "newer" ? "warning" : "failed",
    found: message,
    ...(hint === undefined ? {} : { hint }),
  };
}

function checkFolders(name: string, unreadable: readonly string[], what: string): Check | undefined {
  const [first] = unreadable;
  if (first === undefined) return undefined;
  const found = `${formatCount(unreadable.length, "manifest")} of ${what} cannot be read, such as that of ${first}`;
  return {
    name,
    state: "failed",
    found,
    hint: "nothing is removed; restore the manifest from a backup of the data folder",
  };
}
