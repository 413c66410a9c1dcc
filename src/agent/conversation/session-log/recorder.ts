import { randomUUID } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { type JsonObject, toWellFormed } from "../../../format/json.js";
import { type Appender, type AppenderOptions, openAppender, StalledError } from "../../../format/writer/append.js";
import { readGitBranch } from "../../workspace.js";
import type { LineBody } from "./lines.js";

/** The client version whose layout the lines follow. */
export const LAYOUT_VERSION = "2.1.325";

export type Durability = "always" | "turn" | "never";

export interface RecorderOptions {
  readonly path: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly cwd: () => string;
  /** Of turnlog itself. */
  readonly ownVersion: string;
  readonly agentId?: string | undefined;
  /** What the conversation goes on from, and when that was. */
  readonly leaf?: string | null;
  readonly lastTime?: number;
  readonly durability?: Durability;
  readonly onLine?: ((line: RecordedLine) => void) | undefined;
  /** Lines wait because the disk is full or fails. */
  readonly onStalled?: ((error: StalledError) => void) | undefined;
  readonly ops?: AppenderOptions["ops"];
}

/** A line of the conversation as it went into the file. */
export interface RecordedLine extends JsonObject {
  readonly type: LineBody["type"];
  readonly uuid: string;
  readonly timestamp: string;
}

/**
 * Appends one conversation to its file, each line hanging on the one before, in the order that every client version
 * reads. A line is in the file when the call returns. Nothing here throws for a full disk: lines wait, `isStalled` says
 * so, and every further line tries again.
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

  /** What the next line hangs on. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** How many lines of the conversation this recorder wrote. */
  get lines(): number {
    return this.#lines;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Somebody else wrote to the file; asked of the file itself, so that nothing is written between. */
  get isDisturbed(): boolean {
    const { end, state, foreignGrowths } = this.#appender.status;
    if (foreignGrowths > 0) return true;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size;
    return state === "open" && size !== undefined && size !== end;
  }

  time(): string {
    return this.#clock.next();
  }

  /** A line of the conversation, after the last one. */
  add(body: LineBody, uuid: string = randomUUID()): RecordedLine {
    const line = this.#toLine(body, this.#leaf, uuid);
    this.#leaf = uuid;
    this.#lines += 1;
    this.#write(line);
    this.#options.onLine?.(line);
    return line;
  }

  /** A line that nothing will hang on. */
  addAside(body: LineBody): void {
    this.#write(this.#toLine(body, this.#leaf, randomUUID()));
  }

  addSide(line: JsonObject): void {
    this.#write(line);
  }

  /** What follows hangs on an earlier line: what was written since becomes a dead branch. */
  returnTo(leaf: string | null): void {
    this.#leaf = leaf;
  }

  /** The conversation begins anew, after a compaction. */
  startAnew(): void {
    this.#leaf = null;
  }

  /** Makes what was written survive a power failure. */
  async sync(): Promise<void> {
    await this.#guard(() => this.#appender.sync());
  }

  /** A file without a line is no session: it does not stay. False while lines are still waiting for the disk. */
  async close(): Promise<boolean> {
    await this.#guard(() => this.#appender.close());
    if (this.#isNew && !this.#isStalled && this.#appender.status.end === 0) rmSync(this.path, { force: true });
    return !this.#isStalled;
  }

  #toLine(body: LineBody, parentUuid: string | null, uuid: string): RecordedLine {
    const { agentId, cwd, sessionId, slug, ownVersion } = this.#options;
    const at = cwd();
    return {
      parentUuid,
      isSidechain: agentId !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
      ...body,
      uuid,
      timestamp: this.#clock.next(),
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
    // What was cut to a length may end in half a character, which other readers take for damage.
    const whole = toWellFormed(line).value as JsonObject;
    void this.#guard(() => this.#appender.append(whole));
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

  /** The appender writes before its promise settles, so its state is known at once. */
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

/** Times that only grow: 2.1.45 and 2.0.50 drop an answer that has the time of its prompt. */
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

/** Progress must never make a session large (2.1 GB were reported of it): so often, so many, so much, and no more. */
export class ProgressBudget {
  readonly #lastAt = new Map<string, number>();
  #lines = 0;
  #bytes = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether a sign of life of this call may be written. */
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
