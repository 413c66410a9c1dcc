import { openArchive } from "./archive-place.js";
import type { Retention } from "./archive-retention.js";
import { keepCopies } from "./indexed/keep-copies.js";
import { lockIndex } from "./indexed/lock-index.js";
import type { Index } from "./indexed/open-index.js";
import { hasSynced, type SyncOptions, type SyncResult, syncIndex } from "./indexed/sync-index.js";
import { orUnusable, toUnusable, UnusableIndex } from "./unusable-index.js";

export interface SharedSyncOptions extends Omit<SyncOptions, "archive"> {
  /** Copies of what changed are to be kept. */
  readonly keep?: Retention | undefined;
  /** What a person should know, in one line. */
  onNote?(note: string): void;
  /** An index that another process is still building will do. */
  readonly acceptsPartial?: boolean;
}

/** Brings the index up to date; undefined when another process is at it. */
export async function syncUnlessBusy(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: SharedSyncOptions,
): Promise<SyncResult | undefined> {
  const lock = orUnusable(() => lockIndex(dataFolder));
  if (!lock) {
    if (!options.acceptsPartial && !hasSynced(index, roots))
      throw new UnusableIndex("another turnlog is building the index");
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
