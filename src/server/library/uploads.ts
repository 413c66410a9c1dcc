import { randomUUID } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isEncryptedBundle, type OpenBundle, openBundle } from "../../edit/travel/bundle/open-bundle.js";
import { UserError } from "../../errors.js";
import { Passphrase } from "../../store/sealed-file.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";

const MAX_BYTES = 1024 ** 3;
const MAX_KEPT = 4;

interface Upload {
  readonly folder: string;
  readonly path: string;
  readonly isEncrypted: boolean;
  bundle?: OpenBundle;
}

/** Bundles that the web UI sent, each in a private folder until it is imported or given up. */
export class Uploads {
  readonly #kept = new Map<string, Upload>();

  /** Refuses what cannot be a bundle. */
  async add(body: AsyncIterable<Uint8Array>): Promise<{ readonly name: string; readonly isEncrypted: boolean }> {
    const folder = makeTemporaryFolder("upload");
    const path = join(folder, "bundle");
    try {
      await write(path, body);
      const isEncrypted = isEncryptedBundle(path);
      const name = randomUUID();
      this.#kept.set(name, { folder, path, isEncrypted });
      for (const oldest of [...this.#kept.keys()].slice(0, -MAX_KEPT)) this.remove(oldest);
      return { name, isEncrypted };
    } catch (error) {
      removeTemporary(folder);
      throw error instanceof UserError ? toUpload(error, path) : error;
    }
  }

  /** Unpacked once. Undefined: it is encrypted, and there is no passphrase yet. */
  async open(name: string, passphrase: string | undefined): Promise<OpenBundle | undefined> {
    const upload = this.#find(name);
    if (upload.bundle) return upload.bundle;
    if (upload.isEncrypted && passphrase === undefined) return undefined;
    try {
      const bundle = await openBundle(upload.path, passphrase === undefined ? undefined : new Passphrase(passphrase));
      if (upload.bundle || this.#kept.get(name) !== upload) bundle.close();
      else upload.bundle = bundle;
      return this.#find(name).bundle;
    } catch (error) {
      throw error instanceof UserError ? toUpload(error, upload.path) : error;
    }
  }

  remove(name: string): void {
    const upload = this.#kept.get(name);
    if (!upload) return;
    this.#kept.delete(name);
    upload.bundle?.close();
    removeTemporary(upload.folder);
  }

  close(): void {
    for (const name of [...this.#kept.keys()]) this.remove(name);
  }

  #find(name: string): Upload {
    const upload = this.#kept.get(name);
    if (upload) return upload;
    throw new UserError("not-found", "the file is no longer here", "choose it again");
  }
}

async function write(path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const file = openSync(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > MAX_BYTES)
        throw new UserError("usage", "the file is larger than 1 GiB", "import it with `turnlog import`");
      for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
    }
  } finally {
    closeSync(file);
  }
}

/** The name of our own file says nothing to who sent it. */
function toUpload(error: UserError, path: string): UserError {
  return new UserError(error.code, error.message.replace(path, "the file"), error.hint, { cause: error });
}
