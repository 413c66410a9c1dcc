import { UserError } from "../../errors.js";
import { DamagedDatabase } from "../../store/own-database.js";
import { isCorrupt } from "../../store/sqlite.js";
import {
  compareWalk,
  countMissing,
  type LibraryChanges,
  type MissingBytes,
  NO_CHANGES,
} from "../catalog/library-changes.js";
import { type Index, openIndex, orUnusable, replaceDamaged, toDamage, whyUnusable } from "../catalog/open-index.js";
import { openArchive } from "../found-session.js";
import { type LibraryWalk, walkLibrary } from "../sources/walk-library.js";
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
  /** Sync only if this much or less is missing; default: whatever is. `use` learns what it has to read itself. */
  readonly inlineBytes?: number;
  /** Called where more is missing than was synced, in the catalog or in the texts. */
  onMuchMissing?(missing: MissingBytes): void;
}

/** `behind` is set where the catalog was not synced: how the files differ from it. */
type Use<T> = (
  index: Index | undefined,
  sync: SyncResult | undefined,
  behind: LibraryChanges | undefined,
) => T | Promise<T>;

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
    if (error instanceof DamagedDatabase) throw error.cause ?? error; // also of a new one, so it has another reason
    if (reason === undefined) throw error;
    if (options.isRequired) throw new UserError("unreadable", reason, REBUILD_HINT, { cause: error });
    options.onNote?.(`${reason}; reading the session files instead`);
    return use(undefined, undefined, undefined);
  }
}

const REBUILD_HINT = "until then commands read the session files; `turnlog index rebuild` creates a new index";

/** An index that gives wrong values is found out by the answer that succeeds without it. */
async function useOrRebuild<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  try {
    return await openAndUse(dataFolder, roots, options, use);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    const answer =
      isCertain(error) || options.isRequired ? undefined : { value: await use(undefined, undefined, undefined) };
    orUnusable(() => replaceDamaged(dataFolder, error));
    return answer ? answer.value : openAndUse(dataFolder, roots, options, use);
  }
}

/** SQLite itself found the damage. */
function isCertain({ cause }: DamagedDatabase): boolean {
  return isCorrupt(cause);
}

async function openAndUse<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  const index = orUnusable(() => openIndex(dataFolder));
  try {
    const { sync, behind } = await bringUpToDate(index, dataFolder, roots, options);
    return await use(index, sync, behind);
  } catch (error) {
    throw toDamage(error, index) ?? error;
  } finally {
    index.close();
  }
}

interface Freshness {
  readonly sync?: SyncResult | undefined;
  readonly behind?: LibraryChanges | undefined;
}

async function bringUpToDate(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
): Promise<Freshness> {
  if (options.sync === false) return {};
  const last = findWalkCheckpoint(index.db, roots, options.maxAgeMs ?? 0, options.now);
  if (last) return { sync: { ...NOTHING_NEW, withoutTranscript: last.withoutTranscript } };
  const { isWalkKnown, lockAndSync } = await import("./sync-index.js");
  if (options.inlineBytes === undefined) return { sync: await lockAndSync(index, dataFolder, roots, options) };
  const { inlineBytes, texts } = options;
  const walk = walkLibrary(roots, openArchive(dataFolder));
  const changes = isWalkKnown(index.db, roots, walk) ? unchanged(walk) : compareWalk(index.db, roots, walk);
  const missing = countMissing(index.db, changes);
  if (missing.catalog + missing.texts > inlineBytes) options.onMuchMissing?.(missing);
  if (missing.catalog > inlineBytes) return { behind: changes };
  const how = {
    ...options,
    walk,
    acceptsPartial: true,
    texts: missing.texts > inlineBytes ? ("none" as const) : texts,
  };
  const sync = await lockAndSync(index, dataFolder, roots, how as SharedSyncOptions);
  return sync ? { sync } : { behind: changes };
}

function unchanged({ withoutTranscript, problems }: LibraryWalk): LibraryChanges {
  return { ...NO_CHANGES, withoutTranscript, problems };
}

const NOTHING_NEW = { added: 0, changed: 0, moved: 0, removed: 0, problems: [] };
