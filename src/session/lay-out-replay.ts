import { toUserBlock } from "../format/api-block.js";
import { type ApiBlock, type ApiMessage, isTextBlock, missingResult, textBlock } from "../format/api-message.js";
import { toResultBlock } from "../format/api-tool-block.js";
import { withoutReminderTags } from "../format/attachment-content.js";
import type { ContentBlock } from "../format/content-block.js";
import type { ReplayCall } from "./pair-replay-calls.js";
import { type AnswerBlock, settleAnswers, toAnswerBlocks } from "./replay-answer.js";
import type { AnswerPiece, InputPiece, ReplayPiece } from "./replay-pieces.js";
import type { ReplayLog } from "./replay-report.js";

/** Where texts with the voice of the system go: into the user's message, or into a message of role `system` after it. */
export type SystemRole = "inline" | "separate";

interface AnswerRun {
  readonly role: "assistant";
  blocks: AnswerBlock[];
}

/** What the model reads before its next answer, in the order in which the client sends it. */
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

/** Messages of alternating roles that start with the user's; results stand right after the answer that asked for them. */
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

/** Blocks of text follow each other without a gap, so a newline ends what one record says (2.1.325 does the same). */
function separateTexts(blocks: readonly InputBlock[]): ApiBlock[] {
  return blocks.map(({ api, line }, at) => {
    const next = blocks[at + 1];
    const needsGap = isTextBlock(api) && isTextBlock(next?.api) && next?.line !== line && !api.text.endsWith("\n");
    return needsGap ? { ...api, text: `${api.text}\n` } : api;
  });
}
