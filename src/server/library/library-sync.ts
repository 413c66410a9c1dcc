import { basename } from "node:path";
import { agentIdOf, owningSessionFile, sessionPaths } from "../../format/layout/session-paths.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import type { SyncOptions, SyncProgress, SyncResult } from "../../library/sync/sync-index.js";
import { type FileChange, type RootsWatcher, watchRoots } from "../../library/watch/watch-roots.js";
import type { SessionChange } from "../api/events.js";
import type { IndexState } from "../api/start.js";
import type { EventHub } from "./event-hub.js";

export interface SyncWork {
  readonly roots: readonly string[];
  /** Brings the index up to date; undefined when another process is doing so. */
  sync(how: SyncHow): Promise<SyncResult | undefined>;
  readonly hub: EventHub;
  onProblem(message: string): void;
}

type SyncHow = Required<Pick<SyncOptions, "grown" | "onProgress" | "signal">>;

const READY: IndexState = { state: "ready", phase: "catalog", files: 0, filesDone: 0, bytes: 0, bytesDone: 0 };
const PROGRESS_MS = 250;
/** Writes in a burst are indexed together; the pause grows with the time that the last sync took. */
const PAUSE_MS = 400;
const PAUSE_FACTOR = 5;
/** The process that holds the lock may finish before it sees the change that we saw. */
const RETRY_MS = 2000;
/** Progress is published for syncs that take longer than this. */
const QUIET_MS = 500;
/** After this time without a write, no session is live any more. */
const IDLE_MS = LIVE_WINDOW_MS + 1000;
/** The watcher may report a write of our own this much later. */
const OWN_WRITE_MS = 3000;

/** Watches the roots, publishes changes at once, and then brings the index up to date. */
export class LibrarySync {
  readonly #stopping = new AbortController();
  readonly #written = new Map<string, number>();
  readonly #ownWritesUntil = new Map<string, number>();
  readonly #watcher: RootsWatcher;
  #state: IndexState = { ...READY, state: "syncing" };
  #generation = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isDirty = false;
  /** Files that grew since the last sync; undefined when there may be other changes too. */
  #grown: Set<string> | undefined;
  /** The files that the running sync adds to the index; undefined when there may be others. */
  #taking: readonly string[] | undefined;
  readonly #changes = new ChangeLog();
  #pauseMs = PAUSE_MS;
  #publishedAt = 0;

  constructor(private readonly work: SyncWork) {
    const { roots, onProblem } = work;
    this.#watcher = watchRoots(roots, (changes) => this.#note(changes), { onProblem });
    this.#publishWhenIdle();
  }

  get state(): IndexState {
    return this.#state;
  }

  /** Increases whenever the content of the index may have changed. */
  get generation(): number {
    return this.#generation;
  }

  /** The files that grew since this generation; undefined when there may be other changes too. */
  grownSince(generation: number): readonly string[] | undefined {
    return this.#changes.since(generation);
  }

  /** The files that grew since the index was last brought up to date; undefined when there may be other changes too. */
  get pending(): readonly string[] | undefined {
    if (!this.#isDirty && !this.#running) return [];
    const taking = this.#running ? this.#taking : [];
    return this.#grown && taking && [...new Set([...this.#grown, ...taking])];
  }

  /** The last write that was seen while the server ran, in ms since the epoch. */
  writtenAt(id: string): number | undefined {
    return this.#written.get(id);
  }

  /** Files that turnlog writes itself do not make a session live. */
  ignoreOwnWrites(id: string): void {
    this.#ownWritesUntil.set(id, Date.now() + OWN_WRITE_MS);
    this.#written.delete(id);
  }

  /** Brings the index up to date with a full walk of the roots. */
  async refresh(): Promise<void> {
    await this.#running;
    this.#grown = undefined;
    await this.#start();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    this.#watcher.close();
    await this.#running;
  }

  #note(changes: readonly FileChange[]): void {
    const sessions = changes.flatMap(toSessionChange);
    const now = Date.now();
    for (const { id } of sessions) if (now > (this.#ownWritesUntil.get(id) ?? 0)) this.#written.set(id, now);
    if (sessions.length > 0) this.work.hub.publish({ kind: "sessions", changes: sessions });
    this.#isDirty = true;
    this.#publishWhenIdle();
    this.#noteGrown(changes);
    if (!this.#running) this.#schedule(this.#pauseMs);
  }

  /** Published once nothing is live any more: no write would make open pages notice. */
  #publishWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.work.hub.publish({ kind: "index", index: this.#state }), IDLE_MS);
  }

  #noteGrown(changes: readonly FileChange[]): void {
    const files = changes.filter(({ kind }) => kind !== "side"); // side files are not indexed
    if (!files.every(isGrowth)) this.#grown = undefined;
    for (const { path } of files) this.#grown?.add(path);
  }

  #schedule(ms: number): void {
    if (!this.#stopping.signal.aborted) this.#timer ??= setTimeout(() => void this.#start(), ms);
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopping.signal.aborted) return Promise.resolve();
    this.#running ??= this.#sync().finally(() => {
      this.#running = undefined;
      if (this.#isDirty) this.#schedule(this.#pauseMs);
    });
    return this.#running;
  }

  async #sync(): Promise<void> {
    const { signal } = this.#stopping;
    const started = performance.now();
    const grown = this.#grown && [...this.#grown];
    this.#grown = new Set();
    this.#taking = grown;
    this.#isDirty = false;
    try {
      const onProgress = (progress: SyncProgress) => {
        if (performance.now() - started > QUIET_MS) this.#publishProgress(progress);
      };
      const result = await this.work.sync({ grown, onProgress, signal });
      if (!result || result.problems.length > 0) this.#grown = undefined;
      if (!isGrowthOf(grown, result)) this.#taking = undefined;
      if (!result) this.#schedule(RETRY_MS);
    } catch (error) {
      this.#grown = undefined;
      this.#taking = undefined;
      this.work.onProblem(error instanceof Error ? error.message : String(error));
    }
    this.#pauseMs = Math.max(PAUSE_MS, (performance.now() - started) * PAUSE_FACTOR);
    this.#publish(READY);
  }

  #publishProgress(progress: SyncProgress): void {
    if (performance.now() - this.#publishedAt > PROGRESS_MS) this.#publish({ state: "syncing", ...progress });
  }

  #publish(state: IndexState): void {
    this.#state = state;
    this.#generation += 1;
    this.#changes.note(this.#generation, this.#taking);
    this.#publishedAt = performance.now();
    this.work.hub.publish({ kind: "index", index: state });
  }
}

/** A new sub-agent file counts as growth of its session. */
function isGrowth({ kind, change }: FileChange): boolean {
  return change === "appended" || (change === "created" && kind === "agent");
}

/** Whether the sync changed no more files than those reported as grown. */
function isGrowthOf(grown: readonly string[] | undefined, result: SyncResult | undefined): boolean {
  if (!grown || !result) return false;
  return result.added + result.moved + result.removed === 0 && result.changed <= grown.length;
}

function toSessionChange({ path, kind, change }: FileChange): SessionChange[] {
  if (kind === "side") return [];
  const agentId = kind === "agent" ? (agentIdOf(basename(path)) ?? null) : null;
  return [{ id: sessionPaths(owningSessionFile(path)).id, agentId, change }];
}

const MAX_GENERATIONS = 100;

/** The files that each of the last generations of the index added. */
export class ChangeLog {
  readonly #paths = new Map<number, readonly string[] | undefined>();

  /** Undefined paths: anything may have changed. */
  note(generation: number, paths: readonly string[] | undefined): void {
    this.#paths.set(generation, paths);
    this.#paths.delete(generation - MAX_GENERATIONS);
  }

  /** The files of all later generations; undefined where one of these is unknown. */
  since(generation: number): readonly string[] | undefined {
    const later = [...this.#paths].filter(([known]) => known > generation);
    const isWhole = this.#paths.has(generation + 1) && later.every(([, paths]) => paths !== undefined);
    return isWhole ? [...new Set(later.flatMap(([, paths]) => paths ?? []))] : undefined;
  }
}
