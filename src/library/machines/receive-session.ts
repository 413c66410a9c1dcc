import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, isFileError, reasonOf, UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { makeFolder } from "../../store/make-folder.js";
import type { Passphrase } from "../../store/sealed-file.js";
import { CachedFile, hasBytes } from "./cached-file.js";
import { chooseChunks, isSettled, type PlacedChunk } from "./choose-chunks.js";
import type { MachineCache } from "./memberships.js";
import {
  NOTHING_RECEIVED,
  type ReceivedSession,
  type Refused,
  readReceived,
  writeReceived,
} from "./received-session.js";
import {
  BadSegment,
  chainDigest,
  decodeSegment,
  MAX_SEGMENT_BYTES,
  type Segment,
  type SegmentHeader,
  START_OF_CHAIN,
} from "./segment.js";
import { digestOfStates, listSegments, readSegment, type SegmentFile, statesOfSegments } from "./shared-folder.js";
import { isSlug, isStream, type SessionKey, streamPath, TRANSCRIPT } from "./streams.js";

/** Another machine's part of a shared folder, and where it goes. */
export interface Incoming {
  readonly folder: string;
  readonly cache: MachineCache;
  readonly passphrase: Passphrase | undefined;
  readonly problems: FileProblem[];
}

/** What one look at a session brought. */
export interface ReceivedNews {
  readonly bytes: number;
  /** Its title, marks or place changed. */
  readonly hasNewFacts: boolean;
  readonly session: ReceivedSession;
}

export function receivedFile(cache: MachineCache, key: string): string {
  return join(cache.sessions, `${key}.json`);
}

/** Writes into the cache what has arrived of a session. Segments that are already written are not read again. */
export async function receiveSession(incoming: Incoming, session: SessionKey): Promise<ReceivedNews> {
  const file = receivedFile(incoming.cache, session.key);
  const before = readReceived(file);
  const files = listSegments(incoming.folder, incoming.cache.machine, session.key, incoming.problems);
  const waiting = files.filter(({ name }) => !before.done.has(name));
  const states = statesOfSegments(waiting);
  const isComplete = hasCopy(incoming.cache, session, before, waiting.length === 0);
  if (isComplete && digestOfStates(states) === before.seen) return { bytes: 0, hasNewFacts: false, session: before };
  makeFolder(dirname(file));
  const known = isComplete ? before : { ...before, streams: new Map(), done: new Set<string>() };
  const fresh = files.filter(({ name }) => !known.done.has(name));
  const receiver = new SessionReceiver(incoming, session, known);
  const moved = await receiver.readFacts(fresh);
  if (moved) await receiver.readFacts(files);
  const bytes = await receiver.writeChunks((received) => writeReceived(file, received));
  const received = receiver.settled(files, states);
  writeReceived(file, received);
  const hasNewFacts = JSON.stringify(received.about) !== JSON.stringify(before.about);
  return { bytes, hasNewFacts, session: received };
}

/** Whether the cache has what was written into it. Where nothing is new, the transcript stands for all. */
function hasCopy(cache: MachineCache, session: SessionKey, received: ReceivedSession, isQuick: boolean): boolean {
  const { about, streams } = received;
  const names = isQuick ? [...streams.keys()].filter((name) => name === TRANSCRIPT) : [...streams.keys()];
  return names.every((name) =>
    hasBytes(streamPath(cache.root, session, about?.slug ?? "", name), streams.get(name)?.length ?? 0),
  );
}

interface ReadSegment {
  readonly file: SegmentFile;
  readonly header: SegmentHeader;
}

const MAX_STREAMS = 50_000;
/** In memory at once. */
const MAX_CHUNKS = 200_000;

class SessionReceiver {
  #known: ReceivedSession;
  #segments: ReadSegment[] = [];
  #refused: Refused[] = [];
  #incomplete = 0;
  /** The last one that was read: most of the time it is the only one. */
  #kept: { readonly name: string; readonly segment: Segment } | undefined;

  constructor(
    private readonly incoming: Incoming,
    private readonly session: SessionKey,
    known: ReceivedSession,
  ) {
    this.#known = known;
  }

  /** What the segments say. True where the session lies elsewhere now, so that all of it is to be read. */
  async readFacts(files: readonly SegmentFile[]): Promise<boolean> {
    this.#segments = [];
    this.#refused = [];
    this.#incomplete = 0;
    let chunks = 0;
    for (const file of files) {
      const header = await this.#headerOf(file);
      if (header) this.#segments.push({ file, header });
      chunks += header?.chunks.length ?? 0;
      if (chunks > MAX_CHUNKS) break; // the next sync reads on
    }
    const newest = this.#segments.at(-1)?.header;
    const { about, aboutNumber } = this.#known;
    if (!newest || newest.number < aboutNumber) return false;
    const isMoved = about !== null && newest.about.slug !== about.slug;
    if (isMoved || newest.about.withdrawn) this.#removeCopy();
    const kept = isMoved ? NOTHING_RECEIVED : this.#known;
    this.#known = { ...kept, about: newest.about, aboutNumber: newest.number };
    return isMoved;
  }

  async #headerOf(file: SegmentFile): Promise<SegmentHeader | undefined> {
    try {
      const header = (await this.#read(file))?.header;
      if (!header) this.#incomplete += 1;
      else checkHeader(header, file, { ...this.session, machine: this.incoming.cache.machine });
      return header;
    } catch (error) {
      if (!(error instanceof BadSegment || error instanceof UserError)) throw error;
      this.#refused.push({ name: file.name, reason: error.message });
      return undefined;
    }
  }

  async #read(file: SegmentFile): Promise<Segment | undefined> {
    if (this.#kept?.name === file.name) return this.#kept.segment;
    const bytes = readSegment(file, MAX_SEGMENT_BYTES, this.incoming.problems);
    if (!bytes) return undefined;
    const segment = await decodeSegment(bytes, this.incoming.passphrase);
    this.#kept = { name: file.name, segment };
    return segment;
  }

  #removeCopy(): void {
    const { about, streams } = this.#known;
    for (const stream of about ? streams.keys() : []) rmSync(this.#pathOf(stream, about?.slug), { force: true });
    this.#known = { ...this.#known, streams: new Map() };
  }

  #pathOf(stream: string, slug = this.#known.about?.slug ?? ""): string {
    return streamPath(this.incoming.cache.root, this.session, slug, stream);
  }

  /** Segment by segment, so that each is unpacked once; `save` notes what is on the disk. Returns the number of bytes. */
  async writeChunks(save: (received: ReceivedSession) => void): Promise<number> {
    const left = this.#known.about?.withdrawn ? new Map<string, readonly PlacedChunk[]>() : this.#chooseAll();
    const open = new Map<string, OpenStream>();
    const wanted = [...new Set([...left.values()].flat().map(({ segment }) => segment))].sort((a, b) => a - b);
    let bytes = 0;
    try {
      for (const at of wanted) {
        const file = this.#segments[at]?.file;
        const content = file && (await this.#read(file))?.content;
        if (!content) continue;
        for (const [stream, chunks] of left) {
          for (const placed of chunks.filter(({ segment }) => segment === at)) {
            const isEnd = placed === chunks.at(-1);
            if (!this.#writeChunk(open, stream, { placed, content, isEnd })) break;
            bytes += placed.chunk.length;
          }
        }
        save(this.#known);
      }
    } finally {
      for (const { file } of open.values()) file.abandon();
    }
    return bytes;
  }

  #chooseAll(): Map<string, readonly PlacedChunk[]> {
    const byStream = new Map<string, PlacedChunk[]>();
    for (const [segment, { header }] of this.#segments.entries()) {
      let at = 0;
      for (const chunk of header.chunks) {
        const placed = byStream.get(chunk.stream) ?? [];
        placed.push({ chunk, segment, at });
        byStream.set(chunk.stream, placed);
        at += chunk.length;
      }
    }
    return new Map(
      [...byStream].map(([stream, chunks]) => [stream, chooseChunks(chunks, this.#known.streams.get(stream))]),
    );
  }

  /** False: nothing more of this file can be written. */
  #writeChunk(open: Map<string, OpenStream>, stream: string, { placed, content, isEnd }: Step): boolean {
    const { chunk, at } = placed;
    const current = open.get(stream);
    if (chunk.offset > 0 && !current && this.#known.streams.get(stream)?.length !== chunk.offset) return false;
    try {
      const { file, chain } = current ?? this.#open(stream, chunk.offset);
      open.set(stream, { file, chain });
      const bytes = content.subarray(at, at + chunk.length);
      if (chainDigest(chain, bytes) !== chunk.after && chunk.length > 0) throw new BadSegment("wrong bytes");
      file.add(bytes);
      open.set(stream, { file, chain: chunk.after });
      const { generation, offset, length, after, mtimeMs } = chunk;
      if (!isEnd) return true;
      file.finish(mtimeMs);
      open.delete(stream);
      const streams = new Map(this.#known.streams).set(stream, { generation, length: offset + length, chain: after });
      this.#known = { ...this.#known, streams };
      return true;
    } catch (error) {
      this.#refuse(stream, error);
      open.get(stream)?.file.abandon();
      open.delete(stream);
      return false;
    }
  }

  #open(stream: string, offset: number): OpenStream {
    const chain = offset === 0 ? START_OF_CHAIN : (this.#known.streams.get(stream)?.chain ?? START_OF_CHAIN);
    return { file: new CachedFile(this.#pathOf(stream), offset), chain };
  }

  /** What is wrong with this file's name or bytes stops no other; a full disk stops everything. */
  #refuse(stream: string, error: unknown): void {
    const isOfFile = isFileError(error) && OF_ONE_FILE.has(errorCode(error) ?? "");
    if (!(error instanceof BadSegment) && !isOfFile) throw toUserError(this.incoming.cache.root, error);
    this.#refused.push({ name: stream, reason: isOfFile ? reasonOf(error) : (error as BadSegment).message });
  }

  /** `states` are those of the files before they were read: what arrives meanwhile is looked at again. */
  settled(files: readonly SegmentFile[], states: ReadonlyMap<string, string>): ReceivedSession {
    const { streams, about } = this.#known;
    const isDone = ({ header }: ReadSegment) =>
      about?.withdrawn || header.chunks.every((chunk) => isSettled(chunk, streams.get(chunk.stream)));
    const ended = this.#segments.filter(isDone).map(({ file }) => file.name);
    const done = new Set([...this.#known.done, ...ended]);
    const present = new Set(files.map(({ name }) => name).filter((name) => done.has(name)));
    const waiting = this.#incomplete + this.#segments.length - ended.length;
    const seen = digestOfStates(new Map([...states].filter(([name]) => !present.has(name))));
    return { ...this.#known, done: present, seen, waiting, refused: this.#refused };
  }
}

interface OpenStream {
  readonly file: CachedFile;
  readonly chain: string;
}

interface Step {
  readonly placed: PlacedChunk;
  readonly content: Buffer;
  readonly isEnd: boolean;
}

const OF_ONE_FILE = new Set(["ENOTDIR", "EISDIR", "EEXIST", "ENAMETOOLONG", "EINVAL", "ELOOP", "ENOENT"]);

function toUserError(path: string, error: unknown): unknown {
  if (!isFileError(error)) return error;
  const hint = "free some space, or set TURNLOG_DATA_DIR to another folder; the next sync continues there";
  return new UserError("unreadable", `cannot write ${path}: ${reasonOf(error)}`, hint, { cause: error });
}

/** The names in a segment must be those of its place: nobody can give it to another session. */
function checkHeader(
  { machine, key, number, about, chunks }: SegmentHeader,
  file: SegmentFile,
  expected: SessionKey & { readonly machine: string },
): void {
  if (machine !== expected.machine || key !== expected.key || number !== file.number)
    throw new BadSegment("it belongs to another session or machine");
  if (!isSlug(about.slug)) throw new BadSegment("its project folder has no usable name");
  if (chunks.length > MAX_STREAMS) throw new BadSegment("it has too many files");
  const bad = chunks.find(({ stream }) => !isStream(stream, expected.id));
  if (bad) throw new BadSegment("it names a file outside of the session");
}
