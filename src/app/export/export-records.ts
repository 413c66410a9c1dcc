import { redactRecord } from "../../edit/write/edited-lines.js";
import { type Line, parseLine } from "../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Clean, Redactor } from "../../redact/create-redactor.js";
import { type Bodies, joinBodies } from "../../session/graph/node.js";
import { replaySelection } from "../../session/replay/api-replay.js";
import type { ReplayItem } from "../../session/replay/replay-report.js";
import { joinSelections, type ReplaySelection, selectReplay } from "../../session/replay/select-replay.js";
import { readBodies } from "../../session/turns/build-turn.js";

type OnNote = (note: string) => void;

/** The file byte by byte. */
export function* copyPieces(path: string): Generator<Uint8Array> {
  for (const chunk of readChunks(path)) yield Buffer.from(chunk);
}

/** Redacting takes about five times the size of a line in memory; long texts of longer lines are cut. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Line by line: only strings with findings are rewritten, all other bytes stay. */
export function* redactedLinePieces(path: string, clean: Clean, onNote: OnNote): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  const splitter = new LineSplitter((line) => pieces.push(redactLine(line, clean, onNote)), {
    maxLineBytes: MAX_LINE_BYTES,
  });
  for (const chunk of readChunks(path)) {
    splitter.push(chunk);
    yield* pieces;
    pieces = [];
  }
  splitter.end();
  yield* pieces;
}

function redactLine(line: Line, clean: Clean, onNote: OnNote): Uint8Array {
  if (line.isAbridged) onNote(`line ${line.number} is too long to redact: its long texts are cut`);
  const bytes = line.bytes.subarray(line.start, line.end);
  const parts: Buffer[] = [];
  let done = 0;
  for (const { record, start, end } of stretchesOf(line)) {
    parts.push(bytes.subarray(done, start), redactRecord(record, bytes.subarray(start, end), clean));
    done = end;
  }
  return Buffer.concat([...parts, bytes.subarray(done), Buffer.from(line.isTerminated ? "\n" : "")]);
}

interface Stretch {
  readonly record: LogRecord;
  readonly start: number;
  readonly end: number;
}

/** Usually one record per line; damaged lines can hold several. */
function stretchesOf(line: Line): Stretch[] {
  const records = parseLine(line);
  return records.map((record) => {
    if (records.length === 1) return { record, start: 0, end: line.end - line.start };
    const start = record.offset - line.offset;
    return { record, start, end: start + record.length };
  });
}

/** The messages array that Claude Code would send, as one JSON array; repairs are reported as notes. */
export function* apiPieces(
  session: LoadedSession,
  stringify: Redactor["stringify"],
  onNote: OnNote,
): Generator<string> {
  const { selection, bodies } = selectWithContext(session, onNote);
  const { messages, report } = replaySelection(selection, bodies);
  let separator = "[\n";
  for (const message of messages) {
    yield separator + stringify(message, `${message.role} message`);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
  for (const item of report.repaired) onNote(describe("repaired", item));
  for (const item of report.dropped) onNote(describe("dropped", item));
}

/** A forked sub-agent is sent what it began with, too. */
function selectWithContext(
  { path, outline, forkContext }: LoadedSession,
  onNote: OnNote,
): { readonly selection: ReplaySelection; readonly bodies: Bodies } {
  const own = selectReplay(outline);
  const { parent = null, problem = null } = forkContext() ?? {};
  if (problem !== null) onNote(problem);
  const ownBodies = readBodies(path, own.nodes);
  if (!parent) return { selection: own, bodies: ownBodies };
  const before = selectReplay(parent.outline);
  const bodies = joinBodies(before.nodes, readBodies(parent.path, before.nodes), ownBodies);
  return { selection: joinSelections(before, own), bodies };
}

function describe(what: string, { kind, count, lines }: ReplayItem): string {
  return `${what}: ${count} ${kind} (line ${lines.join(", ")})`;
}
