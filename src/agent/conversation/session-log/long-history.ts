import { statSync } from "node:fs";
import { isFileError, unreadableFile } from "../../../errors.js";
import { type Line, parseLine } from "../../../format/reader/parse-line.js";
import { createPeeker } from "../../../format/reader/peek-line.js";
import { LineSplitter, parseRecords, readChunks, readRecordsAt } from "../../../format/reader/record-reader.js";
import type { LogRecord, Place } from "../../../format/record/record.js";
import { type Bodies, bodyPlace, type Node, toNode } from "../../../session/graph/node.js";
import { type Outline, openSession } from "../../../session/open-session.js";
import { type ReplaySelection, selectReplay } from "../../../session/replay/select-replay.js";
import { indexBodies } from "../../../session/turns/build-turn.js";

/** Beginning and end of a session that is too long for a request. */
export interface SessionEnds {
  /** Of the end only. */
  readonly outline: Outline;
  readonly selection: ReplaySelection;
  readonly bodies: Bodies;
  readonly unread: Unread;
  /** A lower bound: the middle is not counted. */
  readonly turns: number;
  readonly brokenLines: number;
}

/**
 * Reads a session that is too long for a request without decoding its middle, of which only parent uuids are read.
 * Undefined if the middle may matter: a compaction or a second root in it, a parent in it of a record at the end, an exit to
 * the beginning, records written before their parents, or lines whose first bytes do not identify
 * them.
 */
export function readEnds(path: string, beginningBytes: number, endBytes: number): SessionEnds | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= beginningBytes + endBytes) return undefined;
  const [beginning, middle, end] = [openPart(), new Middle(), openPart()];
  const splitter = new LineSplitter((line) => {
    if (line.offset < beginningBytes) beginning.push(line);
    else if (line.offset < size - endBytes) middle.push(line);
    else end.push(line);
  });
  splitFile(path, splitter);
  const [first, last] = [beginning.view(), end.view()];
  const isEarly = [...last.uuids.keys()].some((uuid) => middle.parents.has(uuid));
  if (isEarly || !isLeafCertain(last, () => hasText(path, size - endBytes, HINT))) return undefined;
  const selected = selectCompacted(last) ?? selectEnds(first, middle, last, endBytes);
  if (!selected) return undefined;
  const bodies = indexBodies([...beginning.records, ...end.records]);
  const turns = first.turns.length + last.turns.length;
  return { ...selected, outline: last, bodies, turns, brokenLines: first.facts.brokenLines + last.facts.brokenLines };
}

function splitFile(path: string, splitter: LineSplitter): void {
  try {
    for (const chunk of readChunks(path)) splitter.push(chunk);
    splitter.end();
  } catch (error) {
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
}

/** A part of the file that is decoded. */
function openPart() {
  const session = openSession();
  const records: LogRecord[] = [];
  return {
    records,
    push(line: Line): void {
      for (const record of parseLine(line, { forReplay: true })) {
        session.push(record);
        records.push(withoutEnvelope(record));
      }
    },
    view: () => session.view(),
  };
}

/** A part of the file of which only parent uuids are read. */
class Middle {
  readonly parents = new Set<string | null>();
  records = 0;
  readonly #peek = createPeeker();
  #isClear = true;

  push(line: Line): void {
    const peeked = this.#peek(line);
    if (peeked === "unclear") this.#isClear = false;
    else if (peeked !== "beside") {
      this.parents.add(peeked.parentUuid);
      this.records += 1;
    }
  }

  /** Whether it is one conversation: no compaction and no second root. */
  get isOne(): boolean {
    return this.#isClear && !this.parents.has(null);
  }
}

/** The record that names the active leaf. Inside a text its quotes would be escaped. */
const HINT = Buffer.from('"last-prompt"');

/** The last hint counts if its record exists. */
function isLeafCertain({ facts, isAgentFile, activeLeaf, uuids }: Outline, isHintedBefore: () => boolean): boolean {
  if (isAgentFile || activeLeaf === null) return false;
  if (facts.leafHint === null) return !isHintedBefore();
  return facts.leafHint.uuid === null || uuids.has(facts.leafHint.uuid);
}

/** Whether the first `end` bytes of a file contain a text. */
function hasText(path: string, end: number, text: Buffer): boolean {
  let before = Buffer.alloc(0);
  for (const chunk of readChunks(path, 0, end)) {
    if (chunk.includes(text) || Buffer.concat([before, chunk.subarray(0, text.length)]).includes(text)) return true;
    before = Buffer.from(chunk.subarray(-text.length));
  }
  return false;
}

type Selected = Pick<SessionEnds, "selection" | "unread">;

/** If the end contains a compaction, nothing before it is sent. */
function selectCompacted(end: Outline): Selected | undefined {
  const selection = selectReplay(end);
  const firstLine = selection.nodes.reduce((first, { line }) => Math.min(first, line), Number.POSITIVE_INFINITY);
  const isWhole = hasBoundary(end, selection.compactionLine) && selection.missingPreserved === 0;
  if (!isWhole || lastLoose(end) >= firstLine) return undefined;
  return { selection, unread: { after: 0, records: 0 } };
}

/** Without the boundary it is unknown what a compaction preserved; a summary that is a root has none. */
function hasBoundary({ compactions }: Outline, summaryLine: number | null): boolean {
  const found = compactions.find(({ summaryNode }) => summaryNode?.line === summaryLine);
  return found?.summaryNode !== undefined && (found.line < found.summaryNode.line || !found.summaryNode.parentUuid);
}

function selectEnds(beginning: Outline, middle: Middle, end: Outline, endBytes: number): Selected | undefined {
  const selection = selectReplay(end);
  const first = sharedBeginning(beginning, middle, end);
  const last = fromPrompt(selection.nodes, lastLoose(end));
  const isEnough = last.reduce((sum, { length }) => sum + length, 0) >= endBytes / 2;
  if (!first || !isEnough || selection.compactionLine !== null) return undefined;
  const records = middle.records + selection.nodes.length - last.length;
  return { selection: { ...selection, nodes: [...first, ...last] }, unread: { after: first.length, records } };
}

/** The line of the last record whose parent is before the end; 0 if there is none. */
function lastLoose({ warnings }: Outline): number {
  return warnings.reduce((last, { code, line }) => (code === "missing-parent" ? Math.max(last, line) : last), 0);
}

function fromPrompt(nodes: readonly Node[], after: number): readonly Node[] {
  const at = nodes.findIndex(({ role, line }) => role === "prompt" && line > after);
  return at < 0 ? [] : nodes.slice(at);
}

/** The beginning that all paths through the middle share. */
function sharedBeginning(beginning: Outline, middle: Middle, end: Outline): readonly Node[] | undefined {
  const { nodes, compactionLine } = selectReplay(beginning);
  const isLeft = ({ uuid }: Node) => uuid !== undefined && middle.parents.has(uuid);
  const exits = [...beginning.uuids.keys()].filter((uuid) => middle.parents.has(uuid));
  const isAlong = exits.every((uuid) => nodes.some((node) => node.uuid === uuid));
  const isSkipped = end.active.some(({ parentUuid }) => beginning.uuids.has(parentUuid ?? ""));
  const at = nodes.findIndex(isLeft);
  if (!middle.isOne || compactionLine !== null || at < 0 || !isAlong || isSkipped) return undefined;
  return nodes.slice(0, at + 1);
}

/** Records that were not read, after this many of the selected nodes. */
interface Unread {
  readonly after: number;
  readonly records: number;
}

export interface ShortReplay {
  readonly selection: ReplaySelection;
  readonly bodies: Bodies;
  readonly recordsLeftOut: number;
}

/** The share of the size limit that is spent on the beginning. */
export const BEGINNING_SHARE = 1 / 16;

/**
 * Shortens a conversation that is too long for a request to its beginning, a note about the omission, and its end
 * from the start of a turn, if there is one.
 */
export function leaveOutMiddle(
  selection: ReplaySelection,
  maxBytes: number,
  read: (nodes: readonly Node[]) => Bodies,
  unread: Unread = { after: 0, records: 0 },
): ShortReplay {
  const { nodes } = selection;
  const whole = nodes.reduce((sum, { length }) => sum + length, 0);
  if (whole <= maxBytes && unread.records === 0) return { selection, bodies: read(nodes), recordsLeftOut: 0 };
  const beginning = fittingFrom(nodes.slice(0, unread.after || nodes.length), maxBytes * BEGINNING_SHARE);
  const rest = nodes.slice(Math.max(unread.after, beginning.length));
  const fitting = fittingFrom(rest.reverse(), maxBytes * (1 - BEGINNING_SHARE)).reverse();
  const start = fitting.findIndex(({ role }) => role === "prompt");
  const end = start < 0 ? fitting : fitting.slice(start);
  const kept = [...beginning, ...end];
  const recordsLeftOut = nodes.length - kept.length + unread.records;
  const gap = createGap(recordsLeftOut);
  const bodies = read(kept);
  const of = (node: Node) => (node === gap.node ? gap.record : bodies.of(node));
  return {
    selection: { ...selection, nodes: [...beginning, gap.node, ...end] },
    bodies: { of, all: (wanted) => wanted.flatMap((node) => of(node) ?? []) },
    recordsLeftOut,
  };
}

/** The first nodes that fit into the size; always at least one. */
function fittingFrom(nodes: readonly Node[], maxBytes: number): Node[] {
  let bytes = 0;
  const end = nodes.findIndex(({ length }, at) => {
    bytes += length;
    return at > 0 && bytes > maxBytes;
  });
  return nodes.slice(0, end < 0 ? nodes.length : end);
}

function createGap(records: number) {
  const content = `(${records} records of this conversation are left out here: it is longer than a request may be.)`;
  const [record] = parseRecords(JSON.stringify({ type: "user", isMeta: true, message: { role: "user", content } }));
  const node = record && toNode(record);
  if (!node) throw new Error("a user record is a node");
  return { record, node };
}

/** Above this size, keeping records costs more than reading them again. */
const MAX_KEPT_BYTES = 8_000_000;

/**
 * Keeps the records since the last compaction as they are read: most likely those that the replay needs. Others are read
 * again.
 */
export class KeptBodies {
  #records: LogRecord[] = [];
  #bytes = 0;

  constructor(private readonly path: string) {}

  keep(record: LogRecord): void {
    if (record.kind === "system" && record.subtype === "compact_boundary") this.#forget();
    this.#bytes += record.length;
    if (this.#bytes <= MAX_KEPT_BYTES) this.#records.push(withoutEnvelope(record));
    else if (this.#records.length > 0) this.#records = [];
  }

  of(nodes: readonly Node[]): Bodies {
    const kept = indexBodies(this.#records);
    const places = nodes.filter((node) => !kept.of(node)).map(bodyPlace);
    const missing = indexBodies(readAgain(this.path, places));
    const of = (node: Node) => kept.of(node) ?? missing.of(node);
    return { of, all: (wanted) => wanted.flatMap((node) => of(node) ?? []) };
  }

  #forget(): void {
    this.#records = [];
    this.#bytes = 0;
  }
}

function* readAgain(path: string, places: readonly Place[]): Generator<LogRecord> {
  for (const record of readRecordsAt(path, places, { forReplay: true })) yield withoutEnvelope(record);
}

/** Drops the fields around a message, about half of its memory: only the blocks are sent. */
function withoutEnvelope(record: LogRecord): LogRecord {
  if (record.kind === "assistant") return Object.assign(record, { raw: NOTHING });
  return record.kind === "user" ? Object.assign(record, { raw: NOTHING, toolUseResult: undefined }) : record;
}

const NOTHING = {};
