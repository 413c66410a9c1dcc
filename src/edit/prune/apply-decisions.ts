import { type RecordTrim, trimRecord } from "../../format/writer/trim-record.js";
import type { RecordReplacement } from "../plans/edit-plan.js";
import type { BlockSketch, BodySketch, SourceRecord } from "../plans/source-record.js";
import type { PruneDecisions, PruneView } from "./prune-decisions.js";

/** What decisions come to, record by record. */
export interface PruneOutcome {
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly replaced: ReadonlyMap<SourceRecord, RecordReplacement>;
  /** Of the context, where it changes. */
  readonly bytes: ReadonlyMap<SourceRecord, number>;
}

/** Calls and results go together, messages of which nothing is left go, and thinking goes with the calls that it led to. */
export function applyDecisions(view: PruneView, asked: PruneDecisions): PruneOutcome {
  const messages = countLeft(view, asked);
  const decisions = { ...asked, thinking: withThinkingOfCalls(view, asked, messages) };
  const left = countLeft(view, decisions);
  const removed = new Map(decisions.removed);
  const replaced = new Map<SourceRecord, RecordReplacement>();
  const bytes = new Map<SourceRecord, number>();
  for (const sketch of view.sketches) {
    const { record, servesCall, message } = sketch;
    if (servesCall !== undefined && decisions.fates.get(servesCall)?.fate === "remove")
      removed.set(record, "notes on removed calls");
    if (removed.has(record)) continue;
    const change = changeOf(sketch, decisions, left.get(message ?? ""));
    if (!change) continue;
    if (change.trim === undefined) removed.set(record, change.reason);
    else {
      const { trim, reason } = change;
      replaced.set(record, { reason, replace: (raw) => trimRecord(raw, trim) });
      bytes.set(record, change.bytes);
    }
  }
  return { removed, replaced, bytes };
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
  readonly trim: RecordTrim | undefined; // undefined: the record goes
  readonly bytes: number;
}

function changeOf(sketch: BodySketch, decisions: PruneDecisions, message: MessageLeft | undefined): Change | undefined {
  const { record, blocks } = sketch;
  const gone = blocks.filter((block) => isRemoved(block, record, decisions));
  const left = blocks.filter((block) => !gone.includes(block) && !(block.kind === "blank" && gone.length > 0));
  const reason = reasonOf(sketch, gone, decisions);
  if ((gone.length > 0 && left.length === 0) || (message?.hasLost && message.words === 0))
    return { reason: reason ?? "tool calls", trim: undefined, bytes: 0 };
  const endsTurn = sketch.stopsForTool && message?.hasLostCall === true && message.calls === 0;
  if (reason === undefined && !endsTurn) return undefined;
  const saved = blocks.reduce((sum, block) => sum + savedBytes(block, record, decisions), 0);
  return {
    reason: reason ?? "stop reasons",
    bytes: Math.max(0, record.contextBytes - saved),
    trim: {
      actionFor: (id) => decisions.fates.get(id)?.fate,
      isWithoutThinking: decisions.thinking.has(record),
      isWithoutImages: decisions.images.has(record),
      endsTurn,
    },
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
