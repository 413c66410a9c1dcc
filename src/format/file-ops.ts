import { closeSync, fdatasync, fstatSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

export interface FileState {
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
