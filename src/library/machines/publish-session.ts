import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { digestOf, type FileState, isSameState, newHash, readState } from "../../format/identity/file-identity.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { makeFolder } from "../../store/make-folder.js";
import type { Passphrase } from "../../store/sealed-file.js";
import { itemsOfSession } from "../archive/session-items.js";
import type { FoundSession } from "../found-session.js";
import { type Membership, sentFile } from "./memberships.js";
import {
  type Chunk,
  chainDigest,
  decodeSegment,
  encodeSegment,
  MAX_SEGMENT_BYTES,
  type SessionAbout,
  START_OF_CHAIN,
} from "./segment.js";
import { newSent, readSent, type SentSession, type SentStream, withWritten, writeSent } from "./sent-session.js";
import {
  listSegments,
  machineFolder,
  readSegment,
  removeShared,
  type SegmentFile,
  segmentName,
  writeShared,
} from "./shared-folder.js";
import { openContent, PIECE_BYTES, type StreamRedactor } from "./stream-content.js";
import { streamOf } from "./streams.js";

/** What this machine sends to a shared folder, and how. */
export interface Outgoing {
  readonly place: string;
  readonly membership: Membership;
  readonly passphrase: Passphrase | undefined;
  readonly redactor: StreamRedactor | undefined;
  readonly problems: FileProblem[];
  /** Something in this machine's own part was not written with what is noted here. */
  readonly onForeign?: () => void;
}

/** A session of this machine. */
export interface OwnSession {
  readonly key: string;
  readonly found: FoundSession;
  /** What is known of it; `before` is what was sent last, for what does not change while its files do not. */
  readonly about: (before: SessionAbout | null, hasNews: boolean) => SessionAbout;
}

export interface Published {
  readonly segments: number;
  /** Before they were packed. */
  readonly bytes: number;
}

/** A session that is synced while it goes on has a small file for each time. With more of them it is sent again as a whole. */
const MAX_SMALL_FILES = 64;

function hasManyFiles({ segments, streams }: SentSession): boolean {
  const bytes = [...streams.values()].reduce((sum, { length }) => sum + length, 0);
  return segments.size > MAX_SMALL_FILES + (2 * bytes) / PIECE_BYTES;
}

/** Sends what is new of a session; undefined where nothing is. */
export async function publishSession(outgoing: Outgoing, session: OwnSession): Promise<Published | undefined> {
  const file = sentFile(outgoing.place, session.key);
  const before = readSent(file);
  if (before?.about?.withdrawn) return undefined;
  const policy = policyOf(outgoing);
  const present = ownSegments(outgoing, session.key);
  const known = settle(before ?? newSent(session.found.path, policy), present);
  const isWhole = known.policy === policy && isIntact(known, present) && !hasManyFiles(known);
  if (present.some(({ name }) => !known.segments.has(name) && !known.obsolete.includes(name))) outgoing.onForeign?.();
  const sent = isWhole ? known : await startAgain(known, { policy, present, outgoing });
  const news = findNews(outgoing, session.found, sent);
  const about = session.about(sent.about, news.length > 0);
  const isSame = JSON.stringify(about) === JSON.stringify(sent.about);
  if (news.length === 0 && isSame && sent.obsolete.length === 0) return undefined;
  makeFolder(dirname(file));
  const writer = new SegmentWriter(outgoing, { key: session.key, file, about }, { ...sent, path: session.found.path });
  for (const { stream, path } of news) await writer.send(stream, path);
  return writer.finish(!isSame);
}

/** Takes a session back: one segment that says so replaces all others. False where it was never sent. */
export async function withdrawSession(outgoing: Outgoing, key: string): Promise<boolean> {
  const file = sentFile(outgoing.place, key);
  const sent = readSent(file);
  const present = ownSegments(outgoing, key);
  if (!sent || sent.about?.withdrawn) return false;
  const obsolete = present.map(({ name }) => name);
  const nextNumber = Math.max(sent.nextNumber, ...present.map(({ number }) => number + 1));
  const about = {
    slug: sent.about?.slug ?? "unknown",
    cwd: null,
    home: null,
    remote: null,
    marks: null,
    withdrawn: true,
  };
  const last = { ...settle(sent, present), streams: new Map(), segments: new Map(), obsolete, nextNumber };
  await new SegmentWriter(outgoing, { key, file, about }, last).finish(true);
  return true;
}

function policyOf({ redactor, membership }: Outgoing): string {
  return `${redactor?.policy ?? "as it is"}${membership.encrypted ? ", encrypted" : ""}`;
}

interface PresentSegment extends SegmentFile {
  readonly size: number;
}

function ownSegments({ membership: { folder, machine }, problems }: Outgoing, key: string): PresentSegment[] {
  return listSegments(folder, machine, key, problems).flatMap((segment) => {
    const size = attempt(segment.path, problems, () => lstatSync(segment.path))?.size;
    return size === undefined ? [] : [{ ...segment, size }];
  });
}

/** A process that was killed may have written the segment that it noted, or not. */
function settle(sent: SentSession, present: readonly PresentSegment[]): SentSession {
  const { writing } = sent;
  if (!writing) return sent;
  const isThere = present.some(({ name, size }) => name === writing.name && size === writing.size);
  return isThere ? withWritten(sent, writing) : { ...sent, writing: null };
}

/** Everything that was sent is still there, and nothing else. */
function isIntact({ segments, obsolete }: SentSession, present: readonly PresentSegment[]): boolean {
  const others = present.filter(({ name }) => !obsolete.includes(name));
  return others.length === segments.size && others.every(({ name, size }) => segments.get(name) === size);
}

interface Restart {
  readonly policy: string;
  readonly present: readonly PresentSegment[];
  readonly outgoing: Outgoing;
}

/**
 * Everything is sent again, in generations above all that may be in the folder: files there were lost, or are to be replaced, or what
 * was noted here is older than they are.
 */
async function startAgain(known: SentSession, { policy, present, outgoing }: Restart): Promise<SentSession> {
  let { generation, nextNumber } = known;
  for (const stream of known.streams.values()) generation = Math.max(generation, stream.generation);
  for (const segment of present) {
    nextNumber = Math.max(nextNumber, segment.number + 1);
    if (known.segments.has(segment.name)) continue;
    generation = Math.max(generation, await generationIn(segment, outgoing));
  }
  const obsolete = present.map(({ name }) => name);
  return { ...newSent(known.path, policy), generation: generation + 1, nextNumber, obsolete };
}

async function generationIn(segment: SegmentFile, { passphrase, problems }: Outgoing): Promise<number> {
  const bytes = readSegment(segment, MAX_SEGMENT_BYTES, problems);
  if (!bytes) return 0;
  try {
    const { header } = await decodeSegment(bytes, passphrase);
    return Math.max(0, ...header.chunks.map(({ generation }) => generation));
  } catch {
    return 0; // of another passphrase: no machine can read it either
  }
}

interface News {
  readonly stream: string;
  readonly path: string;
}

/** The files whose state is another one than when they were sent. */
function findNews({ problems }: Outgoing, found: FoundSession, { streams }: SentSession): News[] {
  const items = itemsOfSession(found);
  return items.flatMap((item) => {
    const stream = streamOf(item, found.id);
    const state = stream === undefined ? undefined : attempt(item.path, problems, () => readState(item.path));
    if (stream === undefined || !state) return [];
    const known = streams.get(stream);
    return known && isSameState(known.source, state) ? [] : [{ stream, path: item.path }];
  });
}

interface Place {
  readonly key: string;
  /** Of the session's state. */
  readonly file: string;
  readonly about: SessionAbout;
}

interface Gathered {
  readonly chunk: Chunk;
  readonly bytes: Buffer;
}

/** Gathers what is new in segments, and notes before each what is true when it is there. */
class SegmentWriter {
  #gathered: Gathered[] = [];
  #bytes = 0;
  /** With what is gathered. */
  #streams: Map<string, SentStream>;
  #segments = 0;
  #sentBytes = 0;

  constructor(
    private readonly outgoing: Outgoing,
    private readonly place: Place,
    private sent: SentSession,
  ) {
    this.#streams = new Map(sent.streams);
  }

  async send(stream: string, path: string): Promise<void> {
    const before = this.#streams.get(stream);
    const content = openContent({ path, redactor: this.outgoing.redactor }, before?.source);
    if (!content) return;
    try {
      let at = content.isRewritten || !before ? this.#restarted(before, content.state) : before;
      let held: Gathered | undefined;
      for (const { bytes, source } of content.pieces) {
        if (held) await this.#add(held, at);
        const next = {
          ...at,
          source: { ...source, ctimeMs: 0 },
          length: at.length + bytes.length,
          chain: chainDigest(at.chain, bytes),
        };
        held = { bytes, chunk: toChunk(stream, at, next) };
        at = next;
      }
      held ??= at.length === 0 && at !== before ? { bytes: EMPTY, chunk: toChunk(stream, at, at) } : undefined;
      const done = { ...at, source: { ...content.state, bytes: at.source.bytes } };
      if (held) await this.#add({ ...held, chunk: { ...held.chunk, isLast: true } }, done);
      else this.#streams.set(stream, done);
    } finally {
      content.close();
    }
  }

  /** Returns what was written. */
  async finish(hasNews: boolean): Promise<Published> {
    if (this.#gathered.length > 0 || (hasNews && this.#segments === 0)) await this.#flush();
    const { folder, machine } = this.outgoing.membership;
    for (const name of this.sent.obsolete) removeShared(join(machineFolder(folder, machine), this.place.key, name));
    writeSent(this.place.file, { ...this.sent, streams: this.#streams, obsolete: [] });
    return { segments: this.#segments, bytes: this.#sentBytes };
  }

  #restarted(before: SentStream | undefined, state: FileState): SentStream {
    const generation = before ? Math.max(before.generation + 1, this.sent.generation) : this.sent.generation;
    return { generation, source: { ...state, bytes: NO_BYTES }, length: 0, chain: START_OF_CHAIN };
  }

  async #add(gathered: Gathered, after: SentStream): Promise<void> {
    this.#gathered.push(gathered);
    this.#bytes += gathered.bytes.length;
    this.#streams.set(gathered.chunk.stream, after);
    if (this.#bytes >= PIECE_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const { membership, passphrase } = this.outgoing;
    const { key, file, about } = this.place;
    const chunks = this.#gathered.map(({ chunk }) => chunk);
    const content = Buffer.concat(this.#gathered.map(({ bytes }) => bytes));
    const number = this.sent.nextNumber;
    const header = { version: 1 as const, machine: membership.machine, key, number, about, chunks };
    const bytes = await encodeSegment({ header, content }, passphrase);
    const writing = { name: segmentName(number, bytes), size: bytes.length, about, streams: new Map(this.#streams) };
    writeSent(file, { ...this.sent, writing });
    writeShared(join(machineFolder(membership.folder, membership.machine), key, writing.name), bytes);
    this.sent = withWritten(this.sent, writing);
    this.#segments += 1;
    this.#sentBytes += content.length;
    this.#gathered = [];
    this.#bytes = 0;
  }
}

const EMPTY = Buffer.alloc(0);
const NO_BYTES = { length: 0, digest: digestOf(newHash()) };

function toChunk(stream: string, before: SentStream, after: SentStream): Chunk {
  const length = after.length - before.length;
  const { generation, length: offset, chain } = before;
  const { mtimeMs } = after.source;
  return { stream, generation, offset, length, isLast: false, before: chain, after: after.chain, mtimeMs };
}
