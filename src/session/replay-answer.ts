import { type PreparedBlock, toAnswerBlock } from "../format/api-block.js";
import type { ApiBlock } from "../format/api-message.js";
import { serverCallId, toCallBlock } from "../format/api-tool-block.js";
import type { ContentBlock } from "../format/content-block.js";
import type { ReplayCall } from "./pair-replay-calls.js";
import type { AnswerPiece, PlacedBlock } from "./replay-pieces.js";
import type { ReplayLog } from "./replay-report.js";

/** A block of an answer, ready to be sent. */
export interface AnswerBlock extends PlacedBlock {
  readonly api: ApiBlock;
}

/**
 * The blocks of one message as they were written. A message of thinking alone is left away as a whole: joined to the
 * next answer it would change what the API signed, and alone it is refused.
 */
export function toAnswerBlocks(
  { blocks }: AnswerPiece,
  calls: ReadonlyMap<ContentBlock, ReplayCall>,
  log: ReplayLog,
): AnswerBlock[] {
  const ready: AnswerBlock[] = [];
  for (const { block, line } of blocks) {
    const { block: api, problems } = prepare(block, calls);
    for (const problem of problems) log.add(problem, line);
    if (api) ready.push({ block, line, api });
  }
  const [first] = ready;
  if (!first || !ready.every(isThinking)) return ready;
  log.add("lone-thinking", first.line);
  return [];
}

function prepare(block: ContentBlock, calls: ReadonlyMap<ContentBlock, ReplayCall>): PreparedBlock {
  if (block.kind !== "toolCall" || block.isServerSide) return toAnswerBlock(block);
  const call = calls.get(block);
  return call ? toCallBlock(block, call.id) : { block: undefined, problems: [] };
}

function isThinking({ block: { kind } }: PlacedBlock): boolean {
  return kind === "thinking" || kind === "redactedThinking";
}

/**
 * Answers that follow each other are one message to the API: within it the calls that the API ran itself must have their
 * results (the second half of a paused turn holds those of the first), and it must not end with thinking.
 */
export function settleAnswers(blocks: readonly AnswerBlock[], usedIds: Set<string>, log: ReplayLog): AnswerBlock[] {
  const paired = pairServerBlocks(blocks, usedIds, log);
  const end = paired.findLastIndex((block) => !isThinking(block)) + 1;
  for (const { line } of paired.slice(end)) log.add("trailing-thinking", line);
  return paired.slice(0, end);
}

function pairServerBlocks(
  blocks: readonly AnswerBlock[],
  usedIds: Set<string>,
  log: ReplayLog,
): readonly AnswerBlock[] {
  if (!blocks.some(isServerBlock)) return blocks;
  const open = new Map<string, AnswerBlock>();
  const paired = new Set<AnswerBlock>();
  for (const entry of blocks) {
    const id = serverCallId(entry.block);
    if (id !== undefined && !usedIds.has(id)) open.set(id, entry);
    if (id !== undefined) usedIds.add(id);
    if (entry.block.kind !== "toolResult") continue;
    const call = open.get(entry.block.toolUseId);
    if (call) paired.add(call).add(entry);
    open.delete(entry.block.toolUseId);
  }
  return blocks.filter((entry) => {
    if (!isServerBlock(entry) || paired.has(entry)) return true;
    log.add("unpaired-server-block", entry.line);
    return false;
  });
}

function isServerBlock({ block }: AnswerBlock): boolean {
  return block.kind === "toolResult" || serverCallId(block) !== undefined;
}
