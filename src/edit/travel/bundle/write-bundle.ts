import { createHash } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { readChunks } from "../../../format/reader/record-reader.js";
import { type Passphrase, seal } from "../../../store/sealed-file.js";
import { makeTemporaryFolder, removeTemporary } from "../../../store/temporary.js";
import type { BundledFile, BundledSession, Manifest } from "./manifest.js";
import type { PackedFile, PackedSession } from "./pack-session.js";
import { isTarPath, TAR_END, tarHeader, tarPadding } from "./tar.js";

interface SpooledFile {
  readonly path: string;
  readonly mtimeMs: number;
}

const FOLDERS: Readonly<Record<BundledFile["place"], string>> = {
  transcript: "",
  prompts: "",
  side: "side/",
  backup: "file-history/",
  tasks: "tasks/",
  todos: "todos/",
  plan: "plans/",
};

/**
 * The files of a bundle while it is made, in a private folder: sizes and hashes stand at its beginning, and a file that is redacted
 * has them only when it was read.
 */
export class BundleSpool {
  readonly #folder = makeTemporaryFolder("bundle");
  readonly #files = new Map<string, SpooledFile>();

  add(id: string, { files }: PackedSession): BundledFile[] {
    return files.map((file) => this.#addFile(id, file));
  }

  /** All pieces of the bundle, encrypted with a passphrase. */
  pieces(manifest: Manifest, passphrase: Passphrase | undefined): AsyncIterable<Uint8Array> {
    const packed = createGzip();
    pipeline(Readable.from(this.#tar(manifest), { objectMode: false }), packed, () => {}); // whoever reads it hears of errors
    return passphrase ? seal(packed, passphrase) : packed;
  }

  close(): void {
    removeTemporary(this.#folder);
  }

  #addFile(id: string, { place, name, mtimeMs, content }: PackedFile): BundledFile {
    const path = this.#pathFor(id, place, name);
    const spooled = join(this.#folder, String(this.#files.size));
    const hash = createHash("sha256");
    let size = 0;
    const file = openSync(spooled, "wx", 0o600);
    try {
      for (const piece of content()) {
        hash.update(piece);
        size += piece.length;
        for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
      }
    } finally {
      closeSync(file);
    }
    this.#files.set(path, { path: spooled, mtimeMs });
    return { path, place, name, size, sha256: hash.digest("hex") };
  }

  /** A readable name; a number where the name has letters that tar has no place for, or is too long. */
  #pathFor(id: string, place: BundledFile["place"], name: string): string {
    const path = `sessions/${id}/${FOLDERS[place]}${name}`;
    return isTarPath(path) ? path : `sessions/${id}/named-in-manifest/${this.#files.size}`;
  }

  *#tar(manifest: Manifest): Generator<Uint8Array> {
    const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    yield tarHeader({ path: "manifest.json", size: text.length }, Date.parse(manifest.createdAt));
    yield text;
    yield tarPadding(text.length);
    for (const file of manifest.sessions.flatMap(({ files }: BundledSession) => files)) {
      const spooled = this.#files.get(file.path);
      if (!spooled) continue;
      yield tarHeader(file, spooled.mtimeMs);
      for (const chunk of readChunks(spooled.path)) yield Buffer.from(chunk); // its buffer is used again
      yield tarPadding(file.size);
      rmSync(spooled.path);
    }
    yield TAR_END;
  }
}
