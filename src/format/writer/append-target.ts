import { closeSync, fdatasync, fstatSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { isFileError } from "../../errors.js";

const NEWLINE = 0x0a;

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What another writer did to the file since our last write. */
export type FileChange =
  | { readonly kind: "replaced"; readonly reason: "missing" | "other-file" | "shrunk" }
  | { readonly kind: "foreign-growth"; readonly range: ByteRange };

/** Where the bytes of one write() went. */
export interface Placement {
  readonly offset: number;
  readonly written: number;
  /** They directly follow what was the end of the file. */
  readonly isJoined: boolean;
  /** Nothing follows them. */
  readonly isLast: boolean;
}

/** A file that is only appended to, by us and perhaps by others, with what is known about its end. */
export class AppendTarget {
  #file: number;
  #inode: number;
  #end = 0;
  #isAtLineStart = true;
  /** Bytes written by us, and how many of them a completed fdatasync covers. */
  #written = 0;
  #durable = 0;
  #syncing: Promise<void> | null = null;

  constructor(
    private readonly path: string,
    private readonly ops: FileOps,
    private readonly report: (change: FileChange) => void,
  ) {
    this.#file = ops.open(path);
    const state = ops.fstat(this.#file);
    this.#inode = state.inode;
    this.#adopt(state);
  }

  /** The size of the file as far as we know. */
  get end(): number {
    return this.#end;
  }

  /**
   * False when the last line lacks its newline, or seems to: a size seen in the midst of another's write() ends within
   * a line (measured on ext4). The newline that we add then makes an empty line, which every reader skips.
   */
  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  /**
   * Compares the file at the path with what we left. Anything new is reported and becomes what we know. `reopen` asks
   * for a new descriptor: after an I/O error the old one may stay broken.
   */
  catchUp({ reopen }: { readonly reopen: boolean }): FileChange["kind"] | "unchanged" {
    const found = this.ops.stat(this.path);
    const state = found?.inode === this.#inode && !reopen ? found : this.#openAgain();
    const change = this.#changeTo(state, found);
    if (change === null) return "unchanged";
    this.#adopt(state);
    this.report(change);
    return change.kind;
  }

  /** One write(). Its bytes count as written whatever fails afterwards, so that they are never written twice. */
  write(bytes: Buffer): Placement {
    const written = this.ops.write(this.#file, bytes);
    if (written === 0) throw Object.assign(new Error("EIO: nothing was written"), { code: "EIO", syscall: "write" });
    const own = bytes.subarray(0, written);
    const expected = this.#end;
    this.#written += written;
    this.#setEnd(expected + written, own.at(-1));
    try {
      return this.#lookUp(own, expected);
    } catch (error) {
      if (!isFileError(error)) throw error;
      return { offset: expected, written, isJoined: true, isLast: true };
    }
  }

  /** Returns when what was written before the call survives a power failure. One fdatasync at a time serves all callers. */
  async makeDurable(): Promise<void> {
    const wanted = this.#written;
    while (this.#durable < wanted) {
      this.#syncing ??= this.#sync();
      await this.#syncing;
    }
  }

  close(): void {
    this.#closeWhenSynced(this.#file);
  }

  #openAgain(): FileState {
    const old = this.#file;
    this.#file = this.ops.open(this.path);
    this.#closeWhenSynced(old);
    return this.ops.fstat(this.#file);
  }

  #changeTo(state: FileState, found: FileState | null): FileChange | null {
    if (state.inode !== this.#inode) return { kind: "replaced", reason: found ? "other-file" : "missing" };
    if (state.size < this.#end) return { kind: "replaced", reason: "shrunk" };
    if (state.size === this.#end) return null;
    return { kind: "foreign-growth", range: { start: this.#end, end: state.size } };
  }

  #adopt({ inode, size }: FileState): void {
    const lastByte = size === 0 ? NEWLINE : this.ops.read(this.#file, size - 1, 1).at(0);
    this.#inode = inode;
    this.#setEnd(size, lastByte);
  }

  #setEnd(end: number, lastByte: number | undefined): void {
    this.#end = end;
    this.#isAtLineStart = lastByte === NEWLINE;
  }

  /** Others may write at the same moment, so the place is searched when the size is not as expected. */
  #lookUp(own: Buffer, expected: number): Placement {
    const written = own.length;
    const state = this.ops.fstat(this.#file);
    const { size } = state;
    const grown = Math.max(0, size - expected);
    const found = grown === written ? 0 : this.ops.read(this.#file, expected, grown).indexOf(own);
    const offset = expected + Math.max(0, found);
    const isLast = size <= offset + written;
    if (isLast) this.#setEnd(offset + written, own.at(-1));
    else this.#adopt(state);
    this.#reportGrowth(expected, offset);
    this.#reportGrowth(offset + written, size);
    return { offset, written, isJoined: offset === expected, isLast };
  }

  #reportGrowth(start: number, end: number): void {
    if (start < end) this.report({ kind: "foreign-growth", range: { start, end } });
  }

  async #sync(): Promise<void> {
    const covers = this.#written;
    try {
      await this.ops.datasync(this.#file);
      this.#durable = covers;
    } finally {
      this.#syncing = null;
    }
  }

  /** A descriptor must not be closed, and its number reused, under a running fdatasync. */
  #closeWhenSynced(file: number): void {
    const close = () => this.#close(file);
    if (this.#syncing) this.#syncing.then(close, close);
    else close();
  }

  #close(file: number): void {
    try {
      this.ops.close(file);
    } catch (error) {
      // What a failing close means for the data, fdatasync has said already.
      if (!isFileError(error)) throw error;
    }
  }
}

interface FileState {
  readonly inode: number;
  readonly size: number;
}

/** The system calls that the appender makes. Each may fail as the system does; a write may be short. */
export interface FileOps {
  /** Opens for appending and reading; creates file and folder when they are missing. */
  open(path: string): number;
  /** Null when nothing is there. */
  stat(path: string): FileState | null;
  fstat(file: number): FileState;
  /** One write() at the end of the file; says how many bytes it took. */
  write(file: number, bytes: Uint8Array): number;
  read(file: number, offset: number, length: number): Buffer;
  datasync(file: number): Promise<void>;
  close(file: number): void;
}

/** Synchronous but for datasync: a line is in the file when the call returns, and survives the end of the process. */
export const fileOps: FileOps = {
  open(path) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "a+", 0o600);
  },
  stat(path) {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? { inode: stats.ino, size: stats.size } : null;
  },
  fstat(file) {
    const { ino, size } = fstatSync(file);
    return { inode: ino, size };
  },
  write: (file, bytes) => writeSync(file, bytes),
  read(file, offset, length) {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  },
  datasync: promisify(fdatasync),
  close: closeSync,
};
