import { listAt } from "../../collections.js";
import type { PersonsWords } from "../../format/record/persons-words.js";
import type { CallAction } from "../../format/writer/trim-record.js";
import { holdsPersonsWords } from "../../session/messages/tool-status.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import { canBeOneChain } from "../plans/chain-nodes.js";
import type { EditSource } from "../plans/edit-source.js";
import type { BodySketch, FileRead, LineRange, SourceRecord } from "../plans/source-record.js";
import { DEFAULT_KEEP_LAST, type PruneOptions } from "./prune-presets.js";

/** What is to be removed, before what follows from it. */
export interface PruneDecisions {
  readonly removed: Map<SourceRecord, string>;
  readonly fates: Map<string, DecidedFate>; // by call
  readonly thinking: Set<SourceRecord>;
  readonly images: Set<SourceRecord>;
}

export interface DecidedFate {
  readonly fate: CallAction;
  readonly reason: string;
}

/** A session as pruning sees it. */
export interface PruneView {
  readonly source: EditSource;
  readonly sketches: readonly BodySketch[];
  readonly calls: ReadonlyMap<string, CallUse>;
  /** On the active branch. */
  readonly turnOf: ReadonlyMap<SourceRecord, TurnOutline>;
  /** The last one that has an answer. */
  readonly lastTurn: TurnOutline | undefined;
  /** Those that have tools, in their order. */
  readonly toolTurns: readonly TurnOutline[];
  /** Whether its branch can be made one chain. */
  readonly canBeOneChain: boolean;
}

export function viewForPruning(source: EditSource, sketches: readonly BodySketch[]): PruneView {
  const turns = source.outline.turns.filter((turn) => turn !== source.openTurn);
  const turnOf = new Map<SourceRecord, TurnOutline>();
  for (const turn of turns) {
    for (const node of turn.nodes) {
      const record = source.recordOf(node);
      if (record) turnOf.set(record, turn);
    }
  }
  return {
    source,
    sketches,
    calls: listCallUses(sketches, source),
    turnOf,
    lastTurn: turns.findLast(({ nodes }) => nodes.some(({ role }) => role === "answer")),
    toolTurns: turns.filter(({ nodes }) => nodes.some(({ calls }) => calls !== undefined)),
    canBeOneChain: canBeOneChain(source),
  };
}

const FATE_REASONS: Readonly<Record<CallAction, string>> = {
  remove: "tool calls",
  stub: "tool results stubbed",
  truncate: "tool results cut to two lines",
};

/** What the options ask for, without a target of tokens. */
export function decidePrune(view: PruneView, options: PruneOptions): PruneDecisions {
  const decisions: PruneDecisions = { removed: new Map(), fates: new Map(), thinking: new Set(), images: new Set() };
  removeRecords(view, options, decisions);
  if (options.duplicates) stubRepeatedReads(view, options, decisions);
  if (options.tools) pruneCalls(view, options, options.tools, decisions);
  if (options.thinking) removeThinking(view, options, options.thinking, decisions);
  if (options.images) removeImages(view, options, decisions);
  return decisions;
}

export function setFate({ fates }: PruneDecisions, { id }: CallUse, fate: CallAction): void {
  if (fates.get(id)?.fate !== "remove") fates.set(id, { fate, reason: FATE_REASONS[fate] });
}

function stubRepeatedReads({ calls }: PruneView, options: PruneOptions, { fates }: PruneDecisions): void {
  for (const call of findRepeatedReads(calls.values())) {
    if (!holdsPersonsWords(call) && isOld(call.turn, call.time, options))
      fates.set(call.id, { fate: "stub", reason: "files read again later" });
  }
}

/**
 * Records that the model does not need. What a person typed while the model was busy is no attachment. Where the branch is not
 * made one chain, progress stays: it may hide from 2.0.50 what should not be seen twice.
 */
function removeRecords(
  { source, sketches, turnOf, canBeOneChain }: PruneView,
  options: PruneOptions,
  { removed }: PruneDecisions,
): void {
  const { progress, attachments, snapshots, sidechains } = options;
  for (const { record, isQueued } of sketches) {
    if (!isOld(turnOf.get(record), record.time, options) || isQueued) continue;
    if (progress && canBeOneChain && record.kind === "progress") removed.set(record, "progress");
    if (attachments && record.kind === "attachment") removed.set(record, "attachments");
  }
  for (const record of source.records) {
    if (snapshots && record.type?.startsWith("file-history-")) removed.set(record, "snapshots of files");
    if (sidechains && record.isSidechain) removed.set(record, "sub-agents");
  }
}

function pruneCalls(view: PruneView, options: PruneOptions, fate: CallAction, decisions: PruneDecisions): void {
  const kept = lastTurns(view, options);
  for (const call of view.calls.values()) {
    if (isAsked(call, options) && !isIn(kept, call.turn)) setFate(decisions, call, fate);
  }
}

/** By its name, size and age; never where it holds words of a person. */
export function isAsked(call: CallUse, options: PruneOptions): boolean {
  const { toolNames, largerThan = -1 } = options;
  const isNamed = !toolNames?.length || toolNames.includes(call.name);
  return isNamed && !holdsPersonsWords(call) && call.bytes > largerThan && isOld(call.turn, call.time, options);
}

function removeThinking(
  view: PruneView,
  options: PruneOptions,
  which: "finished" | "all",
  { thinking }: PruneDecisions,
): void {
  for (const { record, blocks } of view.sketches) {
    if (!blocks.some(({ kind }) => kind === "thinking")) continue;
    const turn = view.turnOf.get(record);
    const isFinished = which === "all" || turn === undefined || turn !== view.lastTurn;
    if (isFinished && isOld(turn, record.time, options)) thinking.add(record);
  }
}

/** Turns without tools keep theirs if one with tools before them does. */
function removeImages(view: PruneView, options: PruneOptions, { images }: PruneDecisions): void {
  const since = Math.min(...[...lastTurns(view, options)].map(({ index }) => index));
  for (const { record, blocks } of view.sketches) {
    const turn = view.turnOf.get(record);
    const hasImage = blocks.some(({ imageless }) => imageless !== undefined);
    if (hasImage && !(turn && turn.index >= since) && isOld(turn, record.time, options)) images.add(record);
  }
}

/** By number and not by part: the same turns stay however often a session is pruned. */
function lastTurns({ toolTurns }: PruneView, { keepLast = DEFAULT_KEEP_LAST }: PruneOptions): ReadonlySet<TurnOutline> {
  return new Set(keepLast === 0 ? [] : toolTurns.slice(-keepLast));
}

function isIn(turns: ReadonlySet<TurnOutline>, turn: TurnOutline | undefined): boolean {
  return turn !== undefined && turns.has(turn);
}

function isOld(turn: TurnOutline | undefined, time: number | undefined, { before }: PruneOptions): boolean {
  if (before === undefined) return true;
  const at = turn?.start.time ?? time;
  return at !== undefined && at < before;
}

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
  /** What a person said through it. */
  readonly personsWords: readonly PersonsWords[];
}

type OpenCall = { -readonly [Field in keyof CallUse]: CallUse[Field] };

/** In the order of the calls. */
function listCallUses(sketches: readonly BodySketch[], source: EditSource): Map<string, CallUse> {
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
        if (personsWords.length > 0) use.personsWords = personsWords;
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
  const unread = { read: undefined, lines: undefined, personsWords: [] };
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
function findRepeatedReads(calls: Iterable<CallUse>): CallUse[] {
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
