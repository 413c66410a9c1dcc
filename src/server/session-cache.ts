import { maskingRedactor } from "../app/redaction.js";
import { sessionPaths } from "../format/layout.js";
import type { LoadedSession, LoadOptions } from "../library/load-session.js";
import type { Clean } from "../redact/clean.js";
import { GrowingSession, type SeenSession } from "./growing-session.js";

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
