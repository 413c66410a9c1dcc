import { attempt } from "../../format/layout/folder-listing.js";
import { peekLastTime } from "../../format/reader/last-time.js";
import type { FoundSession } from "../found-session.js";
import type { SessionSummary } from "../load/session-summary.js";

interface Wanted {
  readonly limit?: number | undefined;
  /** Sessions that ended before are not wanted. */
  readonly since?: number | undefined; // ms since the epoch
  /** Sessions that are known without reading; they are returned with the others. */
  readonly chosen?: readonly SessionSummary[];
}

/**
 * Reads the latest sessions, and of the others no more than it takes to be sure that they ended earlier. A session ended
 * before its file was last written; where that says too little (a copied file has the time of the copy), the times in the
 * last lines of the file do. `read` returns undefined for a session that is not wanted.
 */
export function readLatest(
  sessions: readonly FoundSession[],
  { limit = Number.POSITIVE_INFINITY, since = NEVER, chosen: known = [] }: Wanted,
  read: (session: FoundSession) => SessionSummary | undefined,
): SessionSummary[] {
  const chosen: SessionSummary[] = [...known];
  const latest = latestTimes(limit);
  for (const session of known) latest.add(endOf(session));
  let unread = createHeap(sessions.map(boundByFileTime));
  for (let next = unread.pop(); next; next = unread.pop()) {
    if (next.endedBy < latest.lowest() || next.endedBy < since) break;
    if (!next.isPeeked) {
      const peeked = boundByLastLines(next);
      if (peeked.endedBy > next.endedBy) unread = createHeap(unread.items.map(withoutFileTime));
      unread.push(peeked);
      continue;
    }
    const session = read(next.found);
    if (!session) continue;
    chosen.push(session);
    latest.add(endOf(session));
  }
  return chosen;
}

function endOf({ endedAt }: SessionSummary): number {
  return endedAt === null ? NEVER : Date.parse(endedAt);
}

/** An unread session and the time after which it cannot have ended. */
interface Bounded {
  readonly found: FoundSession;
  readonly endedBy: number; // ms since the epoch
  /** The end of the file was looked at. */
  readonly isPeeked: boolean;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** Clocks differ, and programs that pack files mistake time zones: a file time is right within a day. */
const FILE_TIME_TOLERANCE_MS = 24 * 60 * 60_000;
/** The last record need not be the latest: records of what ran at the same time are written in any order. */
const RECORD_TIME_TOLERANCE_MS = 10 * 60_000;

function boundByFileTime(found: FoundSession): Bounded {
  const endedBy = found.size === 0 ? NEVER : found.mtimeMs + FILE_TIME_TOLERANCE_MS;
  return { found, endedBy, isPeeked: found.size === 0 || found.archived };
}

/** For files whose time was set back. */
function withoutFileTime(bounded: Bounded): Bounded {
  return bounded.isPeeked ? bounded : { ...bounded, endedBy: Number.POSITIVE_INFINITY };
}

function boundByLastLines({ found, endedBy }: Bounded): Bounded {
  const time = attempt(found.path, [], () => peekLastTime(found.path, found.size));
  return { found, isPeeked: true, endedBy: time === undefined ? endedBy : time + RECORD_TIME_TOLERANCE_MS };
}

/** The lowest of the `limit` latest times, once there are that many. */
function latestTimes(limit: number): { add(time: number): void; lowest(): number } {
  const times: number[] = []; // ascending
  return {
    add(time) {
      const at = times.findIndex((other) => other >= time);
      times.splice(at < 0 ? times.length : at, 0, time);
      if (times.length > limit) times.shift();
    },
    lowest: () => (times.length < limit ? NEVER : (times[0] ?? NEVER)),
  };
}

interface Heap {
  readonly items: readonly Bounded[];
  push(item: Bounded): void;
  /** The one that may have ended last. */
  pop(): Bounded | undefined;
}

function createHeap(start: readonly Bounded[]): Heap {
  const items = start.toSorted((a, b) => compareBounds(b, a)); // latest first: already a heap
  const at = (index: number) => items[index] as Bounded;
  const isLater = (a: number, b: number) => compareBounds(at(a), at(b)) > 0;
  const swap = (a: number, b: number) => {
    [items[a], items[b]] = [at(b), at(a)];
  };
  return {
    items,
    push(item) {
      let index = items.push(item) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && isLater(index, parent); parent = (index - 1) >> 1) {
        swap(index, parent);
        index = parent;
      }
    },
    pop() {
      const [first] = items;
      const last = items.pop();
      if (items.length === 0 || !last) return first;
      items[0] = last;
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2];
        let latest = left < items.length && isLater(left, index) ? left : index;
        if (right < items.length && isLater(right, latest)) latest = right;
        if (latest === index) return first;
        swap(index, latest);
        index = latest;
      }
    },
  };
}

function compareBounds(a: Bounded, b: Bounded): number {
  return a.endedBy < b.endedBy ? -1 : Number(a.endedBy > b.endedBy);
}
