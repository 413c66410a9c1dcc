import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { type Follower, type FollowResult, openFollower } from "../../format/identity/follow-file.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import { type LoadedSession, type LoadOptions, viewSession } from "../../library/load/load-session.js";
import type { Clean, Redactor } from "../../redact/create-redactor.js";
import { type OpenSession, openSession } from "../../session/open-session.js";

export interface CachedSession extends SeenSession {
  /** Masks secrets; a secret has the same placeholder in every answer about the session. */
  readonly clean: Clean;
  /** Computes a value once for this version of the session and its sub-agents. */
  once<T>(name: string, work: () => T): T;
}

export interface CacheRedactors {
  /** Another one as soon as the user's patterns change. */
  masking(): Promise<Redactor>;
  /** One for a session. */
  createMasking(): Promise<Redactor>;
}

/** Approximate memory of a cached record. */
const BYTES_PER_RECORD = 800;
const BYTES_PER_SESSION = 64 * 1024;

/** Recently used sessions, as outlines; the least recently used ones are dropped when the budget is exceeded. */
export class SessionCache {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  #masking: Redactor | undefined;

  constructor(
    private readonly budgetBytes: number,
    private readonly redactors: CacheRedactors,
  ) {}

  async open(path: string, options: LoadOptions): Promise<CachedSession> {
    const clean = await this.#cleanFor();
    const entry = this.#entries.get(path) ?? new Entry(path, options, clean);
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    try {
      return await entry.look();
    } catch (error) {
      this.#drop(path, entry);
      throw error;
    } finally {
      this.#shrink();
    }
  }

  /** For a session that is not cached. What was masked by other patterns is forgotten. */
  async #cleanFor(): Promise<Clean> {
    const masking = await this.redactors.masking();
    if (this.#masking !== undefined && this.#masking !== masking) this.clear();
    this.#masking = masking;
    return (await this.redactors.createMasking()).json;
  }

  /** For changes in its sub-agents, which do not change the version of the session. */
  forgetAnswers(id: string): void {
    for (const [path, entry] of this.#entries) if (sessionPaths(path).id === id) entry.forgetAnswers();
  }

  /** For changes that affect all sessions, such as prices. */
  clear(): void {
    for (const [path, entry] of this.#entries) this.#drop(path, entry);
  }

  #drop(path: string, entry: Entry): void {
    if (this.#entries.get(path) === entry) this.#entries.delete(path);
    entry.close();
  }

  #shrink(): void {
    let bytes = [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [path, entry] of this.#entries) {
      if (bytes <= this.budgetBytes || this.#entries.size === 1) return;
      bytes -= entry.bytes;
      this.#drop(path, entry);
    }
  }
}

class Entry {
  bytes = BYTES_PER_SESSION;
  readonly #growing: GrowingSession;
  readonly #clean: Clean;
  #looking: Promise<SeenSession> | undefined;
  #answers = new Map<string, unknown>();
  #version = 0;

  constructor(path: string, options: LoadOptions, clean: Clean) {
    this.#clean = clean;
    this.#growing = new GrowingSession(path, options);
  }

  /** Concurrent requests wait for the same read. */
  async look(): Promise<CachedSession> {
    this.#looking ??= this.#growing.look().finally(() => {
      this.#looking = undefined;
    });
    return this.#describe(await this.#looking);
  }

  forgetAnswers(): void {
    this.#answers = new Map();
  }

  /** Waits for a read that is in progress. */
  close(): void {
    const close = () => this.#growing.close();
    if (this.#looking) this.#looking.then(close, close);
    else close();
  }

  #describe({ session, version }: SeenSession): CachedSession {
    if (version !== this.#version) this.#answers = new Map();
    this.#version = version;
    this.bytes = BYTES_PER_SESSION + recordsOf(session) * BYTES_PER_RECORD;
    const answers = this.#answers;
    return {
      session,
      version,
      clean: this.#clean,
      once<T>(name: string, work: () => T): T {
        if (!answers.has(name)) answers.set(name, work());
        return answers.get(name) as T;
      },
    };
  }
}

function recordsOf({ outline }: LoadedSession): number {
  return outline.totals.records;
}

/** A session as of its last read; every read of new records gives a new version. */
interface SeenSession {
  readonly session: LoadedSession;
  readonly version: number;
}

/** Long files are read in pieces of this size, so that other requests are answered in between. */
const PIECE_BYTES = 2 * 1024 * 1024;

/** Counted for all sessions together, so that a session that is dropped and read again gets a new version. */
let versions = 0;

/** A session that is read once, and then only where it grew. */
class GrowingSession {
  #follower: Follower;
  #open: OpenSession = openSession();
  #seen: SeenSession | undefined;
  /** How many records of a last line without its newline were read: if they change, everything is read again. */
  #tailRecords = 0;
  #isLive = false;

  constructor(
    readonly path: string,
    readonly options: LoadOptions,
  ) {
    this.#follower = follow(path);
  }

  async look(): Promise<SeenSession> {
    let isNew = false;
    for (let isMore = true; isMore; ) {
      const piece = this.#follower.poll();
      if (piece.isMissing) throw vanished(this.path);
      isNew = this.#take(piece) || isNew;
      isMore = piece.isMore;
      if (isMore) await nextTurn();
    }
    if (!this.#seen || isNew || this.#isLive !== this.#isLiveNow()) this.#view();
    if (!this.#seen) throw vanished(this.path);
    return this.#seen;
  }

  close(): void {
    this.#follower.close();
  }

  #take(piece: FollowResult): boolean {
    const { restarted, records, tail, isMore, fromTail, isTailKept } = piece;
    if (restarted) this.#forget();
    const isTailLost = this.#tailRecords > 0 && fromTail !== this.#tailRecords && !isTailKept;
    if (isTailLost) {
      this.#restart();
      return this.#take(this.#follower.poll());
    }
    for (const record of records.slice(this.#tailRecords && fromTail)) this.#open.push(record);
    if (records.length > 0) this.#tailRecords = 0;
    const isNew = records.length > 0 || restarted !== undefined;
    if (isMore || !tail?.isReadable || this.#tailRecords > 0 || !isResting(this.path)) return isNew;
    const { offset, line } = this.#follower.cursor;
    for (const record of readRecords(this.path, { abridge: true, offset, line })) {
      this.#open.push(record);
      this.#tailRecords += 1;
    }
    return true;
  }

  #view(): void {
    const file = { path: this.path, sizeBytes: this.#follower.cursor.size };
    const session = viewSession(file, this.#open, this.options);
    versions += 1;
    this.#seen = { session, version: versions };
    this.#isLive = this.#isLiveNow();
  }

  /** The last turn of an idle session becomes complete by time alone. */
  #isLiveNow(): boolean {
    return this.#seen !== undefined && isLive(this.#seen.session.header.endedAt);
  }

  #restart(): void {
    this.#follower.close();
    this.#follower = follow(this.path);
    this.#forget();
  }

  #forget(): void {
    this.#open = openSession();
    this.#tailRecords = 0;
  }
}

export function isLive(endedAt: string | null, now = Date.now()): boolean {
  return Date.parse(endedAt ?? "") >= now - LIVE_WINDOW_MS;
}

function follow(path: string): Follower {
  return openFollower(path, undefined, { abridge: true, budgetBytes: PIECE_BYTES });
}

function isResting(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs < Date.now() - LIVE_WINDOW_MS;
}

function vanished(path: string): UserError {
  return new UserError("not-found", `session file not found: ${path}`, "it was deleted or moved");
}

/** The session along a rewound branch; without a leaf, along the active one. */
export function branchOf(session: LoadedSession, leaf: string | undefined): LoadedSession {
  return leaf === undefined ? session : session.branch(leaf);
}
