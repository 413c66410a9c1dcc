import { statSync } from "node:fs";
import { isFileError, unreadableFile } from "../format/file-error.js";
import { type Line, LineSplitter } from "../format/line-splitter.js";
import { parseLine } from "../format/parse-line.js";
import { createPeeker } from "../format/peek-line.js";
import type { LogRecord } from "../format/record.js";
import { readChunks } from "../format/record-reader.js";
import { type Bodies, indexBodies } from "../session/bodies.js";
import type { Node } from "../session/node.js";
import { openSession } from "../session/open-session.js";
import type { Outline } from "../session/outline.js";
import { type ReplaySelection, selectReplay } from "../session/select-replay.js";
import { withoutEnvelope } from "./kept-bodies.js";
import type { Unread } from "./leave-out-middle.js";

/** Both ends of a long session, as far as a model may be told them. */
export interface SessionEnds {
  /** Of the end alone. */
  readonly outline: Outline;
  readonly selection: ReplaySelection;
  readonly bodies: Bodies;
  readonly unread: Unread;
  /** At least so many, as the middle is not counted. */
  readonly turns: number;
  readonly brokenLines: number;
}

/**
 * Reads a session that is longer than any request without decoding its middle, of which only the parents are looked at.
 * Undefined where the middle may matter: a compaction or a second beginning in it, a way back into it from the end or out of
 * it to the beginning, records in it that were written before their parents, or lines whose first bytes do not tell what they
 * are.
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
  const told = selectCompacted(last) ?? selectEnds(first, middle, last, endBytes);
  if (!told) return undefined;
  const bodies = indexBodies([...beginning.records, ...end.records]);
  const turns = first.turns.length + last.turns.length;
  return { ...told, outline: last, bodies, turns, brokenLines: first.facts.brokenLines + last.facts.brokenLines };
}

function splitFile(path: string, splitter: LineSplitter): void {
  try {
    for (const chunk of readChunks(path)) splitter.push(chunk);
    splitter.end();
  } catch (error) {
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
}

/** A part of the file whose lines are decoded. */
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

/** A part of the file of which only the parents are looked at. */
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

  /** One conversation that goes on: after a compaction, or from a second beginning, it is another. */
  get isOne(): boolean {
    return this.#isClear && !this.parents.has(null);
  }
}

/** Where the client noted what the conversation ends with. Within a text the quotes would be escaped. */
const HINT = Buffer.from('"last-prompt"');

/** The last hint counts, if it names a record. */
function isLeafCertain({ facts, isAgentFile, activeLeaf, uuids }: Outline, isHintedBefore: () => boolean): boolean {
  if (isAgentFile || activeLeaf === null) return false;
  if (facts.leafHint === null) return !isHintedBefore();
  return facts.leafHint.uuid === "" || uuids.has(facts.leafHint.uuid);
}

/** Whether a text stands in the first bytes of a file. */
function hasText(path: string, end: number, text: Buffer): boolean {
  let before = Buffer.alloc(0);
  for (const chunk of readChunks(path, 0, end)) {
    if (chunk.includes(text) || Buffer.concat([before, chunk.subarray(0, text.length)]).includes(text)) return true;
    before = Buffer.from(chunk.subarray(-text.length));
  }
  return false;
}

type Told = Pick<SessionEnds, "selection" | "unread">;

/** Where the end begins with what a compaction left, nothing before it is told. */
function selectCompacted(end: Outline): Told | undefined {
  const selection = selectReplay(end);
  const firstLine = selection.nodes.reduce((first, { line }) => Math.min(first, line), Number.POSITIVE_INFINITY);
  const isWhole = hasBoundary(end, selection.compactionLine) && selection.missingPreserved === 0;
  if (!isWhole || lastLoose(end) >= firstLine) return undefined;
  return { selection, unread: { after: 0, records: 0 } };
}

/** Without its boundary nobody knows what a compaction kept; a summary that is a root has none. */
function hasBoundary({ compactions }: Outline, summaryLine: number | null): boolean {
  const found = compactions.find(({ summaryNode }) => summaryNode?.line === summaryLine);
  return found?.summaryNode !== undefined && (found.line < found.summaryNode.line || !found.summaryNode.parentUuid);
}

function selectEnds(beginning: Outline, middle: Middle, end: Outline, endBytes: number): Told | undefined {
  const selection = selectReplay(end);
  const first = sharedBeginning(beginning, middle, end);
  const last = fromPrompt(selection.nodes, lastLoose(end));
  const isEnough = last.reduce((sum, { length }) => sum + length, 0) >= endBytes / 2;
  if (!first || !isEnough || selection.compactionLine !== null) return undefined;
  const records = middle.records + selection.nodes.length - last.length;
  return { selection: { ...selection, nodes: [...first, ...last] }, unread: { after: first.length, records } };
}

/** The line of the last record that hangs on something before the end; 0 where none does. */
function lastLoose({ warnings }: Outline): number {
  return warnings.reduce((last, { code, line }) => (code === "missing-parent" ? Math.max(last, line) : last), 0);
}

function fromPrompt(nodes: readonly Node[], after: number): readonly Node[] {
  const at = nodes.findIndex(({ role, line }) => role === "prompt" && line > after);
  return at < 0 ? [] : nodes.slice(at);
}

/** What every way through the middle has before it. */
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
