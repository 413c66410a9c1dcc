import {
  type PreparedBlock,
  serverCallId,
  toAnswerBlock,
  toCallBlock,
  toResultBlock,
  toUserBlock,
} from "../../format/record/api-blocks.js";
import {
  type ApiBlock,
  type ApiMessage,
  isTextBlock,
  missingResult,
  textBlock,
} from "../../format/record/api-message.js";
import { withoutReminderTags } from "../../format/record/attachment-content.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { AnswerPiece, InputPiece, PlacedBlock, ReplayCall, ReplayPiece } from "./replay-pieces.js";
import type { ReplayLog } from "./replay-report.js";

/** Where system texts go: into the user's message, or into a message of role `system` after it. */
export type SystemRole = "inline" | "separate";

interface AnswerRun {
  readonly role: "assistant";
  blocks: AnswerBlock[];
}

/** What the model reads before its next answer, in the order in which Claude Code sends it. */
interface InputRun {
  readonly role: "user";
  readonly results: InputBlock[];
  readonly context: InputBlock[];
  readonly system: InputBlock[];
  readonly message: InputBlock[];
}

interface InputBlock {
  readonly api: ApiBlock;
  readonly line: number;
}

type Run = AnswerRun | InputRun;
type Calls = ReadonlyMap<ContentBlock, ReplayCall>;

const OPENING = "(The beginning of this conversation was not recorded.)";

/** Messages of alternating roles, the user's first; results directly follow the answer with their calls. */
export function layOutReplay(
  pieces: readonly ReplayPiece[],
  calls: Calls,
  systemRole: SystemRole,
  log: ReplayLog,
): ApiMessage[] {
  const steps: Run[] = [];
  for (const piece of pieces) {
    if (piece.kind === "answer") addAnswerRuns(steps, piece, calls, log);
    if (piece.kind === "input") addInputRun(steps, piece, systemRole, log);
  }
  const messages = joinRuns(settleRuns(joinRuns(steps), log)).flatMap((run) => toMessages(run, systemRole));
  if (messages[0]?.role !== "assistant") return messages;
  log.add("missing-opening", 0);
  return [{ role: "user", content: [textBlock(OPENING)] }, ...messages];
}

function settleRuns(runs: readonly Run[], log: ReplayLog): Run[] {
  const serverIds = new Set<string>();
  return runs.filter((run) => {
    if (run.role === "user") return true;
    run.blocks = settleAnswers(run.blocks, serverIds, log);
    return run.blocks.length > 0;
  });
}

function addAnswerRuns(runs: Run[], piece: AnswerPiece, calls: Calls, log: ReplayLog): void {
  const blocks = toAnswerBlocks(piece, calls, log);
  if (blocks.length === 0) return;
  runs.push({ role: "assistant", blocks });
  const input = emptyInput();
  for (const { block, line } of blocks) {
    const call = calls.get(block);
    const result = call && toResult(call, line, log);
    if (result) input.results.push(result);
  }
  if (input.results.length > 0) runs.push(input);
}

function emptyInput(): InputRun {
  return { role: "user", results: [], context: [], system: [], message: [] };
}

function toResult({ id, result }: ReplayCall, callLine: number, log: ReplayLog): InputBlock | undefined {
  if (!result) return { api: missingResult(id), line: callLine };
  const { block, problems } = toResultBlock(result.block, id);
  for (const problem of problems) log.add(problem, result.line);
  return block && { api: block, line: result.line };
}

function addInputRun(runs: Run[], { place, blocks, line }: InputPiece, systemRole: SystemRole, log: ReplayLog): void {
  const isUntagged = place === "system" && systemRole === "separate";
  const input = emptyInput();
  for (const block of blocks) {
    const { block: api, problems } = toUserBlock(isUntagged ? withoutReminderTags(block) : block);
    for (const problem of problems) log.add(problem, line);
    if (api) input[place].push({ api, line });
  }
  if (input[place].length > 0) runs.push(input);
}

/** Neighbours of the same role become one: the first of them takes in the others. */
function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.role === "assistant" && run.role === "assistant") addAll(last.blocks, run.blocks);
    else if (last?.role === "user" && run.role === "user") addInput(last, run);
    else joined.push(run);
  }
  return joined;
}

function addInput(to: InputRun, from: InputRun): void {
  addAll(to.results, from.results);
  addAll(to.context, from.context);
  addAll(to.system, from.system);
  addAll(to.message, from.message);
}

function addAll<Item>(to: Item[], from: readonly Item[]): void {
  for (const item of from) to.push(item);
}

function toMessages(run: Run, systemRole: SystemRole): ApiMessage[] {
  if (run.role === "assistant") return [{ role: "assistant", content: run.blocks.map(({ api }) => api) }];
  const { results, context, system, message } = run;
  const own = [...results, ...context, ...message];
  const texts = system.flatMap(({ api }) => (isTextBlock(api) ? [api.text] : []));
  if (systemRole === "inline" || own.length === 0 || texts.length < system.length || texts.length === 0) {
    return [{ role: "user", content: separateTexts([...results, ...context, ...system, ...message]) }];
  }
  return [
    { role: "user", content: separateTexts(own) },
    { role: "system", content: [textBlock(texts.join("\n\n"))] },
  ];
}

/** The API joins blocks of text without a gap, so the text of a record ends with a newline (2.1.325 does the same). */
function separateTexts(blocks: readonly InputBlock[]): ApiBlock[] {
  return blocks.map(({ api, line }, at) => {
    const next = blocks[at + 1];
    const needsGap = isTextBlock(api) && isTextBlock(next?.api) && next?.line !== line && !api.text.endsWith("\n");
    return needsGap ? { ...api, text: `${api.text}\n` } : api;
  });
}

/** A block of an answer, ready to be sent. */
interface AnswerBlock extends PlacedBlock {
  readonly api: ApiBlock;
}

/**
 * The blocks of one message as they were written. A message of thinking alone is omitted: joined to the
 * next answer it would change what the API signed, and alone it is refused.
 */
function toAnswerBlocks(
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
function settleAnswers(blocks: readonly AnswerBlock[], usedIds: Set<string>, log: ReplayLog): AnswerBlock[] {
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
