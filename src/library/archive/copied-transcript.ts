import { dirname } from "node:path";
import { sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import { listSessionFiles } from "../../format/layout/sessions-of-project.js";
import { readChunks, readRecords } from "../../format/reader/record-reader.js";
import type { Archive } from "../found-session.js";
import { archivedFolderOf, readArchived } from "./archive.js";
import { openArchived } from "./open-archived.js";
import { type KnownLine, linesOf, openWhole, type Place, temporaryPath, writeLines } from "./whole-transcript.js";

/*
 * `--fork-session` copies a compacted session from its last compaction on, under the same uuids (2.1.326). What was before that is in
 * the session that was copied, beside it in the project or in the archive.
 */

/** A transcript with what is before its first compaction. */
export interface CopiedTranscript {
  readonly path: string;
  /** The session that has the beginning, and how many lines of it; null where nothing is missing or nobody has it. */
  readonly from: { readonly id: string; readonly lines: number } | null;
}

/** `owner` is where the session belongs, `place` where its transcript is read. */
export function openWithSource(archive: Archive | undefined, owner: string, place: Place): CopiedTranscript {
  const asItIs = { path: place.path, from: null };
  const boundary = cutBoundary(place.path);
  if (!boundary) return asItIs;
  const { id } = sessionPaths(owner);
  for (const source of candidates(owner, boundary.sources, archive)) {
    if (source.id === id) continue;
    const path = source.open();
    if (path === undefined || !hasRecord(path, boundary.uuid)) continue;
    const shared = countShared(path, new Set(uuidsOf(place.path)));
    const target = temporaryPath(place);
    writeLines(
      target,
      joinLines(path, shared, place.path, (line) => asOwn(line, source.id, id)),
    );
    return { path: target, from: { id: source.id, lines: shared } };
  }
  return asItIs;
}

/** How many lines the copied session has up to the last one that was copied; what follows is its own. */
function countShared(path: string, copied: ReadonlySet<string>): number {
  let lines = 0;
  let shared = 0;
  for (const { records } of linesOf(readChunks(path))) {
    lines += 1;
    if (uuidsIn(records).some((uuid) => copied.has(uuid))) shared = lines;
  }
  return shared;
}

/** A copy puts what the compaction preserved behind the summary, so shared records are taken as the source has them. */
function* joinLines(
  source: string,
  shared: number,
  copy: string,
  asCopied: (line: KnownLine) => Buffer,
): Generator<Buffer> {
  const known = new Set<string>();
  let lines = 0;
  for (const line of linesOf(readChunks(source))) {
    if (lines++ === shared) break;
    for (const uuid of uuidsIn(line.records)) known.add(uuid);
    yield asCopied(line);
  }
  for (const { bytes, records } of linesOf(readChunks(copy))) {
    if (!uuidsIn(records).some((uuid) => known.has(uuid))) yield bytes;
  }
}

function uuidsIn(records: KnownLine["records"]): string[] {
  return records.flatMap((record) => (record.kind === "broken" ? [] : (record.uuid ?? [])));
}

interface CutBoundary {
  readonly uuid: string;
  /** Sessions that the records name as theirs, the likeliest first. */
  readonly sources: readonly string[];
}

/** The first compaction, where the file has nothing that was said before it but what it preserved. */
function cutBoundary(path: string): CutBoundary | undefined {
  let uuid: string | undefined;
  const named = new Set<string>();
  for (const record of readRecords(path, { abridge: true })) {
    if (record.kind === "broken" || record.isSidechain) continue;
    if (uuid === undefined) {
      if (record.kind === "user" || record.kind === "assistant") return undefined;
      const isBoundary = record.kind === "system" && record.subtype === "compact_boundary";
      if (isBoundary && record.logicalParentUuid !== undefined) uuid = record.uuid;
    }
    if (record.kind !== "assistant" && record.kind !== "user") continue;
    const owner = record.kind === "assistant" ? record.requestSessionId : undefined;
    for (const id of [owner, record.forkedFrom?.sessionId, record.sessionId]) if (id !== undefined) named.add(id);
  }
  return uuid === undefined ? undefined : { uuid, sources: [...named] };
}

interface Candidate {
  readonly id: string;
  readonly open: () => string | undefined;
}

/** Those that the records name, then all of the project. */
function* candidates(owner: string, named: readonly string[], archive: Archive | undefined): Generator<Candidate> {
  const folder = dirname(owner);
  const here = new Set(listSessionFiles(folder).sessions.map(({ id }) => id));
  for (const id of new Set([...named, ...here])) {
    const path = transcriptOf(folder, id);
    yield { id, open: () => (here.has(id) ? openWhole(archive, path).path : openDeleted(archive, path)) };
  }
}

function openDeleted(archive: Archive | undefined, path: string): string | undefined {
  const folder = archive && archivedFolderOf(archive, path);
  const session = folder === undefined ? undefined : readArchived(folder);
  return session?.files[0] ? openArchived(session) : undefined;
}

function hasRecord(path: string, uuid: string): boolean {
  let rest = Buffer.alloc(0);
  const wanted = Buffer.from(`"${uuid}"`);
  for (const chunk of readChunks(path)) {
    const piece = Buffer.concat([rest, chunk]);
    if (piece.includes(wanted) && [...uuidsOf(path)].includes(uuid)) return true;
    rest = piece.subarray(-wanted.length);
  }
  return false;
}

function* uuidsOf(path: string): Generator<string> {
  for (const record of readRecords(path, { abridge: true })) {
    if (record.kind !== "broken" && record.uuid !== undefined) yield record.uuid;
  }
}

/** As Claude Code copies a line: it is of the new session, and an answer says which session asked for it. */
function asOwn({ bytes, records: [record] }: KnownLine, source: string, id: string): Buffer {
  const text = bytes.toString("latin1").replaceAll(`"sessionId":"${source}"`, `"sessionId":"${id}"`);
  const isMarked = record?.kind !== "assistant" || record.requestSessionId !== undefined;
  return Buffer.from(isMarked ? text : text.replace(/^\s*\{/, `{"requestSessionId":"${source}",`), "latin1");
}
