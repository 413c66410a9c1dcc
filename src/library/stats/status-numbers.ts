import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "../../store/sqlite.js";
import { cursorOf, isCurrent, readFileRow, readFileRows } from "../catalog/file-rows.js";
import { readLibraryNumbers, type SessionNumbers } from "../catalog/library-numbers.js";
import { MESSAGES, readRows } from "../catalog/number-kinds.js";
import { hasIndex, isIndexAtFault, openIndex } from "../catalog/open-index.js";
import { walkLibrary } from "../sources/walk-library.js";
import { readNumbers } from "../sync/read-numbers.js";
import { useIndex } from "../sync/use-index.js";

/** What a status line shows. */
export interface StatusNumbers {
  /** Of all sessions, as far as they are indexed. */
  readonly recent: readonly SessionNumbers[];
  /** Of the current session, from its start. */
  readonly own: readonly SessionNumbers[];
  readonly last: LastMessage | undefined;
}

/** The size of the context at the last message. */
export interface LastMessage {
  readonly model: string | null;
  readonly contextTokens: number;
}

export interface StatusRequest {
  readonly dataFolder: string;
  readonly roots: readonly string[];
  readonly session: string | undefined; // its path
  readonly since: number;
}

/** A status line is drawn many times an hour: larger syncs are left to other commands. */
const SMALL_SYNC_BYTES = 4_000_000;
const LARGEST_OWN_BYTES = 64_000_000;

export async function readStatusNumbers(request: StatusRequest): Promise<StatusNumbers> {
  const { dataFolder, roots } = request;
  if (!hasIndex(dataFolder)) return readOwn(request) ?? { recent: [], own: [], last: undefined };
  const known = readUnlessSmall(request);
  if (known) return joinOwn(known, readOwn(request));
  return useIndex(dataFolder, roots, {}, (current, sync) => {
    if (!current) return readOwn(request) ?? { recent: [], own: [], last: undefined };
    const known = readIndexed(current.db, request);
    return sync ? known : joinOwn(known, readOwn(request));
  });
}

/** Undefined where a sync is small, or mends the index. */
function readUnlessSmall(request: StatusRequest): StatusNumbers | undefined {
  try {
    const { db, close } = openIndex(request.dataFolder);
    try {
      return pendingBytes(db, request.roots) > SMALL_SYNC_BYTES ? readIndexed(db, request) : undefined;
    } finally {
      close();
    }
  } catch (error) {
    if (isIndexAtFault(error)) return undefined;
    throw error;
  }
}

function pendingBytes(db: Database, roots: readonly string[]): number {
  const rows = readFileRows(db);
  return walkLibrary(roots).files.reduce((sum, file) => {
    const row = rows.get(file.path);
    if (row && isCurrent(row, file)) return sum;
    return sum + Math.max(0, file.size - (row ? (cursorOf(row)?.offset ?? 0) : 0));
  }, 0);
}

function readIndexed(db: Database, { roots, session, since }: StatusRequest): StatusNumbers {
  const recent = readLibraryNumbers(db, roots, { since }).sessions;
  if (session === undefined) return { recent, own: [], last: undefined };
  return { recent, own: readLibraryNumbers(db, roots, { session }).sessions, last: lastMessage(db, session) };
}

/** From the session's own files, without the index. */
function readOwn({ session, since }: StatusRequest): StatusNumbers | undefined {
  const size = session === undefined ? undefined : statSync(session, { throwIfNoEntry: false })?.size;
  if (session === undefined || size === undefined || size > LARGEST_OWN_BYTES) return undefined;
  const db = readNumbers([dirname(session)], [], ({ path, agent }) => (agent?.owner ?? path) === session);
  try {
    return readIndexed(db, { dataFolder: "", roots: [dirname(session)], session, since });
  } finally {
    db.close();
  }
}

function joinOwn(known: StatusNumbers, own: StatusNumbers | undefined): StatusNumbers {
  if (!own) return known;
  const path = own.own[0]?.session.path;
  return { ...own, recent: [...known.recent.filter(({ session }) => session.path !== path), ...own.recent] };
}

function lastMessage(db: Database, session: string): LastMessage | undefined {
  const file = readFileRow(db, session)?.id;
  const timed = file === undefined ? [] : readRows(db, MESSAGES, file);
  const last = timed.reduce((a, b) => ((b.time ?? 0) > (a?.time ?? 0) ? b : a), timed[0]);
  if (!last) return undefined;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = last.usage;
  return { model: last.model, contextTokens: input + cacheRead + cacheWrite5m + cacheWrite1h };
}
