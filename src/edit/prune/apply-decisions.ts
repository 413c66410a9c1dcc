import { stubAttachment } from "../../format/writer/trim-attachment.js";
import { type RecordTrim, trimRecord, withNote } from "../../format/writer/trim-record.js";
import { type BlockSketch, type BodySketch, pointTo } from "../plans/body-sketch.js";
import type { RecordReplacement } from "../plans/edit-plan.js";
import type { SourceRecord } from "../plans/source-record.js";
import type { PruneDecisions, PruneView } from "./prune-decisions.js";

/** What decisions come to, record by record. */
export interface PruneOutcome {
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly replaced: ReadonlyMap<SourceRecord, RecordReplacement>;
  /** Of the context, where it changes. */
  readonly bytes: ReadonlyMap<SourceRecord, number>;
  /** The calls whose results change. */
  readonly results: ReadonlySet<string>;
}

/**
 * Calls and results go together, messages of which nothing is left go, and thinking goes with the calls that it led to. One of
 * the results says that calls are gone.
 */
export function applyDecisions(view: PruneView, asked: PruneDecisions): PruneOutcome {
  const messages = countLeft(view, asked);
  const decisions = { ...asked, thinking: withThinkingOfCalls(view, asked, messages) };
  const left = countLeft(view, decisions);
  const outcome = {
    removed: new Map(decisions.removed),
    replaced: new Map<SourceRecord, RecordReplacement>(),
    bytes: new Map<SourceRecord, number>(),
    results: changedResults(view, decisions),
  };
  const { removed, replaced, bytes } = outcome;
  for (const sketch of view.sketches) {
    const { record, servesCall, message } = sketch;
    if (servesCall !== undefined && decisions.fates.get(servesCall)?.fate === "remove")
      removed.set(record, "notes on removed calls");
    if (removed.has(record)) continue;
    const change = stubOf(sketch, view, decisions) ?? changeOf(sketch, view, decisions, left.get(message ?? ""));
    if (!change) continue;
    if (change.replace === undefined) removed.set(record, change.reason);
    else {
      replaced.set(record, { reason: change.reason, replace: change.replace });
      bytes.set(record, change.bytes);
    }
  }
  noteRemovedCalls(view, decisions, outcome);
  return outcome;
}

function changedResults({ sketches }: PruneView, decisions: PruneDecisions): Set<string> {
  const changed = new Set<string>();
  for (const { record, blocks } of sketches) {
    for (const block of blocks) {
      if (block.kind !== "result" || block.id === undefined) continue;
      if (isRemoved(block, record, decisions) || leftOf(block, record, decisions) !== undefined) changed.add(block.id);
    }
  }
  return changed;
}

interface OpenOutcome {
  readonly removed: Map<SourceRecord, string>;
  readonly replaced: Map<SourceRecord, RecordReplacement>;
  readonly bytes: Map<SourceRecord, number>;
}

/**
 * Without a note the model would take what it said about its work for invented. It stands in the first result that goes, in the
 * shortest form that takes no more than stubs of the calls would.
 */
function noteRemovedCalls(view: PruneView, { fates }: PruneDecisions, { removed, replaced, bytes }: OpenOutcome): void {
  const calls = new Set<string>();
  let place: SourceRecord | undefined;
  let saved = 0;
  for (const { record, blocks } of view.sketches) {
    if (!view.isSent(record)) continue;
    for (const { id, kind, stub, bytes: own } of blocks) {
      if (id === undefined || fates.get(id)?.fate !== "remove") continue;
      calls.add(id);
      saved += view.tokensOf(record, stub ?? own);
      if (kind === "result" && record.kind === "user" && removed.has(record)) place ??= record;
    }
  }
  if (!place) return;
  const short = `turnlog removed ${calls.size} tool ${calls.size === 1 ? "call" : "calls"}`;
  for (const text of [`[${short} with results; full transcript: ${view.source.transcript}]`, `[${short}]`]) {
    const length = Buffer.byteLength(JSON.stringify(text)) - 2;
    if (view.tokensOf(place, length) > saved) continue;
    removed.delete(place);
    replaced.set(place, { reason: "tool calls", replace: (raw) => withNote(raw, text) });
    bytes.set(place, length);
    return;
  }
}

/** What is left of a message. */
interface MessageLeft {
  hasLost: boolean;
  hasLostCall: boolean;
  words: number; // blocks that say something
  calls: number;
}

function countLeft({ sketches }: PruneView, decisions: PruneDecisions): Map<string, MessageLeft> {
  const messages = new Map<string, MessageLeft>();
  for (const { message, blocks, record } of sketches) {
    if (message === undefined) continue;
    const left = messages.get(message) ?? { hasLost: false, hasLostCall: false, words: 0, calls: 0 };
    messages.set(message, left);
    for (const block of blocks) {
      const isGone = isRemoved(block, record, decisions);
      left.hasLost ||= isGone;
      if (isGone && block.kind === "call") left.hasLostCall = true;
      if (isGone || block.kind === "blank") continue;
      left.words += 1;
      if (block.kind === "call" && !block.isServerSide) left.calls += 1;
    }
  }
  return messages;
}

/** The API compares the thinking of the last turn with what it signed: there, all of it goes or none. */
function withThinkingOfCalls(
  { sketches, turnOf, lastTurn }: PruneView,
  { thinking }: PruneDecisions,
  messages: ReadonlyMap<string, MessageLeft>,
): Set<SourceRecord> {
  const going = new Set(thinking);
  const thoughts = sketches.filter(({ blocks }) => blocks.some(({ kind }) => kind === "thinking"));
  for (const { record, message } of thoughts) if (messages.get(message ?? "")?.hasLostCall) going.add(record);
  const isLast = ({ record }: BodySketch) => lastTurn !== undefined && turnOf.get(record) === lastTurn;
  const last = thoughts.filter(isLast);
  const hasLostCall = sketches.some((it) => isLast(it) && messages.get(it.message ?? "")?.hasLostCall);
  if (hasLostCall || last.some(({ record }) => going.has(record))) for (const { record } of last) going.add(record);
  return going;
}

interface Change {
  readonly reason: string;
  readonly replace: RecordReplacement["replace"] | undefined; // undefined: the record goes
  readonly bytes: number;
}

function stubOf({ record, stub }: BodySketch, { source }: PruneView, { stubs }: PruneDecisions): Change | undefined {
  const reason = stubs.get(record);
  if (reason === undefined || stub === undefined) return undefined;
  return { reason, bytes: stub, replace: (raw) => stubAttachment(raw, pointTo(record, source.transcript)) };
}

function changeOf(
  sketch: BodySketch,
  view: PruneView,
  decisions: PruneDecisions,
  message: MessageLeft | undefined,
): Change | undefined {
  const { record, blocks } = sketch;
  const gone = blocks.filter((block) => isRemoved(block, record, decisions));
  const left = blocks.filter((block) => !gone.includes(block) && !(block.kind === "blank" && gone.length > 0));
  const reason = reasonOf(sketch, gone, decisions);
  if ((gone.length > 0 && left.length === 0) || (message?.hasLost && message.words === 0))
    return { reason: reason ?? "tool calls", replace: undefined, bytes: 0 };
  const endsTurn = sketch.stopsForTool && message?.hasLostCall === true && message.calls === 0;
  if (reason === undefined && !endsTurn) return undefined;
  const saved = blocks.reduce((sum, block) => sum + savedBytes(block, record, decisions), 0);
  const trim: RecordTrim = {
    actionFor: (id) => decisions.fates.get(id)?.fate,
    toolOf: (id) => view.calls.get(id)?.name ?? "",
    where: pointTo(record, view.source.transcript),
    isWithoutThinking: decisions.thinking.has(record),
    isWithoutImages: decisions.images.has(record),
    endsTurn,
  };
  return {
    reason: reason ?? "stop reasons",
    bytes: Math.max(0, record.contextBytes - saved),
    replace: (raw) => trimRecord(raw, trim),
  };
}

function isRemoved({ kind, id }: BlockSketch, record: SourceRecord, { fates, thinking }: PruneDecisions): boolean {
  if (kind === "thinking") return thinking.has(record);
  return id !== undefined && fates.get(id)?.fate === "remove";
}

/** Undefined where a record stays as it is. */
function reasonOf(
  { record, blocks, hasLongNote }: BodySketch,
  gone: readonly BlockSketch[],
  decisions: PruneDecisions,
): string | undefined {
  const [first] = gone;
  if (first) return first.kind === "thinking" ? "thinking" : "tool calls";
  for (const block of blocks) {
    const decided = decisions.fates.get(block.id ?? "");
    const isShorter = leftOf(block, record, decisions) !== undefined;
    if (decided && (isShorter || (block.kind === "result" && hasLongNote))) return decided.reason;
    if (isShorter) return "images";
  }
  return undefined;
}

function leftOf(block: BlockSketch, record: SourceRecord, { fates, images }: PruneDecisions): number | undefined {
  const fate = fates.get(block.id ?? "")?.fate;
  if (fate === "stub" || fate === "truncate") return block.isServerSide ? undefined : block[fate];
  return images.has(record) ? block.imageless : undefined;
}

function savedBytes(block: BlockSketch, record: SourceRecord, decisions: PruneDecisions): number {
  if (isRemoved(block, record, decisions)) return block.bytes;
  const left = leftOf(block, record, decisions);
  return left === undefined ? 0 : block.bytes - left;
}
