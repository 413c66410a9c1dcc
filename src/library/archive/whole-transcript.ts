import { constants } from "node:buffer";
import { hash } from "node:crypto";
import { closeSync, existsSync, openSync, renameSync, symlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { compareFile, readState, stateKey } from "../../format/identity/file-identity.js";
import { configRootOf, sessionPaths } from "../../format/layout/session-paths.js";
import { type Line, parseLine } from "../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { makeFolder } from "../../store/make-folder.js";
import { makeTemporaryFolder } from "../../store/temporary.js";
import type { Archive } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type ArchivedSession, archivedFolderOf, manifestOf, readArchived } from "./archive.js";
import { type ArchivedFile, knownFileOf } from "./archived-file.js";
import { readMembers } from "./gzip-members.js";

/*
 * Claude Code 2.1.326 can trim a transcript when it compacts the conversation: what was before the summary is gone from the
 * file, and the archive has it in a former copy. Here the two are put together again.
 */

/** A transcript with its beginning, for reading. */
export interface WholeTranscript {
  /** The transcript itself where nothing is missing, else a temporary file in the same layout. */
  readonly path: string;
  /** How many lines only the archive has. */
  readonly archivedLines: number;
}

interface Kept extends WholeTranscript {
  readonly key: string;
}

/** By transcript: a session that goes on keeps its temporary file, which then grows as the session does. */
const made = new Map<string, Kept>();

/** Where a transcript is read: at its path, or in a folder with the layout of its root where it was unpacked. */
export interface Place {
  readonly path: string;
  readonly root: string;
}

/** A session as if it had never been trimmed, as far as the archive has it. `owner` is the path of its transcript. */
export function openWhole(
  archive: Archive | undefined,
  owner: string,
  place: Place = { path: owner, root: configRootOf(owner) },
): WholeTranscript {
  const { path } = place;
  const asItIs = { path, archivedLines: 0 };
  const folder = archive && archivedFolderOf(archive, owner);
  const session = folder === undefined ? undefined : readArchived(folder);
  const state = session && readState(path);
  if (!session || !state || folder === undefined) return asItIs;
  const known = made.get(path);
  const manifest = readState(manifestOf(folder));
  const key = `${stateKey(state)} ${manifest && stateKey(manifest)}`;
  if (known?.key === key) return known;
  const whole = skipUnreadable(folder, [], () => joinVersions(session, place, known?.path)) ?? asItIs;
  made.set(path, { ...whole, key });
  return whole;
}

function joinVersions(session: ArchivedSession, place: Place, known: string | undefined): WholeTranscript | undefined {
  const { path } = place;
  const copies = formerCopies(session, path);
  if (copies.length === 0) return undefined;
  const present = scan(readChunks(path));
  const versions = present.missing.size === 0 ? [] : chooseVersions(session, copies, present);
  if (versions.length === 0) return undefined;
  const target = known !== undefined && known !== path ? known : temporaryPath(place);
  const lines = writeJoined(target, [...versions, { ...present, pieces: () => readChunks(path) }]);
  return { path: target, archivedLines: lines - present.count };
}

/** Copies of the transcript that are not just its beginning, the oldest first. */
function formerCopies({ files, former }: ArchivedSession, path: string): ArchivedFile[] {
  const [latest] = files;
  if (!latest) return [];
  const known = knownFileOf(latest);
  const isBeginning = known !== undefined && compareFile(path, known) !== "rewritten";
  return [...former.filter(({ name }) => name === latest.name), ...(isBeginning ? [] : [latest])];
}

/** What the lines of a version are, and which records they name without having them. */
interface Scan {
  readonly count: number;
  readonly lines: ReadonlySet<string>; // digests
  readonly uuids: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
}

interface Version extends Scan {
  readonly pieces: () => Iterable<Buffer>;
}

/**
 * The latest copy, and before it each that has records which the later ones name and do not have. Lines that Claude Code took
 * back are named by none, so they stay out.
 */
function chooseVersions({ folder }: ArchivedSession, copies: readonly ArchivedFile[], present: Scan): Version[] {
  const chosen: Version[] = [];
  let missing = present.missing;
  for (const { data, packedLength } of copies.toReversed()) {
    if (missing.size === 0) break;
    const pieces = () => readMembers(join(folder, data), packedLength);
    const version = { ...scan(pieces()), pieces };
    const isNamed = [...missing].some((uuid) => version.uuids.has(uuid));
    const isLatest = chosen.length === 0 && [...version.uuids].some((uuid) => !present.uuids.has(uuid));
    if (!isNamed && !isLatest) continue;
    chosen.unshift(version);
    missing = new Set([...missing, ...version.missing].filter((uuid) => !version.uuids.has(uuid)));
  }
  return chosen;
}

function scan(pieces: Iterable<Buffer>): Scan {
  const lines = new Set<string>();
  const uuids = new Set<string>();
  const named = new Set<string>();
  let count = 0;
  for (const line of linesOf(pieces)) {
    count += 1;
    lines.add(line.digest);
    for (const record of line.records) {
      if (record.kind === "broken") continue;
      if (record.uuid !== undefined) uuids.add(record.uuid);
      for (const uuid of parentsOf(record)) named.add(uuid);
    }
  }
  return { count, lines, uuids, missing: new Set([...named].filter((uuid) => !uuids.has(uuid))) };
}

function parentsOf(record: LogRecord): string[] {
  if (record.kind === "broken") return [];
  const logical = record.kind === "system" ? record.logicalParentUuid : undefined;
  return [record.parentUuid, logical].filter((uuid) => typeof uuid === "string");
}

export interface KnownLine {
  readonly bytes: Buffer; // with its newline, if it has one
  readonly digest: string;
  readonly records: readonly LogRecord[];
}

export function* linesOf(pieces: Iterable<Buffer>): Generator<KnownLine> {
  let found: KnownLine[] = [];
  const splitter = new LineSplitter((line) => void found.push(toKnownLine(line)), {
    maxLineBytes: constants.MAX_STRING_LENGTH,
  });
  for (const piece of pieces) {
    splitter.push(piece);
    yield* found;
    found = [];
  }
  splitter.end();
  yield* found;
}

const NEWLINE = Buffer.from("\n");

function toKnownLine(line: Line): KnownLine {
  const text = line.bytes.subarray(line.start, line.end);
  const bytes = line.isTerminated ? Buffer.concat([text, NEWLINE]) : Buffer.from(text);
  return { bytes, digest: hash("sha1", text, "base64"), records: parseLine(line, { abridge: true }) };
}

/** Each version without what an earlier one has. Returns the number of lines. */
function writeJoined(target: string, versions: readonly Version[]): number {
  return writeLines(target, joinLines(versions));
}

function* joinLines(versions: readonly Version[]): Generator<Buffer> {
  const written = new Set<string>();
  for (const version of versions) {
    for (const { bytes } of newLines(version, written)) yield bytes;
    for (const line of version.lines) written.add(line);
  }
}

/** Returns the number of lines. */
export function writeLines(target: string, lines: Iterable<Buffer>): number {
  const draft = `${target}.new`;
  const file = openSync(draft, "w", 0o600);
  let count = 0;
  try {
    for (const bytes of lines) {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      count += 1;
    }
  } finally {
    closeSync(file);
  }
  renameSync(draft, target);
  return count;
}

/**
 * A trimmed file begins with lines that it kept. Of what follows, records are left out that are there already; other lines
 * stay, because of those the last one counts.
 */
function* newLines({ pieces }: Version, written: ReadonlySet<string>): Generator<KnownLine> {
  let isKept = true;
  for (const line of linesOf(pieces())) {
    const isWritten = written.has(line.digest);
    isKept &&= isWritten;
    const isRecord = line.records.some((record) => record.kind !== "broken" && record.uuid !== undefined);
    if (!(isWritten && (isKept || isRecord))) yield line;
  }
}

/** In the same layout, with the side files and backups of the session beside it. */
export function temporaryPath({ path, root }: Place): string {
  const folder = makeTemporaryFolder("whole");
  const target = join(folder, "projects", basename(dirname(path)), basename(path));
  const [from, to] = [sessionPaths(path), sessionPaths(target)];
  makeFolder(to.projectDir);
  makeFolder(dirname(to.fileHistoryDir(folder)));
  linkFolder(from.sideDir, to.sideDir);
  linkFolder(from.fileHistoryDir(root), to.fileHistoryDir(folder));
  return target;
}

function linkFolder(folder: string, link: string): void {
  if (existsSync(folder)) symlinkSync(folder, link, "junction");
}
