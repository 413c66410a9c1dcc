import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHUNK_BYTES = 1 << 18;

/** Text that is written before it is known where it will stand; on disk, as it may be larger than the memory. */
export class HtmlSpool {
  readonly #folder = mkdtempSync(join(tmpdir(), "turnlog-html-"));
  readonly #file = openSync(join(this.#folder, "spool"), "wx+", 0o600);
  /** One for all that is written: a buffer each would be garbage faster than it is collected. */
  readonly #encoded = new Uint8Array(CHUNK_BYTES);
  readonly #encoder = new TextEncoder();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  write(text: string): void {
    for (let rest = text; rest !== ""; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#encoded);
      for (let done = 0; done < written; ) done += writeSync(this.#file, this.#encoded, done, written - done);
      this.#size += written;
      rest = rest.slice(read);
    }
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
