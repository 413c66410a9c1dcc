import { randomUUID } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { type JsonObject, toWellFormed } from "../../../format/json.js";
import { type Appender, type AppenderOptions, openAppender, StalledError } from "../../../format/writer/append.js";
import { readGitBranch } from "../../workspace.js";
import { AnswerDraft } from "./answer-draft.js";
import type { LineBody } from "./lines.js";

/** The Claude Code version whose record format is written. */
export const LAYOUT_VERSION = "2.1.326";

export type Durability = "always" | "turn" | "never";

export interface RecorderOptions {
  readonly path: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly cwd: () => string;
  /** Version of turnlog. */
  readonly ownVersion: string;
  readonly agentId?: string | undefined;
  /** The record to continue from, and its time. */
  readonly leaf?: string | null;
  readonly lastTime?: number;
  readonly durability?: Durability;
  /** Where answers are kept until they are complete; default: nowhere. */
  readonly dataDir?: string;
  /** Called when lines cannot be written because the disk is full or fails. */
  readonly onStalled?: ((error: StalledError) => void) | undefined;
  /** Called when a line was not and will not be written, for example because the session was closed before. */
  readonly onLost?: ((error: Error) => void) | undefined;
  readonly ops?: AppenderOptions["ops"];
}

/** A record as it was written. */
export interface RecordedLine extends JsonObject {
  readonly type: LineBody["type"];
  readonly uuid: string;
  readonly timestamp: string;
}

interface LinePlace {
  readonly parentUuid: string | null;
  readonly uuid: string;
  readonly time: string;
}

/** Records that are not in the file yet. */
export interface OpenDraft {
  add(body: LineBody, place: Omit<LinePlace, "parentUuid">): void;
  drop(): void;
}

/**
 * Appends one conversation to its file, each record a child of the one before, in the order that every Claude Code version
 * reads. A record is in the file when the call returns. A full disk does not throw: records wait in memory, `isStalled` is
 * true, and every further record retries.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #appender: Appender;
  readonly #clock: Clock;
  readonly #isNew: boolean;
  #leaf: string | null;
  #lines = 0;
  #isStalled = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#leaf = options.leaf ?? null;
    this.#clock = new Clock(options.lastTime);
    this.#isNew = !existsSync(options.path);
    this.#appender = openAppender(options.path, {
      durability: toAppenderDurability(options.durability),
      ...(options.ops === undefined ? {} : { ops: options.ops }),
    });
  }

  get path(): string {
    return this.#options.path;
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  /** The parent of the next record. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** Number of conversation records written by this recorder. */
  get lines(): number {
    return this.#lines;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Another program wrote to the file. Checked on the file itself. */
  get isDisturbed(): boolean {
    const { end, state, foreignGrowths } = this.#appender.status;
    if (foreignGrowths > 0) return true;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size;
    return state === "open" && size !== undefined && size !== end;
  }

  time(): string {
    return this.#clock.next();
  }

  /** Adds a record after the last one. */
  add(body: LineBody, uuid: string = randomUUID(), time = this.time()): RecordedLine {
    const line = this.#toLine(body, { parentUuid: this.#leaf, uuid, time });
    this.#leaf = uuid;
    this.#lines += 1;
    this.#write(line);
    return line;
  }

  /** Adds a record that never becomes a parent. */
  addAside(body: LineBody): void {
    this.#write(this.#toLine(body, { parentUuid: this.#leaf, uuid: randomUUID(), time: this.time() }));
  }

  /** For records that will follow the last one. */
  openDraft(): OpenDraft {
    const { dataDir, path } = this.#options;
    const draft = dataDir === undefined ? undefined : new AnswerDraft(dataDir, { path, parentUuid: this.#leaf });
    let parentUuid = this.#leaf;
    return {
      add: (body, { uuid, time }) => {
        draft?.add(toWellFormed(this.#toLine(body, { parentUuid, uuid, time })).value as JsonObject);
        parentUuid = uuid;
      },
      drop: () => draft?.drop(),
    };
  }

  addSide(line: JsonObject): void {
    this.#write(line);
  }

  /** Continues from an earlier record: what was written since becomes a dead branch. */
  returnTo(leaf: string | null): void {
    this.#leaf = leaf;
  }

  /** Flushes what was written to disk. */
  async sync(): Promise<void> {
    await this.#guard(() => this.#appender.sync());
  }

  /** An empty file is removed. Returns false if lines could not be written. */
  async close(): Promise<boolean> {
    await this.#guard(() => this.#appender.close());
    if (this.#isNew && !this.#isStalled && this.#appender.status.end === 0) rmSync(this.path, { force: true });
    return !this.#isStalled;
  }

  #toLine(body: LineBody, { parentUuid, uuid, time }: LinePlace): RecordedLine {
    const { agentId, cwd, sessionId, slug, ownVersion } = this.#options;
    const at = cwd();
    return {
      parentUuid,
      isSidechain: agentId !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
      ...body,
      uuid,
      timestamp: time,
      userType: "external",
      entrypoint: "turnlog",
      cwd: at,
      sessionId,
      version: LAYOUT_VERSION,
      gitBranch: readGitBranch(at),
      slug,
      recordedBy: { name: "turnlog", version: ownVersion },
    };
  }

  #write(line: JsonObject): void {
    // Truncated text may end in half a surrogate pair, which other readers treat as damage.
    const whole = toWellFormed(line).value as JsonObject;
    // Nobody awaits it, and a rejection would end the process.
    this.#guard(() => this.#appender.append(whole)).catch((error: Error) => this.#options.onLost?.(error));
  }

  async #guard(action: () => Promise<unknown>): Promise<void> {
    try {
      const done = action();
      this.#noteState();
      await done;
    } catch (error) {
      if (!(error instanceof StalledError)) throw error;
    } finally {
      this.#noteState();
    }
  }

  /** The appender writes synchronously, before its promise settles. */
  #noteState(): void {
    const { state, error } = this.#appender.status;
    const isStalled = state === "stalled";
    if (isStalled && !this.#isStalled && error) this.#options.onStalled?.(error);
    this.#isStalled = isStalled;
  }
}

function toAppenderDurability(durability: Durability = "turn"): NonNullable<AppenderOptions["durability"]> {
  return durability === "turn" ? "marked" : durability;
}

/** Strictly increasing times: Claude Code 2.1.45 and 2.0.50 drop an answer with the time of its prompt. */
export class Clock {
  #last: number;

  constructor(
    lastTime = 0,
    private readonly now: () => number = Date.now,
  ) {
    this.#last = lastTime;
  }

  next(): string {
    this.#last = Math.max(this.now(), this.#last + 1);
    return new Date(this.#last).toISOString();
  }
}

const MIN_INTERVAL_MS = 1_000;
const MAX_LINES = 500;
const MAX_BYTES = 2 * 1024 * 1024;

/** Limits rate, number and size of progress records: sessions of 2.1 GB of them were reported. */
export class ProgressBudget {
  readonly #lastAt = new Map<string, number>();
  #lines = 0;
  #bytes = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether a progress record of this call may be written. */
  takes(callId: string, data: unknown): boolean {
    const now = this.now();
    const size = JSON.stringify(data).length;
    const isTooSoon = now - (this.#lastAt.get(callId) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS;
    if (isTooSoon || this.#lines >= MAX_LINES || this.#bytes + size > MAX_BYTES) return false;
    this.#lastAt.set(callId, now);
    this.#lines += 1;
    this.#bytes += size;
    return true;
  }
}
