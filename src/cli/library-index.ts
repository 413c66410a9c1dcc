import { dataFolderOf, readSettings } from "../app/settings.js";
import { warnAboutSkipped } from "../app/skipped-files.js";
import { limitHeapGrowth } from "../app/small-heap.js";
import type { FileProblem } from "../format/layout/folder-listing.js";
import type { Index } from "../library/catalog/open-index.js";
import { openArchive } from "../library/found-session.js";
import { isFirstUse } from "../library/sync/first-use.js";
import type { SyncResult } from "../library/sync/sync-index.js";
import { type UseIndexOptions, useIndex } from "../library/sync/use-index.js";
import { formatBytes, formatDuration } from "../render/format-values.js";
import type { Database } from "../store/sqlite.js";
import type { Io } from "./io.js";
import type { IndexOptions } from "./options/filter-options.js";

/** How old the index may be for commands that are run often. */
export const MAX_INDEX_AGE_MS = 10_000;

interface FirstUseOptions {
  /** The command answers fast without an index, so it does not wait for the first one to be built. */
  readonly answersWithout?: boolean;
}

/** Passes the updated index to `use`; undefined if the command should read the session files. */
export async function withIndex<T>(
  io: Io,
  roots: readonly string[],
  {
    index = true,
    acceptsPartial = false,
    isRequired = false,
    maxAgeMs = 0,
    answersWithout = false,
    texts = "none",
  }: IndexOptions & Pick<UseIndexOptions, "acceptsPartial" | "isRequired" | "maxAgeMs" | "texts"> & FirstUseOptions,
  use: (index: Index | undefined, sync: SyncResult | undefined) => T | Promise<T>,
): Promise<T> {
  if (!index || (answersWithout && isFirstUse(dataFolderOf(io), roots))) return use(undefined, undefined);
  const progress = progressLine(io);
  const { archive } = await readSettings(io);
  return useIndex(
    dataFolderOf(io),
    roots,
    {
      retention: archive?.enabled ? archive : undefined,
      onNote: (note) => io.stderr(`${note}\n`),
      onProgress: progress.show,
      acceptsPartial,
      isRequired,
      maxAgeMs,
      texts,
    },
    (opened, sync) => {
      progress.clear();
      return use(opened, sync);
    },
  );
}

/** Below this, memory use does not matter. */
const MUCH_BYTES = 20_000_000;
const SHOW_AFTER_MS = 700;
const REDRAW_MS = 100;

/** Progress of a long sync on a terminal: share, speed and time left. */
function progressLine({ isTerminal, stderr }: Io) {
  const started = performance.now();
  let isShown = false;
  let nextAt = SHOW_AFTER_MS;
  return {
    show({ bytes, bytesDone }: { readonly bytes: number; readonly bytesDone: number }): void {
      if (bytes > MUCH_BYTES) limitHeapGrowth();
      const elapsed = performance.now() - started;
      if (!isTerminal || elapsed < nextAt) return;
      nextAt = elapsed + REDRAW_MS;
      const rate = bytesDone / elapsed;
      const rest = rate > 0 ? `, ${formatDuration((bytes - bytesDone) / rate)} left` : "";
      const share = Math.floor((bytesDone / Math.max(1, bytes)) * 100);
      stderr(`\r\u001b[Kindexing ${bar(share)} ${share} % (${formatBytes(rate * 1000)}/s${rest})`);
      isShown = true;
    },
    clear(): void {
      if (isShown) stderr("\r\u001b[K");
    },
  };
}

const BAR_WIDTH = 24;

function bar(share: number): string {
  const filled = Math.round((Math.min(share, 100) / 100) * BAR_WIDTH);
  return "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
}

/** Numbers from the index, or without one, from the session files. */
export function withNumbers<T>(
  io: Io,
  roots: readonly string[],
  options: IndexOptions,
  use: (db: Database) => T,
): Promise<T> {
  return withIndex(io, roots, { ...options, maxAgeMs: MAX_INDEX_AGE_MS }, async (index, sync) => {
    warnAboutSkipped(sync?.problems ?? [], io);
    if (index) return use(index.db);
    const { readNumbers } = await import("../library/sync/read-numbers.js");
    const problems: FileProblem[] = [];
    const db = readNumbers(roots, problems, undefined, openArchive(dataFolderOf(io)));
    warnAboutSkipped(problems, io);
    try {
      return use(db);
    } finally {
      db.close();
    }
  });
}
