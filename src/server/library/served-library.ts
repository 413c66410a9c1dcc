import { statSync } from "node:fs";
import { join } from "node:path";
import { type BudgetRow, viewBudgets } from "../../app/budget/view-budgets.js";
import { type LiveView, openLiveView } from "../../app/live/view-live.js";
import { loadOptions } from "../../app/load-options.js";
import { keepMasking, maskingRedactor } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { dataFolderOf, type Environment, readSettings } from "../../app/settings.js";
import { withoutRepeats } from "../../app/without-repeats.js";
import { errorCode, UserError } from "../../errors.js";
import { stateKey, stateOf } from "../../format/identity/file-identity.js";
import { openWhole } from "../../library/archive/whole-transcript.js";
import type { Index } from "../../library/catalog/open-index.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import type { SessionSummary } from "../../library/load/session-summary.js";
import { openRunningSessions } from "../../library/running/running-sessions.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { useIndex } from "../../library/sync/use-index.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { dataPaths } from "../../store/data-dir.js";
import { EventHub } from "./event-hub.js";
import { KeptIndex } from "./kept-index.js";
import { LibrarySync } from "./library-sync.js";
import { LiveWatch } from "./live-watch.js";
import { createServedList } from "./served-list.js";
import { type CachedSession, isLive, SessionCache } from "./session-cache.js";

/** The library as the API uses it. Sessions are identified by id; of several files with one id, the latest is used. */
export interface ServedLibrary {
  readonly roots: readonly string[];
  /** The options that selected the roots. */
  readonly rootOptions: RootOptions;
  readonly isDemo: boolean;
  readonly dataFolder: string;
  readonly hub: EventHub;
  readonly sync: LibrarySync;
  /** What `turnlog live` shows. */
  readonly live: LiveWatch;
  /** Resolves after the first sync of the index. */
  readonly synced: Promise<void>;
  /** Current prices, marks and archive settings, which loading a session needs. */
  loadOptions(): Promise<LoadOptions>;
  /** Runs a query on the index as far as it is built; `use` gets undefined where there is no index. */
  withIndex<T>(use: (index: Index | undefined) => T | Promise<T>): Promise<T>;
  /** Computes a value once per generation of the index and state of the marks. */
  memoize<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Latest activity first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Also finds sessions that are not indexed yet. */
  find(id: string): Promise<SessionLocation>;
  /** With everything needed to edit or move it. */
  locate(id: string): Promise<FoundSession>;
  /** Throws where one of them is missing. */
  locateAll(ids: readonly string[]): Promise<readonly LocatedSession[]>;
  /** Cached, as an outline. */
  open(id: string): Promise<CachedSession>;
  openAgent(id: string, agentId: string): Promise<CachedSession>;
  /** Days are those of the time zone. */
  budgets(timezone: string | undefined): Promise<readonly BudgetRow[]>;
  /** For what is shown; the same one as long as the user's patterns are. */
  masking(): Promise<Redactor>;
  isLive(session: Pick<SessionSummary, "id" | "endedAt">): boolean;
  warn(text: string): void;
  close(): Promise<void>;
}

/** A listed session, or one that is not indexed yet. */
export type SessionLocation = SessionSummary | FoundSession;

export interface LocatedSession {
  readonly found: FoundSession;
  readonly summary: SessionSummary | undefined;
}

/** Indexed in a fraction of a second, so that requests are answered while the index is built. */
const BATCH_BYTES = 2_000_000;
const CACHE_BYTES = 256 * 1024 * 1024;

export async function openServedLibrary(options: RootOptions, io: Environment): Promise<ServedLibrary> {
  const roots = await sessionRoots(io, options);
  const dataFolder = dataFolderOf(io);
  const hub = new EventHub();
  const masking = keepMasking(io);
  const cache = new SessionCache(CACHE_BYTES, { masking, createMasking: () => maskingRedactor(io) });
  hub.listen((event) => {
    if (event.kind !== "sessions") return;
    for (const { id, agentId } of event.changes) if (agentId !== null) cache.forgetAnswers(id);
  });
  const warn = withoutRepeats((text) => io.warn(text));
  const sync = syncedWith({ roots, dataFolder, hub, warn }, io);
  const currentOptions = cacheOptions(dataFolder, () => loadOptions(io));
  const index = new KeptIndex({ dataFolder, roots, onNote: warn });
  const withIndex: ServedLibrary["withIndex"] = (use) => index.use(use);
  const memory = new AnswerMemory();
  const isRunning = lookAtRegistry();
  const finder = createFinder({ roots, loadOptions: currentOptions, withIndex, sync });
  const live = new LiveWatch({
    hub,
    open: liveViewer({ roots, dataFolder, loadOptions: currentOptions, masking }),
    onProblem: warn,
  });
  return {
    roots,
    rootOptions: toRootOptions(options),
    isDemo: options.demo ?? false,
    dataFolder,
    hub,
    sync,
    live,
    synced: sync.refresh().catch((error: unknown) => warn(String(error))),
    loadOptions: currentOptions,
    budgets: (timezone) => viewBudgets({ roots, timezone }, io),
    masking,
    withIndex,
    memoize: async (name, work) => memory.get([sync.generation, await currentOptions(), await masking()], name, work),
    ...finder,
    ...createOpener(finder, cache, currentOptions),
    isLive: ({ id, endedAt }) =>
      isLive(endedAt) || isLive(isoTime(sync.writtenAt(id))) || roots.some((root) => isRunning(id, root)),
    warn,
    async close() {
      live.close();
      await sync.close();
      index.close();
      cache.clear();
    },
  };
}

function syncedWith(
  { roots, dataFolder, hub, warn }: Pick<ServedLibrary, "roots" | "dataFolder" | "hub" | "warn">,
  io: Environment,
): LibrarySync {
  return new LibrarySync({
    roots,
    hub,
    onProblem: warn,
    async sync(requested) {
      const { archive } = await readSettings(io);
      const keep = archive?.enabled ? archive : undefined;
      const how = {
        ...requested,
        retention: keep,
        onNote: warn,
        batchBytes: BATCH_BYTES,
        acceptsPartial: true,
        texts: "due" as const,
      };
      return useIndex(dataFolder, roots, how, (_index, result) => result);
    },
  });
}

/** Another view as soon as marks, prices or patterns of secrets change. */
function liveViewer({
  roots,
  dataFolder: dataDir,
  loadOptions: currentOptions,
  masking,
}: Pick<ServedLibrary, "roots" | "dataFolder" | "loadOptions" | "masking">): () => Promise<LiveView> {
  let known: { readonly load: LoadOptions; readonly redactor: Redactor; readonly view: LiveView } | undefined;
  return async () => {
    const [load, redactor] = [await currentOptions(), await masking()];
    if (known?.load !== load || known.redactor !== redactor) {
      known = { load, redactor, view: openLiveView({ roots, dataDir, load, clean: redactor.json }) };
    }
    return known.view;
  };
}

function toRootOptions({ configDir, demo }: RootOptions): RootOptions {
  return { ...(configDir === undefined ? {} : { configDir }), ...(demo === undefined ? {} : { demo }) };
}

type Finder = Pick<ServedLibrary, "list" | "find" | "locate" | "locateAll">;

function createFinder({
  roots,
  loadOptions: currentOptions,
  withIndex,
  sync,
}: Pick<ServedLibrary, "roots" | "loadOptions" | "withIndex" | "sync">): Finder {
  const current = createServedList({ roots, loadOptions: currentOptions, withIndex, sync });

  async function locateAll(ids: readonly string[]): Promise<LocatedSession[]> {
    const options = await currentOptions();
    const { byId } = await current();
    const wanted = new Set(ids);
    const matches = findSessions(roots, options).sessions.filter(({ id }) => wanted.has(id));
    return [...wanted].map((id) => {
      const summary = byId.get(id);
      const copies = matches.filter((session) => session.id === id);
      const found = copies.find(({ path }) => path === summary?.path) ?? copies[0];
      if (!found) throw unknownSession(id);
      return { found, summary: found.path === summary?.path ? summary : undefined };
    });
  }

  async function locate(id: string): Promise<FoundSession> {
    const [located] = await locateAll([id]);
    if (!located) throw unknownSession(id);
    return located.found;
  }

  return {
    list: async () => (await current()).sessions,
    locate,
    locateAll,
    find: async (id) => (await current()).byId.get(id) ?? locate(id),
  };
}

function createOpener(
  { find, locate }: Finder,
  cache: SessionCache,
  currentOptions: ServedLibrary["loadOptions"],
): Pick<ServedLibrary, "open" | "openAgent"> {
  let prices: LoadOptions["prices"];
  const unpacked = new Map<string, string>();

  /** Without marks: they change more often than sessions, and `viewSessionOutline` adds them to what is cached. */
  async function readingOptions(): Promise<LoadOptions> {
    const { marks: _marks, ...options } = await currentOptions();
    if (prices && JSON.stringify(prices) !== JSON.stringify(options.prices)) cache.clear();
    prices = options.prices;
    return options;
  }

  async function open(id: string): Promise<CachedSession> {
    const { path, archived } = await find(id);
    const options = await readingOptions();
    if (!archived) return cache.open(openWhole(options.archive, path).path, options);
    const copy = unpacked.get(path) ?? (await locate(id)).open();
    unpacked.set(path, copy);
    return cache.open(copy, options);
  }

  async function openAgent(id: string, agentId: string): Promise<CachedSession> {
    const owner = await open(id);
    const agent = owner.once("subagents", () => owner.session.subagents()).find((one) => one.agentId === agentId);
    if (!agent)
      throw new UserError("not-found", `the session has no sub-agent ${agentId}`, "GET /api/sessions/:id lists them");
    if (agent.path !== owner.session.path) return cache.open(agent.path, await readingOptions());
    return { ...owner, session: owner.session.subagentSession(agent), once: (_name, work) => work() };
  }

  return { open, openAgent };
}

/** Reads the options again when one of their files has changed. */
function cacheOptions(dataFolder: string, read: () => Promise<LoadOptions>): () => Promise<LoadOptions> {
  const { config, user } = dataPaths(dataFolder);
  const files = [config, user, `${user}-wal`, join(dataFolder, "archive")];
  let known: { readonly stamp: string; readonly options: Promise<LoadOptions> } | undefined;
  return () => {
    const stamp = files.map(stampOf).join(" ");
    if (known?.stamp !== stamp) known = { stamp, options: read() };
    return known.options;
  };
}

function stampOf(path: string): string {
  try {
    return stateKey(stateOf(statSync(path)));
  } catch (error) {
    return errorCode(error) ?? "missing";
  }
}

function unknownSession(id: string): UserError {
  return new UserError("not-found", `session not found: ${id.slice(0, 80)}`, "it may have been deleted or moved");
}

const REGISTRY_AGE_MS = 1000;

/** Whether a process of Claude Code works on a session, as of a second ago. */
function lookAtRegistry(): (id: string, root: string) => boolean {
  let seen = { at: Number.NEGATIVE_INFINITY, running: openRunningSessions() };
  return (id, root) => {
    const now = performance.now();
    if (now > seen.at + REGISTRY_AGE_MS) seen = { at: now, running: openRunningSessions() };
    return seen.running.find({ id, root })?.kind === "client";
  };
}

function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

const MAX_ANSWERS = 64;

/** Caches answers for as long as the state they were computed from is the same. */
class AnswerMemory {
  readonly #answers = new Map<string, Promise<unknown>>();
  #state: readonly unknown[] = [];

  /** The parts of `state` are compared by identity. Concurrent requests for one name share one computation. */
  get<T>(state: readonly unknown[], name: string, work: () => Promise<T>): Promise<T> {
    if (state.length !== this.#state.length || state.some((part, at) => part !== this.#state[at])) {
      this.#answers.clear();
      this.#state = state;
    }
    const known = this.#answers.get(name) as Promise<T> | undefined;
    if (known) return known;
    const answer = work();
    this.#answers.set(name, answer);
    answer.catch(() => this.#answers.delete(name));
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MAX_ANSWERS) this.#answers.delete(oldest);
    return answer;
  }
}
