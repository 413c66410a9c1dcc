import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHUNK_BYTES = 1 << 20;

/** Text that is written before it is known where it will stand; on disk, as it may be larger than the memory. */
export class HtmlSpool {
  readonly #folder = mkdtempSync(join(tmpdir(), "turnlog-html-"));
  readonly #file = openSync(join(this.#folder, "spool"), "wx+", 0o600);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#size += bytes.length;
  }

  *read(start: number, end: number): Generator<Uint8Array> {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const length = readSync(this.#file, chunk, 0, chunk.length, at);
      if (length === 0) throw new Error("the spool is shorter than what was written");
      yield chunk.subarray(0, length);
      at += length;
    }
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
