import { withAnswerText } from "../../format/writer/new-records.js";
import type { Node } from "../../session/graph/node.js";
import { restoreLeafHint, settlePlan } from "../edit.js";
import { canBeOneChain, dropOrphanResults } from "../plans/chain-nodes.js";
import type { EditOptions, EditPlan, Replace } from "../plans/edit-plan.js";
import { cutOpenTurn, type EditSource } from "../plans/edit-source.js";
import type { SourceRecord } from "../plans/source-record.js";
import type { ChosenTurn, ChosenTurns, CompressOptions } from "./choose-turns.js";
import { answerLines, personLines, readTurn } from "./condense-turn.js";

const MARK = "[condensed by turnlog";

/** Every chosen turn is left with its prompts and one answer that says the rest in short. */
export function condensePerTurn(
  source: EditSource,
  { turns }: ChosenTurns,
  compress: CompressOptions,
  options: EditOptions,
): EditPlan {
  const open = cutOpenTurn(source);
  const removed = new Map<SourceRecord, string>(open.removed);
  const replaced = new Map<SourceRecord, { readonly reason: string; readonly replace: Replace }>();
  const bytes = new Map<SourceRecord, number>();
  const condensed = new Set<Node>();
  for (const chosen of turns) {
    const text = condense(source, chosen, compress);
    const last = chosen.turn.nodes.findLast(isAnswer);
    const answer = last && source.recordOf(last);
    if (text === undefined || !answer) continue;
    replaced.set(answer, { reason: "turns condensed", replace: (raw) => withAnswerText(raw, text) });
    bytes.set(answer, Buffer.byteLength(JSON.stringify(text)) - 2);
    for (const node of chosen.turn.nodes) {
      const record = source.recordOf(node);
      condensed.add(node);
      if (record && record !== answer && isDropped(node)) removed.set(record, "answers and tool calls");
    }
  }
  for (const record of resultsBeside(source, condensed)) removed.set(record, "results of condensed calls");
  const plan = settlePlan(source, {
    command: "compress",
    options,
    removed,
    replaced,
    contextBytes: (record) => bytes.get(record) ?? record.contextBytes,
    isRelinked: canBeOneChain(source),
    notes: open.notes,
  });
  return restoreLeafHint(plan);
}

/** Results on other branches of calls that are removed. */
function resultsBeside({ outline, viewBranchEnd, recordOf }: EditSource, condensed: ReadonlySet<Node>): SourceRecord[] {
  if (condensed.size === 0) return [];
  const onBranch = new Set(outline.active);
  return outline.deadBranches.flatMap(({ leaf }) => {
    const staying = leaf === null ? [] : viewBranchEnd(leaf).active.filter((node) => !condensed.has(node));
    const sound = new Set(dropOrphanResults(staying));
    return staying.flatMap((node) => (sound.has(node) || onBranch.has(node) ? [] : (recordOf(node) ?? [])));
  });
}

/** Undefined where the turn stays as it is: nothing to condense, or it was condensed before. */
function condense(source: EditSource, { turn, level }: ChosenTurn, compress: CompressOptions): string | undefined {
  if (level === "full") return undefined;
  const whole = readTurn(source, turn);
  const made = compress.summaries?.get(turn.index);
  const lines =
    made === undefined ? answerLines(whole, level, compress.keepCalls ?? false) : [made, ...personLines(whole)];
  const isDone = lines.some((line) => line.includes(MARK));
  const mark = `${MARK}; in full from line ${turn.start.line} of ${source.transcript}]`;
  return lines.length === 0 || isDone ? undefined : [mark, ...lines].join("\n");
}

function isAnswer({ role }: Node): boolean {
  return role === "answer";
}

function isDropped({ role, kind }: Node): boolean {
  if (role === "answer" || role === "toolResult" || role === "apiError" || role === "synthetic") return true;
  return role === "plain" && (kind === "progress" || kind === "attachment");
}
