import { statSync } from "node:fs";
import { UserError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { listMembers, listStrings } from "../../format/reader/json-members.js";
import { isStringAt, readString } from "../../format/reader/json-scanner.js";
import { type Line, LineSplitter } from "../../format/reader/line-splitter.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { readChunks, readRecords } from "../../format/reader/record-reader.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { LogRecord, Place } from "../../format/record/record.js";
import { contextBytes } from "../../format/writer/context-size.js";
import { bodyPlace, type Node, toNode } from "../../session/graph/node.js";
import { openSession } from "../../session/open-session.js";
import type { Outline } from "../../session/outline.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";

/** A session of which another one is made, as of the bytes that its file had when it was opened. */
export interface EditSource {
  readonly id: string;
  readonly path: string;
  /** Where the client put it; differs from the folder of `path` for an unpacked copy. */
  readonly projectDir: string;
  readonly sizeBytes: number;
  readonly outline: Outline;
  /** All records in file order, those outside of the conversation, repeated and broken ones included. */
  readonly records: readonly SourceRecord[];
  /** The turn at the end of a session that is still being written; it is in no new session. */
  readonly openTurn: TurnOutline | null;
  /** The same session along the branch that ends at a record. */
  viewBranch(leaf: string): Outline;
  /** The record that a node of the outline stands for. */
  recordOf(node: Node): SourceRecord | undefined;
}

/** A record of the file: its node, or the place and kind of one outside of the conversation, with what an edit needs besides. */
export interface SourceRecord extends Node {
  readonly type: string | undefined;
  /** The ids to which a record outside of the conversation refers. */
  readonly refs: readonly string[];
  readonly contextBytes: number;
  readonly hasThinking: boolean;
}

export interface SourceOptions {
  /** A session with a record of this time (ms since the epoch) or later may still be written. */
  readonly liveSince?: number | undefined;
  /** Where the session belongs, when `path` is a copy. */
  readonly projectDir?: string | undefined;
}

export function readEditSource(path: string, options: SourceOptions = {}): EditSource {
  const { size } = statFile(path);
  const session = openSession();
  const read: SourceRecord[] = [];
  const splitter = new LineSplitter((line) => {
    for (const record of parseLine(line, { abridge: true })) {
      session.push(record);
      read.push(toSourceRecord(record, line));
    }
  });
  for (const chunk of readChunks(path, 0, size)) splitter.push(chunk);
  const { offset } = splitter.position;
  splitter.end();
  const { liveSince, projectDir = sessionPaths(path).projectDir } = options;
  const viewBranch = session.viewer(liveSince === undefined ? {} : { liveSince });
  const outline = viewBranch();
  const isLive = liveSince !== undefined && Date.parse(outline.facts.endedAt ?? "") >= liveSince;
  const isCutOff = isLive && offset < size && read.at(-1)?.kind === "broken"; // half a line is still being written
  if (isCutOff) read.pop();
  const records = outline.isAgentFile ? read.map(({ isSidechain: _isSidechain, ...record }) => record) : read;
  const last = outline.turns.at(-1);
  const openTurn = last && !last.isComplete ? last : null;
  const byOffset = new Map(records.map((record) => [record.offset, record]));
  return {
    id: sessionPaths(path).id,
    path,
    projectDir,
    sizeBytes: isCutOff ? offset : size,
    outline,
    records,
    openTurn,
    viewBranch,
    recordOf: (node) => byOffset.get(bodyPlace(node).offset),
  };
}

/** Where a record continues: a compaction's boundary has no parent, but names the record before it. */
export function continuedFrom({ logicalParentUuid, parentUuid }: Node): string | null | undefined {
  return logicalParentUuid ?? parentUuid;
}

/** A record without uuid is part of the conversation by its kind. */
export function isInConversation({ kind, uuid }: Node): boolean {
  return kind !== "side" && kind !== "broken" && (kind !== "other" || uuid !== undefined);
}

/** Logs of requests hold the text of all records before them. */
export function isRequestLog(type: string | undefined): boolean {
  return type?.startsWith("api-request") ?? false;
}

function statFile(path: string): { size: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return stats;
  throw new UserError("not-found", `no such file: ${path}`, "`turnlog list` shows the sessions there are");
}

function toSourceRecord(record: LogRecord, line: Line): SourceRecord {
  const node = toNode(record);
  const isLog = isRequestLog(record.type);
  return {
    ...(node ?? toBareNode(record)),
    type: record.type,
    refs: node || isLog || record.kind === "broken" ? NO_REFS : listRefs(bytesOf(record, line)),
    contextBytes: !node ? 0 : line.isAbridged ? record.length : contextBytes(bytesOf(record, line)),
    hasThinking: record.kind === "assistant" && record.blocks.some(isThinking),
  };
}

/** A record that is no part of the conversation. */
function toBareNode(record: LogRecord): Node {
  const { line, offset, length, kind } = record;
  const node = { line, offset, length, kind, role: "plain" } as const;
  if (record.kind === "broken") return node;
  const { uuid, parentUuid, timestamp, isSidechain } = record;
  const time = Date.parse(timestamp ?? "");
  return {
    ...node,
    uuid,
    parentUuid,
    time: Number.isNaN(time) ? undefined : time,
    ...(isSidechain ? { isSidechain } : {}),
  };
}

const NO_REFS: readonly string[] = [];

/** Signed as a whole, so that it cannot be changed. */
export function isThinking({ kind }: ContentBlock): boolean {
  return kind === "thinking" || kind === "redactedThinking";
}

function bytesOf({ offset, length }: Place, { bytes, start, end, offset: lineOffset }: Line): Buffer {
  const from = start + offset - lineOffset;
  return bytes.subarray(from, Math.min(end, from + length));
}

/** Snapshots name messages, last prompts and summaries the end of a conversation. */
function listRefs(bytes: Buffer): readonly string[] {
  const refs = listMembers(bytes)
    .filter(({ key, start }) => key !== "sessionId" && (isStringAt(bytes, start) ? isRef(key) : key === "snapshot"))
    .flatMap((member) => [...listStrings(bytes, member)].filter(({ key }) => isRef(key)))
    .flatMap(({ start, end }) => readString(bytes, start, end) ?? []);
  return refs.length === 0 ? NO_REFS : refs;
}

function isRef(key: string): boolean {
  return /(?:uuid|messageId)$/i.test(key);
}

/** Whole records, one at a time, each with what the edit knows of it. */
export function* readFullRecords(source: EditSource): Generator<[LogRecord, SourceRecord]> {
  let at = 0;
  for (const record of readRecords(source.path)) {
    const known = source.records[at++];
    if (known === undefined) return; // what was added since
    yield [record, known];
  }
}

/** What a session that is still being written has not finished: its open turn, what stands after it, and half a line. */
export interface OpenEnd {
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly notes: readonly string[];
}

const REASON = "a turn that is still open";

export function cutOpenTurn({ openTurn, outline, records, recordOf }: EditSource): OpenEnd {
  if (!openTurn) return { removed: new Map(), notes: [] };
  if (openTurn.index === 1) {
    throw new UserError("busy", "the session is still in its first turn", "wait until the client has answered");
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
  return { removed, notes: [`the session is being written: turn ${count + 1} is not complete and left out`] };

  /** What stands after the cut and belongs to earlier turns stays: late results. */
  function isOnBranch({ uuid }: SourceRecord): boolean {
    return uuid !== undefined && outline.uuids.has(uuid);
  }
}
