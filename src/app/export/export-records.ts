import { redactLines } from "../../edit/write/redact-file.js";
import { readChunks } from "../../format/reader/record-reader.js";
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

/** Line by line: only strings with findings are rewritten, all other bytes stay. */
export function* redactedLinePieces(path: string, clean: Clean, onNote: OnNote): Generator<Uint8Array> {
  for (const { number, bytes, isAbridged } of redactLines(path, clean)) {
    if (isAbridged) onNote(`line ${number} is too long to redact: its long texts are cut`);
    yield bytes;
  }
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
