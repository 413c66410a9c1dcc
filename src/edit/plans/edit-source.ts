import { resolve } from "node:path";
import { UserError } from "../../errors.js";
import {
  compareFile,
  digestOf,
  type FileState,
  type KnownFile,
  LineHash,
  readState,
} from "../../format/identity/file-identity.js";
import { sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { LineSplitter, readChunks, readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { bodyPlace, type Node } from "../../session/graph/node.js";
import { type Outline, openSession } from "../../session/open-session.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import { type BodySketch, bodySketcher, isSketched } from "./body-sketch.js";
import { type SourceRecord, toSourceRecord } from "./source-record.js";

/** A session of which another one is made, as of the bytes that its file had when it was opened. */
export interface EditSource {
  readonly id: string;
  readonly path: string;
  /** Where Claude Code put it; differs from the folder of `path` for an unpacked copy. */
  readonly projectDir: string;
  /** The transcript there. */
  readonly transcript: string;
  readonly sizeBytes: number;
  /** To see whether the file still begins with these bytes. */
  readonly known: KnownFile;
  readonly outline: Outline;
  /** All records in file order, those outside of the conversation, repeated and broken ones included. */
  readonly records: readonly SourceRecord[];
  /** Of the bodies, where they were asked for. */
  readonly sketches?: readonly BodySketch[] | undefined;
  /** Where a plan undoes compactions: the contexts that these ended, and the present one, oldest first. */
  readonly contexts?: readonly Outline[];
  /** The turn at the end of a session that is still being written; it is in no new session. */
  readonly openTurn: TurnOutline | null;
  /** The same session along the branch that ends at a record. */
  viewBranch(leaf: string): Outline;
  viewBranchEnd(leaf: string): Outline;
  /** The record that a node of the outline was made of. */
  recordOf(node: Node): SourceRecord | undefined;
}

export interface SourceOptions {
  /** A session with a record of this time (ms since the epoch) or later may still be written. */
  readonly liveSince?: number | undefined;
  /** Where the session belongs, when `path` is a copy. */
  readonly projectDir?: string | undefined;
  /** Sketches the bodies in the same pass, so that pruning need not read the file again. */
  readonly sketchesBodies?: boolean | undefined;
}

/** Reads the file once, one line in memory at a time. */
export function readEditSource(path: string, options: SourceOptions = {}): EditSource {
  const state = stateOfFile(path);
  const session = openSession();
  const records: OpenRecord[] = [];
  const sketches: BodySketch[] | undefined = options.sketchesBodies ? [] : undefined;
  const { liveSince, projectDir = sessionPaths(path).projectDir } = options;
  const transcript = resolve(transcriptOf(projectDir, sessionPaths(path).id));
  const sketchBody = bodySketcher(transcript);
  const splitter = new LineSplitter((line) => {
    const read = parseLine(line, { abridge: true });
    const bodies = sketches && !line.isAbridged && read.some(isAbridged) ? parseLine(line) : read;
    read.forEach((record, at) => {
      session.push(record);
      const known = toSourceRecord(record, line);
      records.push(known);
      const body = bodies[at];
      if (sketches && body && isSketched(known)) sketches.push(sketchBody(known, body));
    });
  });
  const hash = new LineHash();
  let size = 0;
  for (const chunk of readChunks(path, 0, state.size)) {
    splitter.push(chunk);
    hash.add(chunk, splitter.position.offset - size);
    size += chunk.length;
  }
  const { offset } = splitter.position;
  splitter.end();
  const branches = session.viewer(liveSince === undefined ? {} : { liveSince });
  const outline = branches.view();
  const isLive = liveSince !== undefined && Date.parse(outline.facts.endedAt ?? "") >= liveSince;
  const isCutOff = isLive && offset < size && records.at(-1)?.kind === "broken"; // half a line is still being written
  if (isCutOff) records.pop();
  if (outline.isAgentFile) for (const record of records) record.isSidechain = false;
  const last = outline.turns.at(-1);
  const sizeBytes = isCutOff ? offset : size;
  const digest = digestOf(isCutOff ? hash.atLineEnd : hash.all);
  const byOffset = new Map(records.map((record) => [record.offset, record]));
  for (const node of outline.replacements.size === 0 ? [] : outline.active) {
    const record = byOffset.get(bodyPlace(node).offset);
    if (record) record.contextBytes = Math.min(record.contextBytes, replacedBytes(node, outline));
  }
  return {
    id: sessionPaths(path).id,
    path,
    projectDir,
    transcript,
    sizeBytes,
    known: { ...state, bytes: { length: sizeBytes, digest } },
    outline,
    records,
    sketches: sketches?.filter(({ record }) => !record.isSidechain),
    openTurn: last && !last.isComplete ? last : null,
    viewBranch: branches.view,
    viewBranchEnd: branches.viewEnd,
    recordOf: (node) => byOffset.get(bodyPlace(node).offset),
  };
}

/** Of results that the model saw in another form; where it saw one of them as it is stored, all count as stored. */
function replacedBytes({ results = [] }: Node, { replacements }: Outline): number {
  const texts = results.map(({ id }) => replacements.get(id));
  if (texts.length === 0) return Number.POSITIVE_INFINITY;
  return texts.reduce(
    (sum, text) => sum + (text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(text))),
    0,
  );
}

type OpenRecord = { -readonly [Field in keyof SourceRecord]: SourceRecord[Field] };

function isAbridged(record: LogRecord): boolean {
  return record.kind !== "broken" && record.isAbridged;
}

function stateOfFile(path: string): FileState {
  const state = readState(path);
  if (state) return state;
  throw new UserError("not-found", `no such file: ${path}`, "`turnlog list` shows the sessions there are");
}

/**
 * Throws if the file no longer begins with the bytes that were planned with: what is read at the planned places would be
 * anything. Returns how many bytes were added since.
 */
export function requireUnchanged({ path, known }: EditSource): number {
  const change = compareFile(path, known);
  if (change === "same" || change === "grown") return Math.max(0, (readState(path)?.size ?? 0) - known.size);
  const what = change === "gone" ? "is no longer there" : "was rewritten while it was edited";
  throw new UserError("busy", `${path} ${what}`, "nothing was written; run the command again");
}

/** Whole records, one at a time, each with what the edit knows of it. */
export function* readFullRecords(source: EditSource): Generator<[LogRecord, SourceRecord]> {
  let at = 0;
  for (const record of readRecords(source.path)) {
    const known = source.records[at++];
    if (known === undefined) break; // what was added since
    yield [record, known];
  }
  requireUnchanged(source);
}

/** What a session that is still being written has not finished: its open turn, what comes after it, and half a line. */
export interface OpenEnd {
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly notes: readonly string[];
}

const REASON = "a turn that is still open";

export function cutOpenTurn({ openTurn, outline, records, recordOf }: EditSource): OpenEnd {
  if (!openTurn) return { removed: new Map(), notes: [] };
  if (openTurn.index === 1) {
    throw new UserError("busy", "the session is still in its first turn", "wait until Claude Code has answered");
  }
  const removed = new Map<SourceRecord, string>();
  for (const node of openTurn.nodes) {
    const record = recordOf(node);
    if (record) removed.set(record, REASON);
  }
  const cut = openTurn.start.line;
  for (const record of records) {
    if (record.line >= cut && !isOnBranch(record)) removed.set(record, REASON);
  }
  const count = outline.turns.length - 1;
  return { removed, notes: [`the session is being written: turn ${count + 1} is incomplete and omitted`] };

  /** Records after the cut that belong to earlier turns stay: late results. */
  function isOnBranch({ uuid }: SourceRecord): boolean {
    return uuid !== undefined && outline.uuids.has(uuid);
  }
}
