import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { UserError } from "../errors.js";

/*
 * Files that are encrypted with a passphrase. A header (magic, version, cost, salt of the passphrase, salt of the file), then chunks
 * of 64 KiB, each with AES-256-GCM and its tag. The nonce of a chunk is its number and whether it is the last one, and every
 * chunk authenticates the header: nothing can be changed, swapped, repeated, cut off or added.
 */

export interface SealOptions {
  /** The cost of guessing a passphrase: scrypt's N is 2 to this power. It needs 1 KiB x N of memory once per passphrase. */
  readonly cost?: number;
  /** Of the passphrase, 16 bytes; by default random. With one of its own, a writer of many files in many processes needs one key. */
  readonly salt?: Uint8Array;
}

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

const MAGIC = Buffer.from("TLSEALED", "latin1");
const VERSION = 1;
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 2 + 2 * SALT_BYTES;
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;

/** 128 MiB and a third of a second. A file may ask for twice that, not more: its header is read before anything is proven. */
const COST = 17;
const LOWEST_COST = 14;
const HIGHEST_COST = 18;
const BLOCK_SIZE = 8;

/** A passphrase and the keys that were made from it, so that many files cost the work of one. */
export class Passphrase {
  readonly #text: string;
  readonly #cost: number;
  readonly #salt: Uint8Array;
  readonly #keys = new Map<string, Promise<Buffer>>();

  constructor(text: string, { cost = COST, salt = randomBytes(SALT_BYTES) }: SealOptions = {}) {
    if (text === "") throw new UserError("usage", "the passphrase is empty", "give one with at least one character");
    this.#text = text.normalize("NFC"); // keyboards differ in how they write accents
    this.#cost = cost;
    this.#salt = salt;
  }

  /** A header for a new file, and its key. */
  async open(): Promise<SealedKey> {
    const header = Buffer.concat([MAGIC, Buffer.from([VERSION, this.#cost]), this.#salt, randomBytes(SALT_BYTES)]);
    return this.keyOf(header);
  }

  /** The key of the file that begins with this header. */
  async keyOf(header: Buffer): Promise<SealedKey> {
    const { cost, salt, fileSalt } = parseHeader(header);
    const name = `${cost} ${salt.toString("hex")}`;
    const known = this.#keys.get(name);
    const master = known ?? derive(this.#text, salt, cost);
    if (!known) this.#keys.set(name, master);
    const key = Buffer.from(hkdfSync("sha256", await master, fileSalt, "turnlog sealed file", KEY_BYTES));
    return { header, key };
  }
}

interface SealedKey {
  readonly header: Buffer;
  readonly key: Buffer;
}

/** Whether a file begins like an encrypted one, by its first bytes. */
export function isSealed(start: Uint8Array): boolean {
  return MAGIC.equals(start.subarray(0, MAGIC.length));
}

/** Encrypted bytes of a file with this content. */
export async function* seal(content: Chunks, passphrase: Passphrase): AsyncGenerator<Buffer> {
  const sealed = await passphrase.open();
  yield sealed.header;
  let number = 0;
  for await (const { bytes, isLast } of inChunks(content, CHUNK_BYTES)) {
    const cipher = createCipheriv("aes-256-gcm", sealed.key, nonceOf(number, isLast)).setAAD(sealed.header);
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

/** The content of an encrypted file. What was given out before it throws is authentic, but may not be all. */
export async function* unseal(file: Chunks, passphrase: Passphrase): AsyncGenerator<Buffer> {
  let sealed: SealedKey | undefined;
  let number = 0;
  for await (const { bytes, isLast } of inChunks(file, CHUNK_BYTES + TAG_BYTES, HEADER_BYTES)) {
    if (!sealed) {
      sealed = await passphrase.keyOf(bytes);
      if (isLast) throw damaged(number);
      continue;
    }
    const isEmpty = bytes.length === TAG_BYTES;
    if (bytes.length < TAG_BYTES || (isEmpty && number > 0)) throw damaged(number);
    yield decrypt(sealed, bytes, { number, isLast });
    number += 1;
  }
}

function decrypt(
  { header, key }: SealedKey,
  bytes: Buffer,
  { number, isLast }: { readonly number: number; readonly isLast: boolean },
): Buffer {
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast), options).setAAD(header);
  const end = bytes.length - TAG_BYTES;
  decipher.setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]);
  } catch (error) {
    throw damaged(number, error);
  }
}

function damaged(number: number, cause?: unknown): UserError {
  if (number === 0)
    return new UserError("unreadable", "the passphrase is wrong, or the encrypted file is damaged", "try again", {
      cause,
    });
  return new UserError(
    "unreadable",
    "the encrypted file is damaged: it was cut off or changed",
    "get it again from where it comes from",
    { cause },
  );
}

function parseHeader(header: Buffer): { readonly cost: number; readonly salt: Buffer; readonly fileSalt: Buffer } {
  if (!isSealed(header) || header.length < HEADER_BYTES)
    throw new UserError("unreadable", "this is not a whole encrypted file of turnlog", "check which file it is");
  const [version = 0, cost = 0] = header.subarray(MAGIC.length);
  if (version !== VERSION)
    throw new UserError("newer", "the file is encrypted in a way that this version does not know", "update turnlog");
  if (cost < LOWEST_COST || cost > HIGHEST_COST)
    throw new UserError("unreadable", "the header of the encrypted file is damaged", "get the file again");
  const salts = header.subarray(MAGIC.length + 2, HEADER_BYTES);
  return { cost, salt: salts.subarray(0, SALT_BYTES), fileSalt: salts.subarray(SALT_BYTES) };
}

function derive(text: string, salt: Buffer, cost: number): Promise<Buffer> {
  const memory = 128 * BLOCK_SIZE * 2 ** cost;
  const options = { N: 2 ** cost, r: BLOCK_SIZE, p: 1, maxmem: memory + 1024 * 1024 };
  return new Promise((done, fail) => {
    scrypt(text, salt, KEY_BYTES, options, (error, key) => (error ? fail(error) : done(key)));
  });
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}

interface Chunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** The same bytes in pieces of one size, the first of another if asked; the last may be shorter. At least one. */
async function* inChunks(source: Chunks, size: number, first = size): AsyncGenerator<Chunk> {
  let wanted = first;
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const piece of source) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece); // a copy: the source may use its own again
    waiting.push(bytes);
    length += bytes.length;
    if (length <= wanted) continue; // only what is followed by more is surely not the last
    let all = Buffer.concat(waiting);
    for (; all.length > wanted; wanted = size) {
      yield { bytes: all.subarray(0, wanted), isLast: false };
      all = all.subarray(wanted);
    }
    waiting = [all];
    length = all.length;
  }
  yield { bytes: Buffer.concat(waiting), isLast: true };
}
