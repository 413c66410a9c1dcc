import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync, type Stats, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { errorCode, UserError, unreadableFile } from "../../../errors.js";
import { isSealed, type Passphrase, unseal } from "../../../store/sealed-file.js";
import { makeTemporaryFolder, removeTemporary } from "../../../store/temporary.js";
import { type BundledFile, MAX_MANIFEST_BYTES, type Manifest, parseManifest, refused } from "./manifest.js";
import { type TarEntry, TarReader } from "./tar.js";

/** A bundle of which every byte was checked. Its files lie in a private folder until it is closed. */
export interface OpenBundle {
  readonly manifest: Manifest;
  readonly isEncrypted: boolean;
  pathOf(file: BundledFile): string;
  close(): void;
}

/** Sessions are text: more than this of what was packed is a bomb, where it would fill a disk. */
const HIGHEST_RATIO = 300;
const SMALL_BYTES = 64 * 1024 * 1024;

/** Whether a file is an encrypted bundle; throws where it cannot be one at all. */
export function isEncryptedBundle(path: string): boolean {
  const stats = statBundle(path);
  const start = Buffer.alloc(Math.min(16, stats.size));
  const file = openSync(path, "r");
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  if (isSealed(start)) return true;
  if (start[0] === 0x1f && start[1] === 0x8b) return false;
  throw new UserError("unreadable", `${path} is no bundle`, "`turnlog bundle` makes them");
}

/** Unpacks into a private folder and checks everything that can be known without a place for it. Only what passes is returned. */
export async function openBundle(path: string, passphrase: Passphrase | undefined): Promise<OpenBundle> {
  const isEncrypted = isEncryptedBundle(path);
  if (isEncrypted && !passphrase)
    throw new UserError("locked", `${path} is encrypted`, "name a file with the passphrase: --passphrase-file");
  const folder = makeTemporaryFolder("import");
  try {
    const packed = isEncrypted && passphrase ? await decrypt(path, join(folder, "bundle"), passphrase) : path;
    const files = new Map<string, string>();
    const manifest = await unpack(packed, folder, files);
    const pathOf = (file: BundledFile) => files.get(file.path) ?? join(folder, "none");
    return { manifest, isEncrypted, pathOf, close: () => removeTemporary(folder) };
  } catch (error) {
    removeTemporary(folder);
    throw toUserError(error);
  }
}

function statBundle(path: string): Stats {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadableFile(path, error);
  }
  if (!stats) throw new UserError("not-found", `no such file: ${path}`, "check the name of the bundle");
  if (!stats.isFile()) throw new UserError("unreadable", `${path} is no file`, "name a bundle");
  return stats;
}

async function decrypt(path: string, to: string, passphrase: Passphrase): Promise<string> {
  await writePieces(to, unseal(createReadStream(path), passphrase));
  return to;
}

async function unpack(packed: string, folder: string, files: Map<string, string>): Promise<Manifest> {
  const { size } = statSync(packed);
  const gunzip = createGunzip();
  const source = createReadStream(packed);
  source.on("error", (error) => gunzip.destroy(error));
  const tar = new TarReader(source.pipe(gunzip));
  try {
    const manifest = await readManifest(tar);
    refuseBomb(manifest, size, folder);
    for (const file of manifest.sessions.flatMap((session) => session.files)) {
      const to = join(folder, String(files.size));
      await unpackFile(tar, file, to);
      files.set(file.path, to);
    }
    if (await tar.next()) throw refused("it has a file that its manifest does not name");
    if (gunzip.bytesWritten !== size) throw refused("there is something after its end");
    return manifest;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function readManifest(tar: TarReader): Promise<Manifest> {
  const entry = await tar.next();
  if (entry?.path !== "manifest.json") throw refused("it has no manifest");
  if (entry.size > MAX_MANIFEST_BYTES) throw refused("its manifest is too large");
  const pieces: Buffer[] = [];
  for await (const piece of tar.content(entry)) pieces.push(piece);
  return parseManifest(Buffer.concat(pieces).toString("utf8"));
}

function refuseBomb({ sessions }: Manifest, packedBytes: number, folder: string): void {
  const bytes = sessions.reduce((sum, { files }) => files.reduce((inner, { size }) => inner + size, sum), 0);
  if (bytes > SMALL_BYTES && bytes > packedBytes * HIGHEST_RATIO)
    throw refused(`it would unpack to ${bytes} bytes, ${Math.round(bytes / packedBytes)} times its size`);
  const { bavail, bsize } = statfsSync(folder);
  if (bytes > bavail * bsize) throw refused(`it would unpack to ${bytes} bytes, more than the disk has room for`);
}

async function unpackFile(tar: TarReader, file: BundledFile, to: string): Promise<void> {
  const entry = await tar.next();
  if (!entry) throw refused("a file is missing that its manifest names");
  if (entry.path !== file.path) throw refused("its files are not those that its manifest names");
  if (entry.size !== file.size) throw refused(`${file.path} has another size than its manifest says`);
  const hash = createHash("sha256");
  await writePieces(to, hashed(tar, entry, hash));
  if (hash.digest("hex") !== file.sha256) throw refused(`${file.path} is not what its manifest says`);
}

async function writePieces(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const file = openSync(path, "wx", 0o600);
  try {
    for await (const piece of pieces) for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
  } finally {
    closeSync(file);
  }
}

async function* hashed(tar: TarReader, entry: TarEntry, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of tar.content(entry)) {
    hash.update(piece);
    yield piece;
  }
}

/** What zlib says of damaged data is no bug of ours. */
function toUserError(error: unknown): unknown {
  const code = errorCode(error) ?? "";
  if (error instanceof UserError || !code) return error;
  if (code.startsWith("Z_") || code === "ERR_STREAM_PREMATURE_CLOSE") return refused("it is damaged or cut off");
  if (code === "ENOSPC")
    return new UserError("unreadable", "the disk is full", "nothing was written", { cause: error });
  return error;
}
