import { join } from "node:path";
import { UserError } from "../errors.js";
import { dataPaths, ensureDataDir } from "../store/data-dir.js";
import { tryLock } from "../store/lock.js";
import { isBusy, isCorrupt, isUnwritable } from "../store/sqlite.js";
import { openArchive } from "./archive.js";
import type { Retention } from "./archive-retention.js";
import { keepCopies } from "./indexed/keep-copies.js";
import { type Index, openIndex, removeIndex } from "./indexed/open-index.js";
import { type SyncOptions, type SyncResult, syncIndex } from "./indexed/sync-index.js";

export interface UseIndexOptions extends Omit<SyncOptions, "archive"> {
  /** Copies of what changed are to be kept. */
  readonly keep?: Retention | undefined;
  /** False: take the index as it is, without looking for what changed. */
  readonly sync?: boolean;
  /** What a person should know, in one line. */
  onNote?(note: string): void;
}

/**
 * Opens the index, brings it up to date with the roots, and lets `use` ask it. One process syncs, others read what is
 * there. `use` gets no index when there cannot be one: then it reads the sessions themselves; and no result of the sync
 * when another process is at it, or none was asked for.
 */
export async function useIndex<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: (index: Index | undefined, sync: SyncResult | undefined) => T | Promise<T>,
): Promise<T> {
  try {
    return await openAndUse(dataFolder, roots, options, use);
  } catch (error) {
    if (isCorrupt(error)) {
      options.onNote?.("the index was damaged and is built again");
      removeIndex(dataPaths(dataFolder).index);
      return openAndUse(dataFolder, roots, options, use);
    }
    if (!(error instanceof Unusable)) throw error;
    options.onNote?.(`${error.message}; reading the sessions without it`);
    return use(undefined, undefined);
  }
}

/** What keeps an index from being used does not keep a command from answering. */
class Unusable extends Error {}

async function openAndUse<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: (index: Index, sync: SyncResult | undefined) => T | Promise<T>,
): Promise<T> {
  const index = orUnusable(() => openIndex(dataFolder));
  try {
    if (index.rebuilt === "corrupt") options.onNote?.("the index was damaged and is built again");
    return await use(index, await syncUnlessBusy(index, dataFolder, roots, options));
  } finally {
    index.close();
  }
}

async function syncUnlessBusy(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
): Promise<SyncResult | undefined> {
  if (options.sync === false) return undefined;
  const lock = orUnusable(() =>
    tryLock(join(ensureDataDir(dataFolder, "locks"), "index.lock"), { purpose: "indexing" }),
  );
  if (!lock) {
    options.onNote?.("another turnlog is indexing; the newest may be missing");
    return undefined;
  }
  try {
    const archive = openArchive(dataFolder);
    const sync = await syncIndex(index, roots, { ...options, archive });
    if (!options.keep) return sync;
    const problems = [...sync.problems];
    keepCopies(index, dataFolder, roots, options.keep, problems);
    return { ...sync, problems };
  } catch (error) {
    throw toUnusable(error);
  } finally {
    lock.release();
  }
}

function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toUnusable(error);
  }
}

function toUnusable(error: unknown): unknown {
  if (error instanceof UserError) return new Unusable(error.message, { cause: error });
  if (isBusy(error)) return new Unusable("the index is locked by another program", { cause: error });
  if (!isUnwritable(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Unusable(`the index cannot be written (${reason})`, { cause: error });
}
