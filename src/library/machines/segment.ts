import { hash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { isObject, tryParseJson } from "../../format/json.js";
import { isSealed, type Passphrase, seal, unseal } from "../../store/sealed-file.js";

/*
 * A segment is a file of a shared folder that one machine wrote once: what is new of one session. Its name has the digest of its bytes, so
 * one that has only partly arrived is known for what it is.
 */

/** What is known of a session besides its files. */
export interface SessionAbout {
  /** The folder below `projects/` that its transcript is in. */
  readonly slug: string;
  /** The working directory on that machine. */
  readonly cwd: string | null;
  /** The home folder there; null where that is redacted. */
  readonly home: string | null;
  /** The project on any machine; null where its folder has no git remote. */
  readonly remote: string | null;
  readonly marks: {
    readonly title: string | null;
    readonly tags: readonly string[];
    readonly favourite: boolean;
    readonly note: string | null;
  } | null;
  /** Its machine took it back: other machines remove their copies. */
  readonly withdrawn?: boolean;
}

/** New bytes of one file of a session. */
export interface Chunk {
  /** Which file, as `streams.ts` names it. */
  readonly stream: string;
  /** Higher where the file was rewritten: its bytes count from 0 again. */
  readonly generation: number;
  readonly offset: number;
  readonly length: number;
  /** With it the file was sent as far as it went then. */
  readonly isLast: boolean;
  /** What all bytes before and with these digest to: `chainDigest`. */
  readonly before: string;
  readonly after: string;
  readonly mtimeMs: number;
}

export interface SegmentHeader {
  readonly version: 1;
  readonly machine: string;
  /** The session's folder below the machine's. */
  readonly key: string;
  readonly number: number;
  readonly about: SessionAbout;
  readonly chunks: readonly Chunk[];
}

export interface Segment {
  readonly header: SegmentHeader;
  /** The bytes of all chunks in their order. */
  readonly content: Buffer;
}

export class BadSegment extends Error {}

/** A bomb would need more: our own writer leaves uncompressed what packs better than that. */
const MAX_RATIO = 250;
const FREE_BYTES = 1024 * 1024;
/** One redacted line may have 128 MB. */
const MAX_CONTENT_BYTES = 192 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
/** Of a file in a shared folder that is read at all. */
export const MAX_SEGMENT_BYTES = MAX_CONTENT_BYTES + 16 * 1024 * 1024;

const MAGIC = "TLSEG1";
const PREFIX_BYTES = MAGIC.length + 1;
const PACKED = 0x7a; // z
const PLAIN = 0x70; // p

export const START_OF_CHAIN = "";

export function chainDigest(before: string, bytes: Uint8Array): string {
  return hash("sha256", Buffer.concat([Buffer.from(`${before}\n`), bytes]), "base64url");
}

export async function encodeSegment({ header, content }: Segment, passphrase?: Passphrase): Promise<Buffer> {
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = Buffer.concat([length, head, content]);
  const packed = gzipSync(body);
  const isPacked = packed.length < body.length && body.length <= FREE_BYTES + packed.length * MAX_RATIO;
  const prefix = Buffer.concat([Buffer.from(MAGIC), Buffer.from([isPacked ? PACKED : PLAIN])]);
  return sealed(Buffer.concat([prefix, isPacked ? packed : body]), passphrase);
}

/** Throws a `BadSegment` for anything that no turnlog wrote, and a UserError for a wrong passphrase. */
export async function decodeSegment(file: Buffer, passphrase?: Passphrase): Promise<Segment> {
  const body = unpack(await unsealed(file, passphrase));
  const length = body.length < 4 ? -1 : body.readUInt32LE(0);
  if (length < 0 || length > MAX_HEADER_BYTES || 4 + length > body.length)
    throw new BadSegment("its header is cut off");
  const header = tryParseJson(body.toString("utf8", 4, 4 + length));
  const content = body.subarray(4 + length);
  if (!isHeader(header)) throw new BadSegment("its header is not one of a segment");
  if (header.chunks.reduce((sum, chunk) => sum + chunk.length, 0) !== content.length)
    throw new BadSegment("its content has another length than its header says");
  return { header, content };
}

/** Encrypted bytes; the same without a passphrase. */
export async function sealed(bytes: Buffer, passphrase: Passphrase | undefined): Promise<Buffer> {
  if (!passphrase) return bytes;
  const parts: Buffer[] = [];
  for await (const part of seal([bytes], passphrase)) parts.push(part);
  return Buffer.concat(parts);
}

/** Where everything is to be encrypted, what is not could be from anybody. */
export async function unsealed(bytes: Buffer, passphrase: Passphrase | undefined): Promise<Buffer> {
  if (isSealed(bytes) && !passphrase) throw new BadSegment(NEEDS_PASSPHRASE);
  if (!passphrase) return bytes;
  if (!isSealed(bytes)) throw new BadSegment("it is not encrypted, and this folder is");
  const parts: Buffer[] = [];
  for await (const part of unseal([bytes], passphrase)) parts.push(part);
  return Buffer.concat(parts);
}

const NEEDS_PASSPHRASE = "it is encrypted: give the passphrase";

function unpack(bytes: Buffer): Buffer {
  const kind = bytes[MAGIC.length];
  if (bytes.toString("latin1", 0, MAGIC.length) !== MAGIC || (kind !== PACKED && kind !== PLAIN))
    throw new BadSegment("it is not a segment");
  const rest = bytes.subarray(PREFIX_BYTES);
  if (kind === PLAIN) return rest;
  const maxOutputLength = Math.min(MAX_CONTENT_BYTES, FREE_BYTES + rest.length * MAX_RATIO);
  try {
    return gunzipSync(rest, { maxOutputLength });
  } catch (error) {
    throw new BadSegment("it cannot be unpacked within its limits", { cause: error });
  }
}

function isHeader(json: unknown): json is SegmentHeader {
  if (!isObject(json)) return false;
  const { version, machine, key, number, about, chunks } = json as Partial<SegmentHeader>;
  return (
    version === 1 &&
    typeof machine === "string" &&
    typeof key === "string" &&
    isCount(number) &&
    isAbout(about) &&
    Array.isArray(chunks) &&
    chunks.every(isChunk)
  );
}

function isChunk(json: unknown): json is Chunk {
  if (!isObject(json)) return false;
  const { stream, generation, offset, length, isLast, before, after, mtimeMs } = json as Partial<Chunk>;
  return (
    [stream, before, after].every((text) => typeof text === "string") &&
    [generation, offset, length].every(isCount) &&
    typeof isLast === "boolean" &&
    typeof mtimeMs === "number" &&
    Number.isFinite(mtimeMs)
  );
}

function isAbout(json: unknown): json is SessionAbout {
  if (!isObject(json)) return false;
  const { slug, cwd, home, remote, marks } = json as Partial<SessionAbout>;
  const isText = (value: unknown) => value === null || (typeof value === "string" && value.length <= MAX_TEXT);
  return (
    typeof slug === "string" && isText(cwd) && isText(home) && isText(remote) && (marks === null || isMarks(marks))
  );
}

function isMarks(json: unknown): boolean {
  if (!isObject(json)) return false;
  const { title, tags, favourite, note } = json as Partial<NonNullable<SessionAbout["marks"]>>;
  const isText = (value: unknown) => value === null || (typeof value === "string" && value.length <= MAX_TEXT);
  const areTags = Array.isArray(tags) && tags.length <= MAX_TAGS && tags.every((tag) => typeof tag === "string");
  return isText(title) && isText(note) && areTags && typeof favourite === "boolean";
}

const MAX_TEXT = 64 * 1024;
const MAX_TAGS = 1000;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
