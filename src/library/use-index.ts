import { join } from "node:path";
import { UserError } from "../errors.js";
import { dataPaths, ensureDataDir } from "../store/data-dir.js";
import { errorCode } from "../store/error-code.js";
import { type Lock, tryLock } from "../store/lock.js";
import { isBusy, isCorrupt, isUnwritable } from "../store/sqlite.js";
import { openArchive } from "./archive.js";
import type { Retention } from "./archive-retention.js";
import { keepCopies } from "./indexed/keep-copies.js";
import { type Index, openIndex, removeIndex } from "./indexed/open-index.js";
import { hasSynced, type SyncOptions, type SyncResult, syncIndex } from "./indexed/sync-index.js";

export interface UseIndexOptions extends Omit<SyncOptions, "archive"> {
  /** Copies of what changed are to be kept. */
  readonly keep?: Retention | undefined;
  /** False: take the index as it is, without looking for what changed. */
  readonly sync?: boolean;
  /** What a person should know, in one line. */
  onNote?(note: string): void;
  /** An index that another process is still building will do. */
  readonly acceptsPartial?: boolean;
}

type Use<T> = (index: Index | undefined, sync: SyncResult | undefined) => T | Promise<T>;

/**
 * Opens the index, brings it up to date with the roots, and lets `use` ask it. One process syncs, others read what is
 * there. `use` gets no index when there cannot be one: then it reads the sessions themselves; and no result of the sync
 * when another process is at it, or none was asked for.
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
    options.onNote?.(`${reason}; reading the sessions without it`);
    return use(undefined, undefined);
  }
}

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

/** What keeps an index from being used does not keep a command from answering. */
class Unusable extends Error {}

async function openAndUse<T>(
  dataFolder: string,
  roots: readonly string[],
  options: UseIndexOptions,
  use: Use<T>,
): Promise<T> {
  const index = orUnusable(() => openIndex(dataFolder));
  try {
    if (index.rebuilt === "corrupt") options.onNote?.(DAMAGED);
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
  const lock = orUnusable(() => lockIndex(dataFolder));
  if (!lock) {
    if (!options.acceptsPartial && !hasSynced(index, roots))
      throw new Unusable("another turnlog is building the index");
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

/** Undefined when another process is at it. */
export function lockIndex(dataFolder: string): Lock | undefined {
  return tryLock(join(ensureDataDir(dataFolder, "locks"), "index.lock"), { purpose: "indexing" });
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
  return isSystemError(error) ? unwritable(error) : error;
}

/** `ENOSPC`, but not `ERR_SQLITE_ERROR`. */
function isSystemError(error: unknown): boolean {
  return /^E(?!RR_)/.test(errorCode(error) ?? "");
}

/** Undefined: the error has nothing to do with the index. */
function whyUnusable(error: unknown): string | undefined {
  if (error instanceof Unusable) return error.message;
  if (isBusy(error)) return "the index is locked by another program";
  if (isCorrupt(error)) return "the index is damaged";
  return isUnwritable(error) ? unwritable(error).message : undefined;
}

function unwritable(error: unknown): Unusable {
  const reason = error instanceof Error ? error.message : String(error);
  return new Unusable(`the index cannot be written (${reason})`, { cause: error });
}
