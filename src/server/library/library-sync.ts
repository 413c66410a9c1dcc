import { basename } from "node:path";
import { agentIdOf, owningSessionFile, sessionPaths } from "../../format/layout/session-paths.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import type { SyncOptions, SyncProgress, SyncResult } from "../../library/sync/sync-index.js";
import { type FileChange, type RootsWatcher, watchRoots } from "../../library/watch/watch-roots.js";
import type { ServerEvent, SessionChange } from "../api/events.js";
import type { IndexState } from "../api/start.js";

export interface SyncWork {
  readonly roots: readonly string[];
  /** Brings the index up to date; undefined when another process is at it. */
  sync(how: SyncHow): Promise<SyncResult | undefined>;
  readonly hub: EventHub;
  onProblem(message: string): void;
}

type SyncHow = Required<Pick<SyncOptions, "grown" | "onProgress" | "signal">>;

const READY: IndexState = { state: "ready", files: 0, filesDone: 0, bytes: 0, bytesDone: 0 };
const PROGRESS_MS = 250;
/** What is written in a burst is taken in one go; a long walk is not done again at once. */
const PAUSE_MS = 400;
const PAUSE_FACTOR = 5;
/** Another process may be at it, and end before it has seen what we saw. */
const RETRY_MS = 2000;
/** What is done sooner needs no telling how far it is. */
const QUIET_MS = 500;
/** So long after the last write no session is running any more. */
const REST_MS = LIVE_WINDOW_MS + 1000;
/** So long after a write of our own the watcher may tell of it. */
const OWN_MS = 3000;

/** Watches the roots, tells what changes at once, and keeps the index up to date behind it. */
export class LibrarySync {
  readonly #stopping = new AbortController();
  readonly #written = new Map<string, number>();
  readonly #ownUntil = new Map<string, number>();
  readonly #watcher: RootsWatcher;
  #state: IndexState = { ...READY, state: "syncing" };
  #generation = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #isDirty = false;
  /** Those that grew since the last sync; undefined when more than that happened, or may have. */
  #grown: Set<string> | undefined;
  /** What is being taken into the index now. */
  #taking: readonly string[] | undefined;
  readonly #changes = new ChangeLog();
  #pauseMs = PAUSE_MS;
  #toldAt = 0;

  constructor(private readonly work: SyncWork) {
    const { roots, onProblem } = work;
    this.#watcher = watchRoots(roots, (changes) => this.#note(changes), { onProblem });
    this.#tellAtRest();
  }

  get state(): IndexState {
    return this.#state;
  }

  /** Grows whenever the index may answer differently. */
  get generation(): number {
    return this.#generation;
  }

  /** The files that grew since the index was of this generation; undefined where more happened, or may have. */
  grownSince(generation: number): readonly string[] | undefined {
    return this.#changes.since(generation);
  }

  /** When a session was written to while the server ran, in ms since the epoch. */
  writtenAt(id: string): number | undefined {
    return this.#written.get(id);
  }

  /** What turnlog itself writes now is no session that runs. */
  ignoreOwnWrites(id: string): void {
    this.#ownUntil.set(id, Date.now() + OWN_MS);
    this.#written.delete(id);
  }

  /** Brings the index up to date with what is there now. */
  async refresh(): Promise<void> {
    await this.#running;
    this.#grown = undefined;
    await this.#start();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#resting);
    this.#watcher.close();
    await this.#running;
  }

  #note(changes: readonly FileChange[]): void {
    const told = changes.flatMap(toSessionChange);
    const now = Date.now();
    for (const { id } of told) if (now > (this.#ownUntil.get(id) ?? 0)) this.#written.set(id, now);
    if (told.length > 0) this.work.hub.publish({ kind: "sessions", changes: told });
    this.#isDirty = true;
    this.#tellAtRest();
    this.#noteGrown(changes);
    if (!this.#running) this.#schedule(this.#pauseMs);
  }

  /** Nothing is written then of which pages could learn that a session no longer runs. */
  #tellAtRest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.work.hub.publish({ kind: "index", index: this.#state }), REST_MS);
  }

  #noteGrown(changes: readonly FileChange[]): void {
    const files = changes.filter(({ kind }) => kind !== "side"); // the index does not hold what lies beside
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
        if (performance.now() - started > QUIET_MS) this.#tellProgress(progress);
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
    this.#tell(READY);
  }

  #tellProgress(progress: SyncProgress): void {
    if (performance.now() - this.#toldAt > PROGRESS_MS) this.#tell({ state: "syncing", ...progress });
  }

  #tell(state: IndexState): void {
    this.#state = state;
    this.#generation += 1;
    this.#changes.note(this.#generation, this.#taking);
    this.#toldAt = performance.now();
    this.work.hub.publish({ kind: "index", index: state });
  }
}

/** A sub-agent that begins is something more of its session. */
function isGrowth({ kind, change }: FileChange): boolean {
  return change === "appended" || (change === "created" && kind === "agent");
}

/** Whether what was taken in is no more than what was seen to grow. */
function isGrowthOf(grown: readonly string[] | undefined, result: SyncResult | undefined): boolean {
  if (!grown || !result) return false;
  return result.added + result.moved + result.removed === 0 && result.changed <= grown.length;
}

/** What lies beside a session, such as its title, changes the session. */
function toSessionChange({ path, kind, change }: FileChange): SessionChange[] {
  if (kind === "side") return [];
  const agentId = kind === "agent" ? (agentIdOf(basename(path)) ?? null) : null;
  return [{ id: sessionPaths(owningSessionFile(path)).id, agentId, change }];
}

const MOST = 100;

/** Which files each of the latest generations of the index took in. */
export class ChangeLog {
  readonly #paths = new Map<number, readonly string[] | undefined>();

  /** Without paths: anything may have changed. */
  note(generation: number, paths: readonly string[] | undefined): void {
    this.#paths.set(generation, paths);
    this.#paths.delete(generation - MOST);
  }

  /** All after this generation together; undefined where one of them is unknown. */
  since(generation: number): readonly string[] | undefined {
    const later = [...this.#paths].filter(([known]) => known > generation);
    const isWhole = this.#paths.has(generation + 1) && later.every(([, paths]) => paths !== undefined);
    return isWhole ? [...new Set(later.flatMap(([, paths]) => paths ?? []))] : undefined;
  }
}

/** Hands each event to everybody who listens. */
export class EventHub {
  readonly #listeners = new Set<(event: ServerEvent) => void>();

  /** Returns how to stop listening. */
  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
