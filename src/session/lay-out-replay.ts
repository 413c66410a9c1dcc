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
  readonly blocks: readonly AnswerBlock[];
}

/** What the model reads before its next answer, in the order in which the client sends it. */
interface InputRun {
  readonly role: "user";
  readonly results: readonly InputBlock[];
  readonly context: readonly InputBlock[];
  readonly system: readonly InputBlock[];
  readonly message: readonly InputBlock[];
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
  const steps = pieces.flatMap((piece): Run[] => {
    if (piece.kind === "answer") return answerRuns(piece, calls, log);
    return piece.kind === "input" ? inputRuns(piece, systemRole, log) : [];
  });
  const serverIds = new Set<string>();
  const settled = joinRuns(steps).flatMap((run): Run[] => {
    if (run.role === "user") return [run];
    const blocks = settleAnswers(run.blocks, serverIds, log);
    return blocks.length > 0 ? [{ ...run, blocks }] : [];
  });
  const messages = joinRuns(settled).flatMap((run) => toMessages(run, systemRole));
  if (messages[0]?.role !== "assistant") return messages;
  log.add("missing-opening", 0);
  return [{ role: "user", content: [textBlock(OPENING)] }, ...messages];
}

const NOTHING: InputRun = { role: "user", results: [], context: [], system: [], message: [] };

function answerRuns(piece: AnswerPiece, calls: Calls, log: ReplayLog): Run[] {
  const blocks = toAnswerBlocks(piece, calls, log);
  if (blocks.length === 0) return [];
  const results = blocks.flatMap(({ block, line }) => {
    const call = calls.get(block);
    return call ? toResult(call, line, log) : [];
  });
  const answer: AnswerRun = { role: "assistant", blocks };
  return results.length > 0 ? [answer, { ...NOTHING, results }] : [answer];
}

function toResult({ id, result }: ReplayCall, callLine: number, log: ReplayLog): InputBlock[] {
  if (!result) return [{ api: missingResult(id), line: callLine }];
  const { block, problems } = toResultBlock(result.block, id);
  for (const problem of problems) log.add(problem, result.line);
  return block ? [{ api: block, line: result.line }] : [];
}

function inputRuns({ place, blocks, line }: InputPiece, systemRole: SystemRole, log: ReplayLog): Run[] {
  const isUntagged = place === "system" && systemRole === "separate";
  const ready = blocks.flatMap((block) => {
    const { block: api, problems } = toUserBlock(isUntagged ? withoutReminderTags(block) : block);
    for (const problem of problems) log.add(problem, line);
    return api ? [{ api, line }] : [];
  });
  return ready.length > 0 ? [{ ...NOTHING, [place]: ready }] : [];
}

function joinRuns(runs: readonly Run[]): Run[] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last?.[0]?.role === run.role) last.push(run);
    else groups.push([run]);
  }
  return groups.map(joinGroup);
}

function joinGroup(runs: readonly Run[]): Run {
  const answers = runs.filter((run) => run.role === "assistant");
  if (answers.length > 0) return { role: "assistant", blocks: answers.flatMap(({ blocks }) => blocks) };
  const inputs = runs.filter((run) => run.role === "user");
  return {
    role: "user",
    results: inputs.flatMap(({ results }) => results),
    context: inputs.flatMap(({ context }) => context),
    system: inputs.flatMap(({ system }) => system),
    message: inputs.flatMap(({ message }) => message),
  };
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
