import { listAt } from "../../collections.js";
import type { PersonsWords } from "../../format/record/persons-words.js";
import { contentBytes } from "../../format/writer/context-size.js";
import { attachmentUse } from "../../format/writer/trim-attachment.js";
import { type CallAction, NOTE_CHARACTERS } from "../../format/writer/trim-record.js";
import type { Node } from "../../session/graph/node.js";
import { holdsPersonsWords } from "../../session/messages/tool-status.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { BlockSketch, BodySketch, FileRead, LineRange } from "../plans/body-sketch.js";
import { canBeOneChain } from "../plans/chain-nodes.js";
import type { EditSource } from "../plans/edit-source.js";
import { tokenEstimator } from "../plans/estimate-tokens.js";
import type { SourceRecord } from "../plans/source-record.js";
import { DEFAULT_KEEP_TOKENS, type PruneOptions, type PrunePick, type PrunePicks } from "./prune-presets.js";

/** What is to be removed, before what follows from it. */
export interface PruneDecisions {
  readonly removed: Map<SourceRecord, string>;
  readonly fates: Map<string, DecidedFate>; // by call
  readonly thinking: Set<SourceRecord>;
  readonly images: Set<SourceRecord>;
  /** Attachments of which a stub is left, and why. */
  readonly stubs: Map<SourceRecord, string>;
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
  /** Whether the model would read it. */
  isSent(record: SourceRecord): boolean;
  /** What some bytes of a record add to a request. */
  tokensOf(record: SourceRecord, bytes: number): number;
}

export function viewForPruning(source: EditSource, stored: readonly BodySketch[]): PruneView {
  const sketches = asSeen(stored, source.outline.replacements);
  const turns = source.outline.turns.filter((turn) => turn !== source.openTurn);
  const turnOf = new Map<SourceRecord, TurnOutline>();
  for (const turn of turns) {
    for (const node of turn.nodes) {
      const record = source.recordOf(node);
      if (record) turnOf.set(record, turn);
    }
  }
  const { tokensOf } = tokenEstimator(source);
  const sent = new Map<SourceRecord, Node>();
  for (const node of selectReplay(source.outline).nodes) {
    const record = source.recordOf(node);
    if (record) sent.set(record, node);
  }
  return {
    source,
    sketches,
    isSent: (record) => sent.has(record),
    tokensOf(record, bytes) {
      const node = sent.get(record);
      return node ? tokensOf(node, bytes) : 0;
    },
    calls: listCallUses(sketches, source),
    turnOf,
    lastTurn: turns.findLast(({ nodes }) => nodes.some(({ role }) => role === "answer")),
    toolTurns: turns.filter(({ nodes }) => nodes.some(({ calls }) => calls !== undefined)),
    canBeOneChain: canBeOneChain(source),
  };
}

/** Results that the model saw in another form are as large as that, and stay where it is short; images in them were not sent. */
function asSeen(
  sketches: readonly BodySketch[],
  replacements: EditSource["outline"]["replacements"],
): readonly BodySketch[] {
  if (replacements.size === 0) return sketches;
  const seen = (block: BlockSketch): BlockSketch => {
    const text = block.kind === "result" ? replacements.get(block.id ?? "") : undefined;
    if (text === undefined) return block;
    const bytes = contentBytes(text);
    const shorter = (left: number | undefined) =>
      text.length > NOTE_CHARACTERS && left !== undefined && left < bytes ? left : undefined;
    return { ...block, bytes, imageless: undefined, stub: shorter(block.stub), truncate: shorter(block.truncate) };
  };
  return sketches.map((sketch) => ({ ...sketch, blocks: sketch.blocks.map(seen) }));
}

const FATE_REASONS: Readonly<Record<CallAction, string>> = {
  remove: "tool calls",
  stub: "tool results stubbed",
  truncate: "tool results cut to two lines",
};

/** What the options ask for, without a target of tokens. */
export function decidePrune(view: PruneView, options: PruneOptions): PruneDecisions {
  const decisions: PruneDecisions = {
    removed: new Map(),
    fates: new Map(),
    thinking: new Set(),
    images: new Set(),
    stubs: new Map(),
  };
  removeRecords(view, options, decisions);
  if (options.duplicates) stubRepeatedReads(view, options, decisions);
  if (options.tools) pruneCalls(view, options, options.tools, decisions);
  if (options.thinking) removeThinking(view, options, options.thinking, decisions);
  if (options.images) removeImages(view, options, decisions);
  decidePicked(view, options, decisions);
  return decisions;
}

/** A report of an agent is shortened only where its own call was picked. What people said through calls stays. */
function decidePicked({ calls }: PruneView, { picks }: PruneOptions, decisions: PruneDecisions): void {
  for (const call of calls.values()) {
    const pick = pickOf(call, picks);
    if (pick === undefined || holdsPersonsWords(call)) continue;
    decisions.fates.delete(call.id);
    if (pick === "keep") continue;
    if (picks?.calls.has(call.id)) decisions.fates.set(call.id, { fate: pick, reason: FATE_REASONS[pick] });
    else setFate(decisions, call, pick);
  }
}

/** What was chosen by hand for a call. */
export function pickOf({ id, turn }: CallUse, picks: PrunePicks | undefined): PrunePick | undefined {
  return picks?.calls.get(id) ?? (turn && picks?.turns.get(turn.index));
}

function isPickedToStay(turn: TurnOutline | undefined, { picks }: PruneOptions): boolean {
  return turn !== undefined && picks?.turns.get(turn.index) === "keep";
}

/** What was decided before stays where it leaves less. Reports of agents are not shortened. */
export function setFate({ fates }: PruneDecisions, { id, name }: CallUse, fate: CallAction): void {
  if (fate !== "remove" && REPORTING.has(name)) return;
  const known = fates.get(id)?.fate;
  if (known === undefined || SEVERITY[known] < SEVERITY[fate]) fates.set(id, { fate, reason: FATE_REASONS[fate] });
}

const SEVERITY: Readonly<Record<CallAction, number>> = { truncate: 1, stub: 2, remove: 3 };

/** Tools whose result is what an agent found out. */
const REPORTING: ReadonlySet<string> = new Set(["Task", "Agent", "Workflow"]);

function stubRepeatedReads({ calls }: PruneView, options: PruneOptions, { fates }: PruneDecisions): void {
  const staying = [...calls.values()].filter((call) => (pickOf(call, options.picks) ?? "keep") === "keep");
  for (const call of findRepeatedReads(staying)) {
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
  { removed, stubs }: PruneDecisions,
): void {
  const { progress, attachments, snapshots, sidechains } = options;
  for (const sketch of sketches) {
    const { record } = sketch;
    const turn = turnOf.get(record);
    if (!isOld(turn, record.time, options) || isPickedToStay(turn, options)) continue;
    if (progress && canBeOneChain && record.kind === "progress") removed.set(record, "progress");
    if (attachments && record.kind === "attachment") pruneAttachment(sketch, removed, stubs);
  }
  for (const record of source.records) {
    if (snapshots && record.type?.startsWith("file-history-")) removed.set(record, "snapshots of files");
    if (sidechains && record.isSidechain) removed.set(record, "sub-agents");
  }
}

/** What Claude Code would send again stays, and mentioned images stay with the other images. */
function pruneAttachment(
  { record, isQueued, isMedia, stub }: BodySketch,
  removed: Map<SourceRecord, string>,
  stubs: Map<SourceRecord, string>,
): void {
  const use = record.isSentAgain || isQueued || isMedia ? "kept" : attachmentUse(record.attachment);
  if (use === "removed") removed.set(record, "attachments");
  if (use === "stubbed" && stub !== undefined) stubs.set(record, "attachments stubbed");
}

function pruneCalls(view: PruneView, options: PruneOptions, fate: CallAction, decisions: PruneDecisions): void {
  const since = keptSince(view, options);
  for (const call of view.calls.values()) {
    if (isAsked(call, options) && !isKept(call, since)) setFate(decisions, call, fate);
  }
}

/** Calls of other branches are old. */
export function isKept({ turn, line }: CallUse, since: number): boolean {
  return turn !== undefined && line >= since;
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
    if (isFinished && isOld(turn, record.time, options) && !isPickedToStay(turn, options)) thinking.add(record);
  }
}

/** Images and documents. Turns without tools keep theirs if a call before them is kept. */
function removeImages(view: PruneView, options: PruneOptions, { images, stubs }: PruneDecisions): void {
  const since = keptSince(view, options);
  for (const { record, blocks, isMedia } of view.sketches) {
    const turn = view.turnOf.get(record);
    if ((turn && record.line >= since) || !isOld(turn, record.time, options)) continue;
    if (isPickedToStay(turn, options)) continue;
    if (blocks.some(({ imageless }) => imageless !== undefined)) images.add(record);
    if (isMedia) stubs.set(record, "images");
  }
}

const BYTES_PER_TOKEN = 4;

/**
 * The line of the first record that keeps its tools and images. By number of turns or by bytes and not by part, so that the
 * same ones stay however often a session is pruned.
 */
export function keptSince(view: PruneView, { keepLast, keepTokens }: PruneOptions): number {
  const tokens = keepTokens ?? (keepLast === undefined ? DEFAULT_KEEP_TOKENS : undefined);
  return Math.max(lastTurnsSince(view, keepLast), lastTokensSince(view, tokens));
}

function lastTurnsSince({ toolTurns }: PruneView, keepLast: number | undefined): number {
  if (keepLast === undefined) return 0;
  const [first] = keepLast === 0 ? [] : toolTurns.slice(-keepLast);
  return first ? first.start.line : Number.POSITIVE_INFINITY;
}

function lastTokensSince({ sketches, turnOf }: PruneView, tokens: number | undefined): number {
  if (tokens === undefined) return 0;
  let left = tokens * BYTES_PER_TOKEN;
  let since = Number.POSITIVE_INFINITY;
  for (const { record, blocks, isMedia } of [...sketches].reverse()) {
    if (!turnOf.has(record)) continue;
    const own = blocks.filter(({ id, imageless }) => id !== undefined || imageless !== undefined);
    left -= own.reduce((sum, { bytes }) => sum + bytes, isMedia ? record.contextBytes : 0);
    if (left < 0 || tokens === 0) break;
    since = record.line;
  }
  return since;
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
  /** Of the record that calls it. */
  readonly line: number;
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

/** In the order of the calls, without those that made a forked sub-agent: its directive stands with their result. */
function listCallUses(sketches: readonly BodySketch[], source: EditSource): Map<string, CallUse> {
  const turns = turnsOfCalls(source);
  const { inherited, active } = source.outline;
  const making = new Set([...inherited, ...active].map(({ forkCall }) => forkCall));
  const uses = new Map<string, OpenCall>();
  for (const { blocks, record, lines } of sketches) {
    const { time, line } = record;
    for (const { kind, id, name, bytes, read, personsWords } of blocks) {
      if (id === undefined || making.has(id)) continue;
      const use = uses.get(id) ?? openCall(id, turns.get(id), record, source);
      uses.set(id, use);
      use.bytes += bytes;
      if (kind === "call") {
        use.name = name ?? "";
        use.time = time ?? use.time;
        use.line = line;
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
  { time, line }: SourceRecord,
  { outline }: EditSource,
): OpenCall {
  const isOk = outline.calls.get(id)?.status === "ok";
  const unread = { read: undefined, lines: undefined, personsWords: [] };
  return { id, name: "", turn, time, line, bytes: 0, resultBytes: 0, isOk, ...unread };
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
