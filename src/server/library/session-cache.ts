import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { maskingRedactor } from "../../app/redaction.js";
import { UserError } from "../../errors.js";
import { type Follower, type FollowResult, openFollower } from "../../format/identity/follow-file.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { LIVE_WINDOW_MS } from "../../library/activity.js";
import { type LoadedSession, type LoadOptions, viewSession } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import { type OpenSession, openSession } from "../../session/open-session.js";

/** A session that is ready to be asked. */
export interface CachedSession extends SeenSession {
  /** Masks; the same secret gets the same name in every answer about the session. */
  readonly clean: Clean;
  /** Works something out once for this version of the session and its sub-agents. */
  once<T>(name: string, work: () => T): T;
}

/** About what one record costs in memory while its session is kept. */
const BYTES_PER_RECORD = 800;
const BYTES_PER_SESSION = 64 * 1024;

/** Sessions that were asked for of late, as outlines; those asked for longest ago go first when there is too much. */
export class SessionCache {
  /** The one asked for last is the last. */
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly budgetBytes: number) {}

  async open(path: string, options: LoadOptions): Promise<CachedSession> {
    const entry = this.#entries.get(path) ?? new Entry(path, options);
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

  /** What was worked out of it no longer holds, as its sub-agents went on. */
  forgetAnswers(id: string): void {
    for (const [path, entry] of this.#entries) if (sessionPaths(path).id === id) entry.forgetAnswers();
  }

  /** Everything is read again: prices changed, or what else all sessions depend on. */
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
  readonly #clean: Clean = maskingRedactor().json;
  #looking: Promise<SeenSession> | undefined;
  #answers = new Map<string, unknown>();
  #version = 0;

  constructor(path: string, options: LoadOptions) {
    this.#growing = new GrowingSession(path, options);
  }

  /** Whoever asks while a file is read waits for the same reading. */
  async look(): Promise<CachedSession> {
    this.#looking ??= this.#growing.look().finally(() => {
      this.#looking = undefined;
    });
    return this.#describe(await this.#looking);
  }

  forgetAnswers(): void {
    this.#answers = new Map();
  }

  /** Not before the reading that is under way has ended. */
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

/** A session as it is now; the version changes with everything that is read. */
interface SeenSession {
  readonly session: LoadedSession;
  readonly version: number;
}

/** A second for whoever waits is no second for everybody else: a long file is read in pieces of this size. */
const PIECE_BYTES = 2 * 1024 * 1024;

/** Of all sessions together: one that was forgotten and is read again must not seem to be as it was. */
let versions = 0;

/** A session that is read once, and then only as far as it grew. */
class GrowingSession {
  #follower: Follower;
  #open: OpenSession = openSession();
  #seen: SeenSession | undefined;
  /** A last line without its newline was read, although it may go on: then everything is read again. */
  #hasTail = false;
  #isLive = false;

  constructor(
    readonly path: string,
    readonly options: LoadOptions,
  ) {
    this.#follower = follow(path);
  }

  async look(): Promise<SeenSession> {
    if (this.#hasTail && this.#hasGrown()) this.#restart();
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

  #take({ restarted, records, tail, isMore }: FollowResult): boolean {
    if (restarted) this.#open = openSession();
    for (const record of records) this.#open.push(record);
    const isNew = records.length > 0 || restarted !== undefined;
    if (isMore || !tail?.isReadable || this.#hasTail || !isResting(this.path)) return isNew;
    const { offset, line } = this.#follower.cursor;
    for (const record of readRecords(this.path, { abridge: true, offset, line })) this.#open.push(record);
    this.#hasTail = true;
    return true;
  }

  #view(): void {
    const file = { path: this.path, sizeBytes: this.#follower.cursor.size };
    const session = viewSession(file, this.#open, this.options);
    versions += 1;
    this.#seen = { session, version: versions };
    this.#isLive = this.#isLiveNow();
  }

  /** Time alone ends the last turn of a session that nobody goes on with. */
  #isLiveNow(): boolean {
    return this.#seen !== undefined && isLive(this.#seen.session.header.endedAt);
  }

  #hasGrown(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.size !== this.#follower.cursor.size;
  }

  #restart(): void {
    this.#follower.close();
    this.#follower = follow(this.path);
    this.#open = openSession();
    this.#hasTail = false;
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
  return new UserError("not-found", `the file is gone: ${path}`, "its client, or somebody else, removed or moved it");
}

/** The session along a rewound branch, or as it stands. */
export function branchOf(session: LoadedSession, leaf: string | undefined): LoadedSession {
  return leaf === undefined ? session : session.branch(leaf);
}
