import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../errors.js";
import { type Follower, type FollowResult, openFollower } from "../format/follow-file.js";
import { readRecords } from "../format/record-reader.js";
import { LIVE_WINDOW_MS, type LoadedSession, type LoadOptions, viewSession } from "../library/load-session.js";
import { type OpenSession, openSession } from "../session/open-session.js";

/** A session as it is now; the version changes with everything that is read. */
export interface SeenSession {
  readonly session: LoadedSession;
  readonly version: number;
}

/** A second for whoever waits is no second for everybody else: a long file is read in pieces of this size. */
const PIECE_BYTES = 2 * 1024 * 1024;

/** Of all sessions together: one that was forgotten and is read again must not seem to be as it was. */
let versions = 0;

/** A session that is read once, and then only as far as it grew. */
export class GrowingSession {
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
