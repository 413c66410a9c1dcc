import { UserError } from "../../errors.js";
import { dataPaths } from "../../store/data-dir.js";
import { isCorrupt } from "../../store/sqlite.js";
import { type Index, openIndex, orUnusable, removeIndex, whyUnusable } from "../catalog/open-index.js";
import type { SharedSyncOptions, SyncResult } from "./sync-index.js";
import { findWalkCheckpoint } from "./walk-checkpoint.js";

export interface UseIndexOptions extends SharedSyncOptions {
  /** False: use the index as it is, without a sync. */
  readonly sync?: boolean;
  /**
   * Skip the full walk when the last one is younger than this and neither the folders nor the recent sessions changed.
   * 0 (default): always walk.
   */
  readonly maxAgeMs?: number;
  /** Fail instead of calling `use` without an index. */
  readonly isRequired?: boolean;
}

type Use<T> = (index: Index | undefined, sync: SyncResult | undefined) => T | Promise<T>;

/**
 * Opens the index, syncs it with the roots and passes it to `use`. One process syncs at a time, others read what is
 * there. Where the index cannot be used, `use` gets none and reads the session files itself. The sync result is missing
 * when another process is syncing, or no sync was asked for.
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
    options.onNote?.(`${reason}; reading the session files instead`);
    return use(undefined, undefined);
  }
}

const REBUILD_HINT = "until then commands read the session files; `turnlog index rebuild` creates a new index";

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

const DAMAGED = "the index was damaged and is being rebuilt";

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
  const { lockAndSync } = await import("./sync-index.js");
  return lockAndSync(index, dataFolder, roots, options);
}

const NOTHING_NEW = { added: 0, changed: 0, moved: 0, removed: 0, problems: [] };
