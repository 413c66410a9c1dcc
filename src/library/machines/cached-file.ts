import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../store/make-folder.js";
import { draftPathOf } from "../../store/temporary.js";

/** A file of the cache while its bytes arrive: it grows, or is replaced when all of the new one is there. */
export class CachedFile {
  readonly #file: number;
  /** Undefined where the file itself grows. */
  readonly #draft: string | undefined;
  #length: number;

  /** `length` is how much of the file is known; what a killed process added to it is removed. 0 replaces the file. */
  constructor(
    private readonly path: string,
    length: number,
  ) {
    makeFolder(dirname(path));
    this.#draft = length === 0 ? draftPathOf(path) : undefined;
    const flags = this.#draft ? constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL : constants.O_WRONLY;
    this.#file = openSync(this.#draft ?? path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
    this.#length = length;
    if (!this.#draft) ftruncateSync(this.#file, length);
  }

  add(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#length + done);
    this.#length += bytes.length;
  }

  /** On the disk, under its name, with the time that it has on its machine. */
  finish(mtimeMs: number): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
    const seconds = Math.min(Math.max(mtimeMs, 0), Date.now()) / 1000;
    utimesSync(this.#draft ?? this.path, seconds, seconds);
    if (this.#draft) renameSync(this.#draft, this.path);
  }

  abandon(): void {
    closeSync(this.#file);
    if (this.#draft) rmSync(this.#draft, { force: true });
  }
}

/** Whether all bytes that are known of a file are there. */
export function hasBytes(path: string, length: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size >= length;
}
