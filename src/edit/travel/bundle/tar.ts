import { refused } from "./manifest.js";

/*
 * The one kind of tar file that bundles are: regular files with short names. Ordinary tools open them. Whatever else tar can hold
 * (links, devices, folders, extensions) is refused by name.
 */

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Tools fill the last 10 KiB; more than that is something else. */
const MAX_END_BYTES = 64 * 1024;

export interface TarEntry {
  readonly path: string;
  readonly size: number;
}

/** Whether a name fits into a header, in a form that no system reads otherwise. */
export function isTarPath(path: string): boolean {
  return /^[\w.@+=,-]+(?:\/[\w.@+=,-]+)*$/.test(path) && splitPath(path) !== undefined;
}

export function tarHeader({ path, size }: TarEntry, mtimeMs: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const { prefix, name } = splitPath(path) ?? { prefix: "", name: path };
  const put = (text: string, at: number) => header.write(text, at, "latin1");
  put(name, 0);
  put("0000600\0", 100);
  put("0000000\0", 108);
  put("0000000\0", 116);
  put(`${octal(size, 11)}\0`, 124);
  put(`${octal(Math.max(0, Math.floor(mtimeMs / 1000)), 11)}\0`, 136);
  put(" ".repeat(8), 148);
  put("0", 156);
  put("ustar\x0000", 257);
  put(prefix, 345);
  put(`${octal(sumOf(header), 6)}\0 `, 148);
  return header;
}

/** What follows the content of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (path.length <= NAME_BYTES) return { prefix: "", name: path };
  const at = path.indexOf("/", path.length - NAME_BYTES - 1);
  if (at < 1 || at > PREFIX_BYTES) return undefined;
  return { prefix: path.slice(0, at), name: path.slice(at + 1) };
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** Of all bytes, those of the sum itself as spaces. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** Reads entry by entry from a stream; what a header says of its size is only believed up to what was expected. */
export class TarReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Undefined at the end, after which nothing may follow. */
  async next(): Promise<TarEntry | undefined> {
    const header = await this.#readExactly(BLOCK);
    if (header.every((byte) => byte === 0)) {
      await this.#expectEnd();
      return undefined;
    }
    return parseHeader(header);
  }

  /** The content of the entry that `next` gave. */
  async *content({ size }: TarEntry): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const piece = await this.#readSome(left);
      left -= piece.length;
      yield piece;
    }
    const padding = await this.#readExactly((BLOCK - (size % BLOCK)) % BLOCK);
    if (padding.some((byte) => byte !== 0)) throw refused("there is something between its files");
  }

  async #expectEnd(): Promise<void> {
    let length = 0;
    for (let piece = await this.#pull(); piece; piece = await this.#pull()) {
      length += piece.length;
      if (length > MAX_END_BYTES || piece.some((byte) => byte !== 0)) throw refused("there is something after its end");
    }
    if (length < BLOCK || length % BLOCK !== 0) throw refused("it is cut off");
  }

  async #readExactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.#readSome(left);
      left -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async #readSome(most: number): Promise<Buffer> {
    const piece = await this.#pull();
    if (!piece) throw refused("it is cut off");
    this.#rest = piece.subarray(most);
    return piece.subarray(0, most);
  }

  async #pull(): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest;
    this.#rest = Buffer.alloc(0);
    return piece;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  "1": "a link",
  "2": "a link",
  "3": "a device",
  "4": "a device",
  "5": "a folder",
  "6": "a pipe",
};

function parseHeader(header: Buffer): TarEntry {
  if (header.toString("latin1", 257, 265) !== "ustar\x0000") throw refused("it is no archive as turnlog writes them");
  if (numberIn(header, 148, 7) !== sumOf(header)) throw refused("a header is damaged");
  const kind = String.fromCharCode(header[156] ?? 0);
  if (kind !== "0") throw refused(`it holds ${KINDS[kind] ?? "something that is no file"}`);
  const size = numberIn(header, 124, 12);
  if (size === undefined) throw refused("a header is damaged");
  const [prefix, name] = [textIn(header, 345, PREFIX_BYTES), textIn(header, 0, NAME_BYTES)];
  const path = prefix === "" ? name : `${prefix}/${name}`;
  if (!isTarPath(path) || path.split("/").some((part) => part === "." || part === ".."))
    throw refused("it holds a file whose name leads elsewhere");
  return { path, size };
}

function textIn(header: Buffer, start: number, length: number): string {
  const end = header.indexOf(0, start);
  return header.toString("latin1", start, end < 0 ? start + length : Math.min(end, start + length));
}

function numberIn(header: Buffer, start: number, length: number): number | undefined {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(header.toString("latin1", start, start + length))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}
