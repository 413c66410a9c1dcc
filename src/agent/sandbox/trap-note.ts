import { randomBytes } from "node:crypto";
import { type BigIntStats, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isFileError, readIfReadable } from "../../errors.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { isDeadTag, ownTag, TAG_PATTERN } from "../../store/process-identity.js";

export interface NotedTraps {
  readonly roots: readonly string[];
  /** What was there before the commands, with identities. */
  readonly found: readonly (readonly [path: string, identity: string])[];
  /** What tools of turnlog wrote meanwhile. */
  readonly accepted: readonly string[];
}

export interface LeftTraps extends NotedTraps {
  /** Whether it was created or renamed while the commands ran. */
  isFromThen(stats: BigIntStats): boolean;
}

/** File systems and clocks are that exact. */
const SLACK_MS = 2_000;

/**
 * Notes what was there before commands in the sandbox, for the case that this process is killed: they end with it, and the next start
 * puts aside what they created. The note is touched while they run, so that its time says until when they did.
 */
export class TrapNote {
  readonly #path: string;
  #since = Date.now();
  #withinMs = SLACK_MS;
  #noted: NotedTraps | undefined;

  constructor(dataDir: string) {
    this.#path = join(ensureDataDir(dataDir, "traps"), `${ownTag()}.${randomBytes(4).toString("hex")}.json`);
  }

  write(noted: NotedTraps): void {
    if (!this.#noted) this.#since = Date.now();
    this.#noted = noted;
    const text = JSON.stringify({ ...noted, since: this.#since, withinMs: this.#withinMs });
    ignoringFileErrors(() => atomicWrite(this.#path, text, { durable: false }));
  }

  /** Commands still run. */
  beat(): void {
    const now = new Date();
    ignoringFileErrors(() => utimesSync(this.#path, now, now));
  }

  /** The next beat will come within this time. */
  expectBeatWithin(ms: number): void {
    if (!this.#noted || ms <= this.#withinMs) return;
    this.#withinMs = ms;
    this.write(this.#noted);
  }

  /** No command runs any more. */
  remove(): void {
    this.#noted = undefined;
    ignoringFileErrors(() => rmSync(this.#path, { force: true }));
  }

  /** Of processes that died without removing theirs. */
  static forEachLeft(dataDir: string, use: (left: LeftTraps) => void): void {
    const folder = ensureDataDir(dataDir, "traps");
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const tag = TAG_PATTERN.exec(name)?.[0];
      const lastBeat = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (tag === undefined || lastBeat === undefined || !isDeadTag(tag, lastBeat)) continue;
      const left = toLeft(readIfReadable(path), lastBeat);
      if (left) use(left);
      rmSync(path, { force: true });
    }
  }
}

function toLeft(text: string | undefined, lastBeat: number): LeftTraps | undefined {
  try {
    const { since, withinMs, ...noted } = JSON.parse(text ?? "") as NotedTraps & { since: number; withinMs: number };
    const isThen = (ms: bigint) => Number(ms) >= since - SLACK_MS && Number(ms) <= lastBeat + withinMs + SLACK_MS;
    return { ...noted, isFromThen: ({ ctimeMs, birthtimeMs }) => isThen(ctimeMs) || isThen(birthtimeMs) };
  } catch {
    return undefined; // cut by a power failure
  }
}

/** Without a note commands run all the same. */
function ignoringFileErrors(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}
