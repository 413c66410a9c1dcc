import { setTimeout as sleep } from "node:timers/promises";
import { type LiveRow, openLiveView } from "../../app/live/view-live.js";
import { loadOptions } from "../../app/load-options.js";
import { exportRedactor } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { dataFolderOf, type Environment, readSettings } from "../../app/settings.js";
import { withoutCopies, withoutRepeats } from "../../app/without-repeats.js";
import { UserError } from "../../errors.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { openWhole } from "../../library/archive/whole-transcript.js";
import { listLibrary } from "../../library/catalog/list-catalog.js";
import type { Index } from "../../library/catalog/open-index.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound, loadSession } from "../../library/load/load-session.js";
import type { SessionSummary } from "../../library/load/session-summary.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { useIndex } from "../../library/sync/use-index.js";
import { homeFolder } from "../../own-user.js";
import type { Clean } from "../../redact/create-redactor.js";

/** The library as the MCP tools use it. */
export interface McpLibrary {
  readonly roots: readonly string[];
  /** Read for each request: marks and settings change while the server runs. */
  loadOptions(): Promise<LoadOptions>;
  /** Redacts every answer: what a model reads leaves the machine. */
  readonly clean: Clean;
  /** Runs a query on the index after a sync; `use` gets undefined where there is no index. */
  withIndex<T>(use: (index: Index | undefined) => T | Promise<T>): Promise<T>;
  /** Latest activity first; of several files with one id, the latest. */
  list(project?: string): Promise<readonly SessionSummary[]>;
  /** Sessions that run now, or ended a moment ago; what needs a person first. */
  live(): Promise<readonly LiveRow[]>;
  /** Where its files are, also in the archive. */
  find(session: SessionSummary): Promise<FoundSession>;
  /** Also from the archive. */
  open(session: SessionSummary): Promise<LoadedSession>;
  /** The last sync did not finish in time, so sessions may be missing from the answer. */
  isIndexIncomplete(): boolean;
  /** Syncs the index, unless that was done in the last seconds. */
  refresh(): Promise<void>;
  /** Prints to stderr. */
  warn(text: string): void;
  close(): void;
}

const FRESH_MS = 2000;
/** Indexed in a fraction of a second, so that requests are answered while the index is built. */
const BATCH_BYTES = 2_000_000;
/** MCP clients time out after a minute; before that, the incomplete index is queried. */
const PATIENCE_MS = 20_000;
const MIN_PATIENCE_MS = 500;

export async function openMcpLibrary(options: RootOptions, io: Environment): Promise<McpLibrary> {
  const roots = await sessionRoots(io, options);
  const redactor = await exportRedactor({ redact: true }, io);
  const folder = dataFolderOf(io);
  const warn = (text: string) => io.warn(redactor.text(text));
  const onNote = withoutRepeats(warn);
  const currentOptions = () => loadOptions(io);
  const refresher = createRefresher(async (signal) => {
    const { archive } = await readSettings(io);
    const keep = archive?.enabled ? archive : undefined;
    await useIndex(
      folder,
      roots,
      { retention: keep, onNote, signal, batchBytes: BATCH_BYTES, texts: "due" },
      () => undefined,
    );
  });

  let isBehind = false;

  async function withIndex<T>(use: (index: Index | undefined) => T | Promise<T>): Promise<T> {
    const patience = new AbortController();
    const isLate = sleep(refresher.patienceMs(), "late" as const, { ref: false, signal: patience.signal }).catch(
      () => undefined,
    );
    const first = await Promise.race([refresher.refresh(), isLate]);
    patience.abort();
    isBehind = first === "late";
    return useIndex(folder, roots, { onNote, sync: false }, use);
  }

  return {
    roots,
    loadOptions: currentOptions,
    clean: redactor.json,
    withIndex,
    async list(project) {
      const options = await currentOptions();
      const filter = project === undefined ? {} : { project: expandHome(project, homeFolder()) };
      const { sessions } = await withIndex((index) => listLibrary(index, undefined, roots, filter, options));
      return withoutCopies(sessions);
    },
    live: async () => {
      const view = openLiveView({ roots, dataDir: folder, load: await currentOptions(), clean: redactor.json });
      try {
        return view.look();
      } finally {
        view.close();
      }
    },
    find: async (session) => findFiles(session, roots, await currentOptions()),
    open: createOpener(roots, currentOptions),
    isIndexIncomplete: () => isBehind,
    refresh: refresher.refresh,
    warn,
    close: refresher.stop,
  };
}

function findFiles({ path }: SessionSummary, roots: readonly string[], options: LoadOptions): FoundSession {
  const found = findSessions(roots, options).sessions.find((session) => session.path === path);
  if (found) return found;
  throw new UserError("not-found", "the session is no longer there", "list_sessions shows all sessions");
}

/** Unpacks each archived session once. */
function createOpener(roots: readonly string[], currentOptions: McpLibrary["loadOptions"]): McpLibrary["open"] {
  const unpacked = new Map<string, FoundSession>();
  return async ({ archived, path }) => {
    const options = await currentOptions();
    if (!archived) return loadSession(openWhole(options.archive, path).path, options);
    const found = unpacked.get(path) ?? findSessions(roots, options).sessions.find((session) => session.path === path);
    if (found) unpacked.set(path, found);
    return found ? loadFound(found, options) : loadSession(path, options);
  };
}

/** Runs one sync at a time, at most every `FRESH_MS`. */
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
    /** All requests together wait at most `PATIENCE_MS` for the same sync. */
    patienceMs: () =>
      running ? Math.max(MIN_PATIENCE_MS, PATIENCE_MS - (performance.now() - startedAt)) : PATIENCE_MS,
    stop: () => stopping.abort(),
  };
}
