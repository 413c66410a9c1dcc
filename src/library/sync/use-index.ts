import { UserError } from "../../errors.js";
import { dataPaths } from "../../store/data-dir.js";
import { isCorrupt } from "../../store/sqlite.js";
import { type Index, openIndex, orUnusable, removeIndex, whyUnusable } from "../catalog/open-index.js";
import type { SharedSyncOptions, SyncResult } from "./sync-index.js";
import { findWalkCheckpoint } from "./walk-checkpoint.js";

export interface UseIndexOptions extends SharedSyncOptions {
  /** False: take the index as it is, without looking for what changed. */
  readonly sync?: boolean;
  /**
   * How old the last look at all files may be, as long as nothing changed in the folders and in the sessions of the last
   * days. 0, and all files are looked at.
   */
  readonly maxAgeMs?: number;
  /** Without an index there is nothing to do. */
  readonly isRequired?: boolean;
}

type Use<T> = (index: Index | undefined, sync: SyncResult | undefined) => T | Promise<T>;

/**
 * Opens the index, brings it up to date with the roots, and lets `use` ask it. One process syncs, others read what is
 * there. `use` gets no index when there cannot be one, unless it is required: then it reads the sessions themselves; and
 * no result of the sync when another process is at it, or none was asked for.
 */
export async function useIndex<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  try {
    return await useOrRebuild(dataFolder, roots, options, use);
  } catch (error) {
    const reason = whyUnusable(error);
    if (reason === undefined) throw error;
    if (options.isRequired) throw new UserError("unreadable", reason, REBUILD_HINT, { cause: error });
    options.onNote?.(`${reason}; reading the sessions without it`);
    return use(undefined, undefined);
  }
}

const REBUILD_HINT = "commands read the sessions themselves until then; `turnlog index rebuild` makes a new index";

async function useOrRebuild<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  try {
    return await openAndUse(dataFolder, roots, options, use);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    options.onNote?.(DAMAGED);
    orUnusable(() => removeIndex(dataPaths(dataFolder).index));
    return openAndUse(dataFolder, roots, options, use);
  }
}

const DAMAGED = "the index was damaged and is built again";

async function openAndUse<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  const index = orUnusable(() => openIndex(dataFolder));
  try {
    if (index.rebuilt === "corrupt") options.onNote?.(DAMAGED);
    return await use(index, await bringUpToDate(index, dataFolder, roots, options));
  } finally {
    index.close();
  }
}

async function bringUpToDate(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
): Promise<SyncResult | undefined> {
  if (options.sync === false) return undefined;
  const last = findWalkCheckpoint(index.db, roots, options.maxAgeMs ?? 0, options.now);
  if (last) return { ...NOTHING_NEW, withoutTranscript: last.withoutTranscript };
  const { syncUnlessBusy } = await import("./sync-index.js");
  return syncUnlessBusy(index, dataFolder, roots, options);
}

const NOTHING_NEW = { added: 0, changed: 0, moved: 0, removed: 0, problems: [] };
