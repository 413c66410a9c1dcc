import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { dataFolderOf, readSettings } from "../app/settings.js";
import { warnAboutSkipped } from "../app/skipped-files.js";
import { limitHeapGrowth } from "../app/small-heap.js";
import type { FileProblem } from "../format/layout/folder-listing.js";
import { countMissing, type LibraryChanges } from "../library/catalog/library-changes.js";
import type { Index } from "../library/catalog/open-index.js";
import { openArchive } from "../library/found-session.js";
import { INLINE_BYTES, isFirstUse } from "../library/sync/first-use.js";
import type { SyncProgress, SyncResult } from "../library/sync/sync-index.js";
import { type UseIndexOptions, useIndex } from "../library/sync/use-index.js";
import { formatBytes, formatDuration } from "../render/format-values.js";
import type { Database } from "../store/sqlite.js";
import type { BackgroundState } from "./background-index.js";
import type { Io } from "./io.js";
import type { IndexOptions } from "./options/filter-options.js";

/** How old the index may be for commands that are run often. */
export const MAX_INDEX_AGE_MS = 10_000;

interface FirstUseOptions {
  /** The command answers fast from the files, so it does not wait where much is missing in the index. */
  readonly answersWithout?: boolean;
}

type WithIndexOptions = IndexOptions &
  Pick<UseIndexOptions, "acceptsPartial" | "isRequired" | "maxAgeMs" | "texts"> &
  FirstUseOptions;

type Use<T> = (
  index: Index | undefined,
  sync: SyncResult | undefined,
  behind?: LibraryChanges | undefined,
  /** Much is not indexed yet, and a person waits, or may ask again while a background process builds the index. */
  isHurried?: boolean,
) => T | Promise<T>;

/** Passes the updated index to `use`; undefined if the command should read the session files. */
export async function withIndex<T>(
  io: Io,
  roots: readonly string[],
  { index = true, answersWithout = false, wait = false, ...how }: WithIndexOptions,
  use: Use<T>,
): Promise<T> {
  if (!index) return use(undefined, undefined);
  const sync = await syncOptions(io);
  if (wait) await waitForIndex(io, roots, sync);
  const mayAnswer = answersWithout && !wait;
  if (mayAnswer && isFirstUse(dataFolderOf(io), roots)) {
    return use(undefined, undefined, undefined, isHurried(io, await buildLater(io, roots)));
  }
  const progress = progressLine(io);
  let isMuchMissing = false;
  const onMuchMissing = () => {
    isMuchMissing = true;
  };
  const options = {
    texts: "none" as const,
    ...how,
    ...sync,
    onProgress: progress.show,
    ...(mayAnswer ? { inlineBytes: INLINE_BYTES, onMuchMissing } : {}),
  };
  return useIndex(dataFolderOf(io), roots, options, async (opened, synced, behind) => {
    progress.clear();
    return use(opened, synced, behind, isMuchMissing && isHurried(io, await buildLater(io, roots)));
  });
}

/** A person waits, or the rest can be asked for when it is indexed. Where nothing can be, everything is read. */
function isHurried({ isTerminal }: Io, state: BackgroundState): boolean {
  return state === "running" || (state === "off" && isTerminal);
}

/** For commands that read the files where there is no index. */
export async function buildOnFirstUse(io: Io, roots: readonly string[]): Promise<void> {
  if (isFirstUse(dataFolderOf(io), roots)) await buildLater(io, roots);
}

/** Loaded only where much is missing. */
async function buildLater(io: Io, roots: readonly string[]): Promise<BackgroundState> {
  const { noteBackgroundIndex, startBackgroundIndex } = await import("./background-index.js");
  noteBackgroundIndex(io);
  return startBackgroundIndex(io, roots);
}

type SyncHow = Pick<UseIndexOptions, "retention" | "onNote" | "startThread">;

/** Each note is written once, however often the command comes to it. */
async function syncOptions(io: Io): Promise<SyncHow> {
  const { archive } = await readSettings(io);
  const retention = archive?.enabled ? archive : undefined;
  const written = new Set<string>();
  const onNote = (note: string) => {
    if (!written.has(note)) io.stderr(`${note}\n`);
    written.add(note);
  };
  return { retention, onNote, startThread: startReader };
}

/** Loaded only where there is much to read. */
export async function startReader(): Promise<Worker> {
  return (await import("./scan-thread.js")).startEntryThread();
}

const BETWEEN_LOOKS_MS = 200;

/** Builds what is missing, texts included, or waits until another process has. */
async function waitForIndex(io: Io, roots: readonly string[], sync: SyncHow): Promise<void> {
  const progress = progressLine(io);
  const how = { ...sync, acceptsPartial: true, onProgress: progress.show };
  const isDone = () =>
    useIndex(dataFolderOf(io), roots, how, (index, sync) => index === undefined || sync !== undefined);
  while (!(await isDone())) await sleep(BETWEEN_LOOKS_MS);
  progress.clear();
}

/** Below this, memory use does not matter. */
const MUCH_BYTES = 20_000_000;
const SHOW_AFTER_MS = 700;
const REDRAW_MS = 100;
/** Before that, the time left is not known. */
const FORESEEABLE_PERCENT = 2;

/** Progress of a long sync on a terminal: share, speed and time left. */
function progressLine({ isTerminal, stderr }: Io) {
  let nextAt = performance.now() + SHOW_AFTER_MS;
  let current: SyncProgress["phase"] | undefined;
  let started = 0;
  let isShown = false;
  return {
    show({ phase, bytes, bytesDone }: SyncProgress): void {
      if (bytes > MUCH_BYTES) limitHeapGrowth({ isBuilding: true });
      const now = performance.now();
      if (phase !== current) started = now;
      current = phase;
      if (!isTerminal || now < nextAt) return;
      nextAt = now + REDRAW_MS;
      const rate = bytesDone / Math.max(1, now - started);
      const share = Math.floor((bytesDone / Math.max(1, bytes)) * 100);
      const rest = share >= FORESEEABLE_PERCENT ? `, ${formatDuration((bytes - bytesDone) / rate)} left` : "";
      const what = phase === "catalog" ? "sessions" : "texts";
      stderr(`\r\u001b[Kindexing ${what} ${bar(share)} ${share} % (${formatBytes(rate * 1000)}/s${rest})`);
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

/**
 * Numbers from the index, or without one, from the session files. Where much is missing in the index, `scan` answers instead of
 * reading all files.
 */
export function withNumbers<T>(
  io: Io,
  roots: readonly string[],
  options: IndexOptions,
  use: (db: Database) => T,
  scan?: () => Promise<T>,
): Promise<T> {
  const how = { ...options, maxAgeMs: MAX_INDEX_AGE_MS, answersWithout: true };
  return withIndex(io, roots, how, async (index, sync, behind) => {
    const isMuch = index && behind ? countMissing(index.db, behind).catalog > INLINE_BYTES : false;
    const isFirst = !index && options.index !== false && !options.wait && isFirstUse(dataFolderOf(io), roots);
    if (scan && (isMuch || isFirst)) return scan();
    warnAboutSkipped(sync?.problems ?? behind?.problems ?? [], io);
    if (index && !isMuch) return use(index.db);
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
