import { isFileError, UserError } from "../../errors.js";
import { AppendTarget, type ByteRange, type FileChange, type FileOps, fileOps } from "./append-target.js";

/** Queued lines are joined up to this size into one write(); a longer line is written alone. */
const MAX_JOINED_BYTES = 1024 * 1024;

type Replacement = Extract<FileChange, { kind: "replaced" }>["reason"];

export interface AppenderOptions {
  /** When to fdatasync: after `always` every line, at `marked` places (each `sync()`), or `never`. Default `marked`. */
  readonly durability?: "always" | "marked" | "never" | undefined;
  /** Another writer added these bytes. Called before the append that noticed it resolves; our line follows them. */
  readonly onForeignGrowth?: ((range: ByteRange) => void) | undefined;
  /** The file was deleted, replaced or truncated; appending continues with the file that is at the path now. */
  readonly onReplaced?: ((reason: Replacement) => void) | undefined;
  readonly ops?: FileOps | undefined;
}

/** `length` is in bytes, without the newline. */
export interface AppendedLine {
  readonly offset: number;
  readonly length: number;
}

export interface AppenderStatus extends ForeignChanges {
  readonly state: "open" | "stalled" | "closed";
  readonly error: StalledError | null;
  readonly queuedLines: number;
  /** The size of the file as last seen. */
  readonly end: number;
}

/** What others did to the file since it was opened. */
export interface ForeignChanges {
  readonly foreignGrowths: number;
  readonly lastForeignGrowth: ByteRange | null;
  readonly replacements: number;
  readonly lastReplacement: Replacement | null;
}

export interface Appender {
  /**
   * Takes an object, or the JSON text of a line. The line is in the file when this call returns, not only when its
   * promise resolves. Rejects with `StalledError` when it had to be kept instead.
   */
  append(record: object | string): Promise<AppendedLine>;
  /** Writes what a stall kept. */
  flush(): Promise<void>;
  /** Resolves when everything appended so far would survive a power failure, unless durability is `never`. */
  sync(): Promise<void>;
  /** Flushes first; while that fails the appender stays open, so that no line is dropped. */
  close(): Promise<void>;
  readonly status: AppenderStatus;
}

/**
 * Opens a session file for whole lines at its end; creates it (0600) with its folder when it is missing. The file is
 * never cut or rewritten. Every line goes out in one write() with its newline, so that lines of several writers do not
 * mix (three processes, 900 of 900 lines valid). One appender per file and process.
 */
export function openAppender(path: string, options: AppenderOptions = {}): Appender {
  try {
    return new QueueingAppender(path, options);
  } catch (error) {
    if (!isFileError(error)) throw error;
    const hint = "Check that the folder exists, belongs to you and has space left.";
    throw new UserError("unreadable", `cannot open ${path} for appending: ${error.message}`, hint, { cause: error });
  }
}

interface QueuedLine {
  readonly bytes: Buffer;
  /** Known as soon as its first byte is written. */
  offset: number;
}

class QueueingAppender implements Appender {
  readonly #path: string;
  readonly #options: AppenderOptions;
  readonly #target: AppendTarget;
  readonly #queue: QueuedLine[] = [];
  /** How many bytes of the first queued line are in the file already. */
  #partial = 0;
  #writeError: StalledError | null = null;
  #syncError: StalledError | null = null;
  #isClosed = false;
  #changes: ForeignChanges = { foreignGrowths: 0, lastForeignGrowth: null, replacements: 0, lastReplacement: null };

  constructor(path: string, options: AppenderOptions) {
    this.#path = path;
    this.#options = options;
    this.#target = new AppendTarget(path, options.ops ?? fileOps, (change) => this.#note(change));
  }

  get status(): AppenderStatus {
    const error = this.#writeError ?? this.#syncError;
    return {
      state: this.#isClosed ? "closed" : error ? "stalled" : "open",
      error,
      queuedLines: this.#queue.length,
      end: this.#target.end,
      ...this.#changes,
    };
  }

  async append(record: object | string): Promise<AppendedLine> {
    this.#refuseWhenClosed();
    const line: QueuedLine = { bytes: encodeLine(record), offset: 0 };
    this.#queue.push(line);
    this.#writeQueue();
    if (this.#options.durability === "always") await this.#makeDurable();
    return { offset: line.offset, length: line.bytes.length - 1 };
  }

  async flush(): Promise<void> {
    this.#writeQueue();
    if (this.#syncError || this.#options.durability === "always") await this.#makeDurable();
  }

  async sync(): Promise<void> {
    this.#refuseWhenClosed();
    this.#writeQueue();
    if (this.#options.durability !== "never") await this.#makeDurable();
  }

  async close(): Promise<void> {
    await this.flush();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#target.close();
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new Error(`the appender of ${this.#path} is closed`);
  }

  #writeQueue(): void {
    try {
      while (this.#queue.length > 0) {
        this.#reconcile();
        if (this.#queue.length > 0) this.#writeOnce();
        this.#writeError = null;
      }
    } catch (error) {
      this.#writeError = this.#toStalled(error);
      throw this.#writeError;
    }
  }

  /** What happened to the file since the last write decides how the first queued line continues. */
  #reconcile(): void {
    const change = this.#target.catchUp({ reopen: this.#writeError !== null });
    if (change === "replaced") this.#partial = 0;
    if (change === "foreign-growth") this.#giveUpPartialLine();
  }

  #writeOnce(): void {
    const isMidLine = this.#partial > 0;
    const needsNewline = !isMidLine && !this.#target.isAtLineStart;
    const lines = isMidLine ? this.#queue.slice(0, 1) : this.#linesToJoin();
    const text = Buffer.concat(lines.map(({ bytes }) => bytes)).subarray(this.#partial);
    const bytes = needsNewline ? Buffer.concat([Buffer.from("\n"), text]) : text;
    const placed = this.#target.write(bytes);
    const isTornApart = isMidLine && !placed.isJoined;
    if (!isTornApart) this.#count(placed.offset, placed.written, Number(needsNewline));
    if (isTornApart || !placed.isLast) this.#giveUpPartialLine();
  }

  #linesToJoin(): QueuedLine[] {
    let total = 0;
    const end = this.#queue.findIndex(({ bytes }, index) => {
      total += bytes.length;
      return index > 0 && total > MAX_JOINED_BYTES;
    });
    return this.#queue.slice(0, end < 0 ? undefined : end);
  }

  /** Removes the lines that are written from the queue; a short write ends inside one. */
  #count(offset: number, written: number, newlineBefore: number): void {
    let at = offset + newlineBefore - this.#partial;
    let out = written - newlineBefore + this.#partial;
    for (let line = this.#queue[0]; line && out > 0; line = this.#queue[0]) {
      line.offset = at;
      if (out < line.bytes.length) break;
      out -= line.bytes.length;
      at += line.bytes.length;
      this.#queue.shift();
    }
    this.#partial = out;
  }

  /**
   * Another writer appended to a line of ours that is only partly written, so its rest cannot be added: it is written again as a
   * whole and the fragment stays as a broken line. When only the newline was missing, the line is there and counts.
   */
  #giveUpPartialLine(): void {
    const first = this.#queue[0];
    if (first && this.#partial === first.bytes.length - 1) this.#queue.shift();
    this.#partial = 0;
  }

  async #makeDurable(): Promise<void> {
    try {
      await this.#target.makeDurable();
      this.#syncError = null;
    } catch (error) {
      this.#syncError = this.#toStalled(error);
      throw this.#syncError;
    }
  }

  #toStalled(error: unknown): StalledError {
    if (!isFileError(error)) throw error;
    return new StalledError(this.#path, this.#queue.length, error);
  }

  /** Callbacks run after the write that noticed the change, so they may append themselves. */
  #note(change: FileChange): void {
    if (change.kind === "replaced") {
      const { reason } = change;
      this.#changes = { ...this.#changes, replacements: this.#changes.replacements + 1, lastReplacement: reason };
      queueMicrotask(() => this.#options.onReplaced?.(reason));
    } else {
      const { range } = change;
      this.#changes = { ...this.#changes, foreignGrowths: this.#changes.foreignGrowths + 1, lastForeignGrowth: range };
      queueMicrotask(() => this.#options.onForeignGrowth?.(range));
    }
  }
}

/**
 * The bytes of one line with its newline. Text is taken as it is, so that a line can be copied; a lone surrogate has no
 * UTF-8 form and is written as its JSON escape, which means the same.
 */
export function encodeLine(record: object | string): Buffer {
  const text = typeof record === "string" ? record.replace(/\p{Surrogate}/gu, toEscape) : JSON.stringify(record);
  if (text === undefined) throw new TypeError("a record that has no JSON form cannot be appended");
  if (text === "") throw new TypeError("an empty line cannot be appended");
  if (text.includes("\n")) throw new TypeError("a line with a newline in it cannot be appended");
  return Buffer.from(`${text}\n`);
}

function toEscape(surrogate: string): string {
  return `\\u${surrogate.charCodeAt(0).toString(16)}`;
}

/**
 * The file takes no more bytes for now: the disk is full, or failing. The lines are kept in order and written by the
 * next append or flush that succeeds, so the caller must not append them again.
 */
export class StalledError extends Error {
  override readonly name = "StalledError";
  /** The system's code, such as ENOSPC or EIO. */
  readonly code: string | undefined;

  constructor(
    readonly path: string,
    readonly queuedLines: number,
    override readonly cause: NodeJS.ErrnoException,
  ) {
    super(`cannot write to ${path}: ${cause.message}`, { cause });
    this.code = cause.code;
  }
}
