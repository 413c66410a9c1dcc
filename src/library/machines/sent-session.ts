import { readIfReadable } from "../../errors.js";
import type { KnownFile } from "../../format/identity/file-identity.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import type { SessionAbout } from "./segment.js";

/** How far one file of a session was sent. */
export interface SentStream {
  readonly generation: number;
  /** The file here, as far as it was sent. */
  readonly source: KnownFile;
  /** How many bytes were sent; others than in the file where it is redacted. */
  readonly length: number;
  readonly chain: string;
}

export type SentStreams = ReadonlyMap<string, SentStream>;

/** How far a session was sent. */
export interface SentSession {
  readonly path: string;
  /** How it was redacted and encrypted. */
  readonly policy: string;
  readonly about: SessionAbout | null;
  readonly nextNumber: number;
  /** The lowest generation of a file that is sent from its beginning. */
  readonly generation: number;
  readonly streams: SentStreams;
  /** The files in the shared folder, with their sizes. */
  readonly segments: ReadonlyMap<string, number>;
  /** Files there that newer ones replace when all of those are written. */
  readonly obsolete: readonly string[];
  /** What is true once a file of that name is in the shared folder: it was being written when this was noted. */
  readonly writing: WritingSegment | null;
}

export interface WritingSegment {
  readonly name: string;
  readonly size: number;
  readonly about: SessionAbout;
  readonly streams: SentStreams;
}

export function newSent(path: string, policy: string): SentSession {
  return {
    path,
    policy,
    about: null,
    nextNumber: 1,
    generation: 1,
    streams: new Map(),
    segments: new Map(),
    obsolete: [],
    writing: null,
  };
}

/** With the segment that was being written. */
export function withWritten(sent: SentSession, { name, size, about, streams }: WritingSegment): SentSession {
  const segments = new Map(sent.segments).set(name, size);
  return { ...sent, about, streams, segments, nextNumber: sent.nextNumber + 1, writing: null };
}

const VERSION = 1;

export function writeSent(file: string, sent: SentSession): void {
  const { writing, streams, segments } = sent;
  const json = {
    version: VERSION,
    ...sent,
    streams: [...streams],
    segments: [...segments],
    writing: writing && { ...writing, streams: [...writing.streams] },
  };
  atomicWrite(file, JSON.stringify(json), { durable: false });
}

/** Undefined where it is missing or damaged: then the session is sent again. */
export function readSent(file: string): SentSession | undefined {
  const json = tryParseJson(readIfReadable(file) ?? "");
  if (!isObject(json) || json["version"] !== VERSION) return undefined;
  const { streams, segments, writing, ...sent } = json as unknown as Stored;
  const areLists = [streams, segments, sent.obsolete].every((list) => Array.isArray(list));
  if (!areLists || !Number.isSafeInteger(sent.nextNumber) || !Number.isSafeInteger(sent.generation)) return undefined;
  return {
    ...sent,
    streams: new Map(streams),
    segments: new Map(segments),
    writing: writing && { ...writing, streams: new Map(writing.streams) },
  };
}

type Stored = Omit<SentSession, "streams" | "segments" | "writing"> & {
  readonly streams: [string, SentStream][];
  readonly segments: [string, number][];
  readonly writing: (Omit<WritingSegment, "streams"> & { readonly streams: [string, SentStream][] }) | null;
};
