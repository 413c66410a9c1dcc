import { readIfReadable } from "../../errors.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import type { SessionAbout } from "./segment.js";

/** How far one file of another machine's session was received: this is in the cache. */
export interface ReceivedStream {
  readonly generation: number;
  readonly length: number;
  readonly chain: string;
}

/** How far a session of another machine was received. */
export interface ReceivedSession {
  readonly about: SessionAbout | null;
  /** The number of the segment that said so. */
  readonly aboutNumber: number;
  readonly streams: ReadonlyMap<string, ReceivedStream>;
  /** Segments of which nothing is needed any more. */
  readonly done: ReadonlySet<string>;
  /** The state of all others when they were last looked at. */
  readonly seen: string | null;
  /** How many of them had not arrived, or need others that have not. */
  readonly waiting: number;
  readonly refused: readonly Refused[];
}

export interface Refused {
  readonly name: string;
  readonly reason: string;
}

export const NOTHING_RECEIVED: ReceivedSession = {
  about: null,
  aboutNumber: 0,
  streams: new Map(),
  done: new Set(),
  seen: null,
  waiting: 0,
  refused: [],
};

const VERSION = 1;

export function writeReceived(file: string, received: ReceivedSession): void {
  const { streams, done } = received;
  const json = { version: VERSION, ...received, streams: [...streams], done: [...done] };
  atomicWrite(file, JSON.stringify(json), { durable: false });
}

/** Nothing where it is missing or damaged: then all segments are read again. */
export function readReceived(file: string): ReceivedSession {
  const json = tryParseJson(readIfReadable(file) ?? "");
  if (!isObject(json) || json["version"] !== VERSION) return NOTHING_RECEIVED;
  const { streams, done, ...rest } = json as unknown as Stored;
  return Array.isArray(streams) && Array.isArray(done)
    ? { ...NOTHING_RECEIVED, ...rest, streams: new Map(streams), done: new Set(done) }
    : NOTHING_RECEIVED;
}

type Stored = Omit<ReceivedSession, "streams" | "done"> & {
  readonly streams: [string, ReceivedStream][];
  readonly done: string[];
};
