import { listAt } from "../../collections.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { EditSource } from "../plans/edit-source.js";
import type { BodySketch, FileRead, LineRange } from "../plans/sketch-bodies.js";

/** A tool call with its results, wherever they are; a result without a call is one too. */
export interface CallUse {
  readonly id: string;
  readonly name: string;
  /** Of the active branch; undefined: before the first turn, or on another branch. */
  readonly turn: TurnOutline | undefined;
  readonly time: number | undefined;
  readonly bytes: number;
  readonly resultBytes: number;
  readonly read: FileRead | undefined;
  /** What came back of a file, where that is known. */
  readonly lines: LineRange | undefined;
  readonly isOk: boolean;
  /** What a person typed when they were asked whether it may run. */
  readonly personsWords: string | null;
}

type OpenCall = { -readonly [Field in keyof CallUse]: CallUse[Field] };

/** In the order of the calls. */
export function listCallUses(sketches: readonly BodySketch[], source: EditSource): Map<string, CallUse> {
  const turns = turnsOfCalls(source);
  const uses = new Map<string, OpenCall>();
  for (const { blocks, record, lines } of sketches) {
    const { time } = record;
    for (const { kind, id, name, bytes, read, personsWords } of blocks) {
      if (id === undefined) continue;
      const use = uses.get(id) ?? openCall(id, turns.get(id), time, source);
      uses.set(id, use);
      use.bytes += bytes;
      if (kind === "call") {
        use.name = name ?? "";
        use.time = time ?? use.time;
        use.read = read;
      } else {
        use.resultBytes += bytes;
        use.lines = lines;
        use.personsWords ??= personsWords;
      }
    }
  }
  return uses;
}

function openCall(
  id: string,
  turn: TurnOutline | undefined,
  time: number | undefined,
  { outline }: EditSource,
): OpenCall {
  const isOk = outline.calls.get(id)?.status === "ok";
  const unread = { read: undefined, lines: undefined, personsWords: null };
  return { id, name: "", turn, time, bytes: 0, resultBytes: 0, isOk, ...unread };
}

/** Where an id was used twice, the later turn keeps it. */
function turnsOfCalls({ outline, openTurn }: EditSource): Map<string, TurnOutline> {
  const turns = new Map<string, TurnOutline>();
  for (const turn of outline.turns) {
    if (turn === openTurn) continue;
    for (const { calls = [], results = [] } of turn.nodes) {
      for (const { id } of [...calls, ...results]) turns.set(id, turn);
    }
  }
  return turns;
}

/** Reads of which a later one holds all: the same lines, or more. Only turns of the active branch count. */
export function findRepeatedReads(calls: Iterable<CallUse>): CallUse[] {
  const later = new Map<string, CallUse[]>();
  const repeated: CallUse[] = [];
  for (const call of [...calls].reverse()) {
    const { read, turn, isOk } = call;
    if (!read || !turn || !isOk) continue;
    const known = listAt(later, read.path);
    if (known.some((other) => holds(other, call))) repeated.push(call);
    else known.push(call);
  }
  return repeated;
}

/** Where `toolUseResult` names no lines, the same part must have come back at no less length: an answer may only refer to an earlier one. */
function holds(later: CallUse, earlier: CallUse): boolean {
  if (later.lines && earlier.lines)
    return later.lines.first <= earlier.lines.first && later.lines.last >= earlier.lines.last;
  const isSamePart = later.read?.range === earlier.read?.range || later.read?.range === "";
  return isSamePart && later.resultBytes >= earlier.resultBytes;
}
