import { dirname, join, relative } from "node:path";
import { attempt } from "../../format/layout/folder-listing.js";
import { peekLastTime } from "../../format/reader/last-time.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { listIds, listRows, type NumberRows } from "../../session/number-rows.js";
import { type Outline, readSession } from "../../session/open-session.js";
import { countFigures, type SessionCosts, spentByPart } from "../../session/session-spend.js";
import { allKeys } from "../entries/file-numbers.js";
import type { ReadFile } from "../load/subagents.js";
import { filesWithTexts } from "../sources/ripgrep.js";
import { type LibraryFile, ownerOf } from "../sources/walk-library.js";
import { type CopyingFile, costsInLibrary, type FileFigures, findCopies } from "./copies.js";

/** A session and its sub-agents as they were read. */
export interface ReadSession {
  readonly path: string;
  readonly files: readonly RowsOfFile[]; // its own is the first
}

interface RowsOfFile {
  readonly path: string;
  readonly ids: readonly string[];
  readonly rows: NumberRows;
}

/** The session's own file as it was read, perhaps from an unpacked copy, and those of its sub-agents. */
export function toReadSession(path: string, own: ReadFile, agents: readonly ReadFile[]): ReadSession {
  const below = (agent: string) => relative(dirname(own.path), agent);
  const placed = agents.map((agent) => toRows(join(dirname(path), below(agent.path)), agent.outline, true));
  return { path, files: [toRows(path, own.outline, false), ...placed] };
}

function toRows(path: string, outline: Outline, isAgent: boolean): RowsOfFile {
  return { path, ids: listIds(outline), rows: listRows(outline, isAgent) };
}

/** The files of a library, and what looks through them. */
export interface SearchedLibrary {
  readonly ripgrep: string;
  readonly files: readonly LibraryFile[];
}

/** Clocks differ, and programs that pack files mistake time zones. */
const TOLERANCE_MS = 24 * 60 * 60_000;

/**
 * What sessions did and spent, by path, without an index: which of it counts in another session is known when the files are read
 * that hold the same ids. `readMore` reads further sessions that are shown, of which one of these holds a part; they are in the
 * answer too.
 */
export function costsAmong(
  sessions: readonly ReadSession[],
  { ripgrep, files }: SearchedLibrary,
  prices: PriceTable | undefined,
  readMore: (session: string) => ReadSession | undefined = () => undefined,
): Map<string, SessionCosts> {
  const read = new Map(sessions.map((session) => [session.path, session]));
  const others = new Map<string, CopyingFile>();
  for (let added = sessions; added.length > 0; ) {
    const own = new Set([...read.values()].flatMap((session) => session.files.map(({ path }) => path)));
    const found = findSharing(added, files, ripgrep).filter(({ path }) => !own.has(path) && !others.has(path));
    added = [];
    for (const file of found) {
      const session = ownerOf(file, []).path ?? file.path;
      const more = read.has(session) ? undefined : readMore(session);
      if (more) {
        added = [...added, more];
        read.set(session, more);
        continue;
      }
      const rows = attempt(file.path, [], () => readRows(file));
      if (rows) others.set(file.path, toCopying(file.path, session, rows));
    }
  }
  const all = [...read.values()].flatMap(({ path, files: own }) =>
    own.map((file) => toCopying(file.path, path, file.rows)),
  );
  const copies = findCopies([...all, ...others.values()]);
  return new Map(
    [...read.values()].map(({ path, files: [own, ...agents] }) => [
      path,
      costsInLibrary(own ? toFigures(own) : EMPTY, agents.map(toFigures), copies, prices),
    ]),
  );
}

const EMPTY: FileFigures = { path: "", spent: [], counts: countFigures({}) };

function findSharing(sessions: readonly ReadSession[], files: readonly LibraryFile[], ripgrep: string): LibraryFile[] {
  const own = sessions.flatMap((session) => session.files);
  const ids = new Set(own.flatMap((file) => file.ids.map((id) => JSON.stringify(id).slice(1, -1))));
  if (ids.size === 0) return [];
  const earliest = own.reduce((time, { rows }) => Math.min(time, earliestOf(rows)), Number.POSITIVE_INFINITY);
  const isOwn = new Set(own.map(({ path }) => path));
  const possible = files.filter(
    (file) => file.archive === null && !isOwn.has(file.path) && isWrittenSince(file, earliest - TOLERANCE_MS),
  );
  const found = new Set(
    filesWithTexts(
      ripgrep,
      ids,
      possible.map(({ path }) => path),
    ),
  );
  return possible.filter(({ path }) => found.has(path));
}

/** A copy keeps the time of its original, and is written later. Where the time of the file was set back, its last records tell. */
function isWrittenSince({ path, size, mtimeMs, ctimeMs }: LibraryFile, time: number): boolean {
  if (mtimeMs >= time || (ctimeMs !== 0 && ctimeMs < time)) return mtimeMs >= time;
  return (attempt(path, [], () => peekLastTime(path, size)) ?? time) >= time;
}

/** What has no time may be anywhere. */
function earliestOf({ messages, calls, turns }: NumberRows): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const rows of [messages, calls, turns]) {
    for (const { time } of rows) earliest = Math.min(earliest, time ?? Number.NEGATIVE_INFINITY);
  }
  return earliest;
}

export function readRows({ open, agent }: Pick<LibraryFile, "open" | "agent">): NumberRows {
  return listRows(readSession(open()).session.view(), agent !== undefined);
}

function toCopying(path: string, session: string, rows: NumberRows): CopyingFile {
  return { path, session, keys: allKeys(rows), readRows: () => rows };
}

function toFigures({ path, rows }: RowsOfFile): FileFigures {
  return { path, spent: spentByPart(rows.messages), counts: countFigures(rows) };
}
