import { setTimeout as sleep } from "node:timers/promises";
import type { Io } from "../../app/io.js";
import { loadOptions } from "../../app/load-options.js";
import { exportRedactor } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/roots.js";
import { readSettings, settingsFolder } from "../../app/settings.js";
import { toldOnce } from "../../app/told-once.js";
import { withoutCopies } from "../../app/without-copies.js";
import { findSessions } from "../../library/find-sessions.js";
import type { FoundSession } from "../../library/found-session.js";
import type { Index } from "../../library/indexed/open-index.js";
import { listLibrary } from "../../library/list-library.js";
import { type LoadedSession, type LoadOptions, loadFound, loadSession } from "../../library/load-session.js";
import type { SessionSummary } from "../../library/session-summary.js";
import { useIndex } from "../../library/use-index.js";
import type { Clean } from "../../redact/clean.js";
import { neutralize } from "../../render/neutralize.js";

/** The sessions as the tools see them. */
export interface AskedLibrary {
  readonly roots: readonly string[];
  /** How sessions are read now: what people add to them changes while the server runs. */
  knowledge(): Promise<LoadOptions>;
  /** For everything that is answered: what a model reads has left the machine. */
  readonly clean: Clean;
  /** Asks the index, which is up to date or nearly so; undefined where there can be none. */
  ask<T>(use: (index: Index | undefined) => T | Promise<T>): Promise<T>;
  /** Latest activity first; of copies with the same id the latest alone. */
  list(): Promise<readonly SessionSummary[]>;
  /** A listed session, also from the archive. */
  open(session: SessionSummary): Promise<LoadedSession>;
  /** The index is still being built: what is not in it yet is missing from the answers. */
  isBehind(): boolean;
  /** Brings the index up to date unless it just was. */
  refresh(): Promise<void>;
  /** For the person who runs the server. */
  tell(text: string): void;
  close(): void;
}

const FRESH_MS = 2000;
/** A fraction of a second: the client wants to be answered while the index is built. */
const BATCH_BYTES = 2_000_000;
/** Clients wait for a minute; before that the index is asked as far as it is built. */
const PATIENCE_MS = 20_000;
const LEAST_PATIENCE_MS = 500;

export async function openLibrary(options: RootOptions, io: Io): Promise<AskedLibrary> {
  const roots = await sessionRoots(io, options);
  const redactor = await exportRedactor({ redact: true }, io);
  const folder = settingsFolder(io);
  const tell = (text: string) => io.stderr(neutralize(`${redactor.text(text)}\n`));
  const onNote = toldOnce(tell);
  const knowledge = () => loadOptions(io);
  const refresher = createRefresher(async (signal) => {
    const { archive } = await readSettings(io);
    const keep = archive?.enabled ? archive : undefined;
    await useIndex(folder, roots, { keep, onNote, signal, batchBytes: BATCH_BYTES }, () => undefined);
  });

  let isBehind = false;

  async function ask<T>(use: (index: Index | undefined) => T | Promise<T>): Promise<T> {
    const patience = new AbortController();
    const isPast = sleep(refresher.patienceMs(), "late" as const, { ref: false, signal: patience.signal }).catch(
      () => undefined,
    );
    const first = await Promise.race([refresher.refresh(), isPast]);
    patience.abort();
    isBehind = first === "late";
    return useIndex(folder, roots, { onNote, sync: false }, use);
  }

  return {
    roots,
    knowledge,
    clean: redactor.json,
    ask,
    async list() {
      const known = await knowledge();
      const { sessions } = await ask((index) => listLibrary(index, undefined, roots, {}, known));
      return withoutCopies(sessions);
    },
    open: createOpener(roots, knowledge),
    isBehind: () => isBehind,
    refresh: refresher.refresh,
    tell,
    close: refresher.stop,
  };
}

/** A copy from the archive is unpacked once, however often it is asked for. */
function createOpener(roots: readonly string[], knowledge: AskedLibrary["knowledge"]): AskedLibrary["open"] {
  const unpacked = new Map<string, FoundSession>();
  return async ({ archived, path }) => {
    const known = await knowledge();
    if (!archived) return loadSession(path, known);
    const found = unpacked.get(path) ?? findSessions(roots, known).sessions.find((session) => session.path === path);
    if (found) unpacked.set(path, found);
    return found ? loadFound(found, known) : loadSession(path, known);
  };
}

/** One sync at a time, and none right after another. */
function createRefresher(sync: (signal: AbortSignal) => Promise<void>) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;
  let startedAt = Number.NEGATIVE_INFINITY;
  return {
    refresh(): Promise<void> {
      if (performance.now() < freshUntil || stopping.signal.aborted) return Promise.resolve();
      if (running) return running;
      startedAt = performance.now();
      running = sync(stopping.signal).finally(() => {
        running = undefined;
        freshUntil = performance.now() + FRESH_MS;
      });
      return running;
    },
    /** Who has waited for a sync once need not wait for the same one again. */
    patienceMs: () =>
      running ? Math.max(LEAST_PATIENCE_MS, PATIENCE_MS - (performance.now() - startedAt)) : PATIENCE_MS,
    stop: () => stopping.abort(),
  };
}
