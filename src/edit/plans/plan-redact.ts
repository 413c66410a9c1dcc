import { readRecordsAt } from "../../format/reader/record-reader.js";
import type { AssistantRecord } from "../../format/record/record.js";
import { withoutThinking } from "../../format/writer/change-record.js";
import { settlePlan } from "../edit.js";
import { canBeOneChain } from "./chain-nodes.js";
import {
  type Cleaning,
  type EditOptions,
  type EditPlan,
  PRIVATE_THINKING,
  type RecordReplacement,
} from "./edit-plan.js";
import { cutOpenTurn, type EditSource } from "./edit-source.js";
import { isThinking, type SourceRecord } from "./source-record.js";

const BACKUPS = "snapshots of files, whose backups stay behind";

/**
 * The session without secrets, in its side files too. Thinking is signed, so that a block in which something is found goes as
 * a whole; in the last turn all of it. Backups of edited files stay behind: a rewind would write redacted files.
 */
export function planRedact(source: EditSource, cleaning: Cleaning, options: EditOptions): EditPlan {
  const open = cutOpenTurn(source);
  const removed = new Map(open.removed);
  const replaced = new Map<SourceRecord, RecordReplacement>();
  for (const record of source.records) {
    if (record.type?.startsWith("file-history-")) removed.set(record, BACKUPS);
  }
  for (const { record, isAlone } of findPrivateThinking(source, cleaning)) {
    if (isAlone) removed.set(record, PRIVATE_THINKING);
    else replaced.set(record, { reason: PRIVATE_THINKING, replace: withoutThinking });
  }
  const isRelinked = canBeOneChain(source);
  return settlePlan(source, { command: "redact", options, removed, replaced, cleaning, isRelinked, notes: open.notes });
}

interface PrivateThinking {
  readonly record: SourceRecord;
  /** The record holds nothing but thinking. */
  readonly isAlone: boolean;
}

/** Thinking in which something is found; if any in the last turn, all of that. */
export function findPrivateThinking(source: EditSource, { clean }: Cleaning): PrivateThinking[] {
  const lastTurn = new Set(source.outline.turns.at(-1)?.nodes.map((node) => source.recordOf(node)));
  const thinking = source.records.filter(({ hasThinking }) => hasThinking);
  const telling = thinking.filter((record) => {
    const [whole] = readRecordsAt(source.path, [record]);
    return whole?.kind === "assistant" && thoughtsOf(whole).some((text) => clean(text, "thinking") !== text);
  });
  const isLastTold = telling.some((record) => lastTurn.has(record));
  const going = new Set([...telling, ...(isLastTold ? thinking.filter((record) => lastTurn.has(record)) : [])]);
  return [...going].map((record) => {
    const [whole] = readRecordsAt(source.path, [record]);
    const isAlone = whole?.kind === "assistant" && whole.blocks.every(isThinking);
    return { record, isAlone };
  });
}

function thoughtsOf({ blocks }: AssistantRecord): string[] {
  return blocks.flatMap((block) => (block.kind === "thinking" ? block.text : []));
}
