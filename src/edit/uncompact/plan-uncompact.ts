import { UserError } from "../../errors.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { originOf } from "../../session/facts/relations.js";
import type { Node } from "../../session/graph/node.js";
import type { Outline } from "../../session/open-session.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import { restoreLeafHint, settlePlan } from "../edit.js";
import { sketchBodies } from "../plans/body-sketch.js";
import type { EditDraft, EditOptions, EditPlan } from "../plans/edit-plan.js";
import { cutOpenTurn, type EditSource } from "../plans/edit-source.js";
import { tokenEstimator } from "../plans/estimate-tokens.js";
import { lowerAllCounts } from "../plans/lower-counts.js";
import type { SourceRecord } from "../plans/source-record.js";
import { draftPrune } from "../prune/plan-prune.js";
import { viewForPruning } from "../prune/prune-decisions.js";
import { listCompactions, type UndoneCompaction } from "./compaction-records.js";

export interface UncompactOptions {
  /** The first compaction that is undone, 1-based, with all later ones; default: the last one. */
  readonly from?: number | undefined;
  /** What comes back is pruned until the estimate is at most this; default: nothing is pruned. */
  readonly toTokens?: number | undefined;
}

/**
 * The session as if it had not been compacted: summaries and what belongs to them go, and Claude Code reads what was before them
 * again. What a compaction preserved stands before it, so it is there once.
 */
export function planUncompact(source: EditSource, wish: UncompactOptions, options: EditOptions): EditPlan {
  const { undone, notes } = chooseCompactions(source, wish.from);
  const whole = withoutCompactions(source, undone);
  const gone = new Map(undone.flatMap(({ nodes }) => nodes.flatMap((node) => reasonFor(source, node))));
  const draft = draftFit(whole, wish.toTokens);
  const plan = settlePlan(whole, {
    command: "uncompact",
    options,
    ...draft,
    removed: new Map([...draft.removed, ...gone]),
    isRelinked: true,
    notes: [...(draft.notes ?? []), ...undone.map((it) => describeUndone(it, source)), ...notes],
  });
  return lowerAllCounts(countFromSource(restoreLeafHint(plan), source, gone));
}

const REASON = "summaries of compactions, and what belongs to them";

function reasonFor({ recordOf }: EditSource, node: Node): [SourceRecord, string][] {
  const record = recordOf(node);
  return record ? [[record, REASON]] : [];
}

interface ChosenCompactions {
  readonly undone: readonly UndoneCompaction[];
  readonly notes: readonly string[];
}

/** The summary of what is no longer there stays. */
function chooseCompactions(source: EditSource, from: number | undefined): ChosenCompactions {
  const all = listCompactions(source);
  if (all.length === 0) {
    throw new UserError(
      "not-found",
      "the session was not compacted: there is nothing to bring back",
      noteMicro(source),
    );
  }
  const first = from ?? all.length;
  if (first < 1 || first > all.length) {
    const known = all.length === 1 ? "only one" : `compactions 1 to ${all.length}`;
    throw new UserError("not-found", `there is no compaction ${first}`, `the session has ${known}`);
  }
  const lost = all.findLast(({ canBeUndone }) => !canBeUndone)?.number ?? 0;
  const undone = all.slice(Math.max(first - 1, lost));
  if (undone.length === 0) throw nothingLeft(source);
  const stays = lost < first ? [] : [`compaction ${lost} stays: the messages before it are no longer there`];
  return { undone, notes: [...stays, ...noteMissing(source, undone)] };
}

const WRITTEN = "nothing was written";

/** A microcompaction only shortens what is sent while Claude Code runs; the file has all of it. */
function noteMicro({ path, records }: EditSource): string {
  const places = records.filter(({ kind }) => kind === "system");
  const isMicro = [...readRecordsAt(path, places)].some(
    (it) => it.kind === "system" && it.subtype === "microcompact_boundary",
  );
  return isMicro ? `it was only microcompacted, and Claude Code reads all of it when it resumes; ${WRITTEN}` : WRITTEN;
}

/** The same session with these compactions off its branch, and what is needed to estimate it. */
function withoutCompactions(source: EditSource, undone: readonly UndoneCompaction[]): EditSource {
  const { outline } = source;
  const gone = new Set(undone.flatMap(({ nodes }) => nodes));
  const lines = new Set(undone.map(({ line }) => line));
  return {
    ...source,
    outline: {
      ...outline,
      active: outline.active.filter((node) => !gone.has(node)),
      compactions: outline.compactions.filter(({ line }) => !lines.has(line)),
    },
    contexts: [...undone.map(({ at }): Outline => ({ ...outline, active: outline.active.slice(0, at) })), outline],
  };
}

function nothingLeft({ outline }: EditSource): UserError {
  const source = originOf(outline.facts.relations);
  const origin = source === null ? "" : `; it is a copy of ${source.sessionId}, which had them`;
  const hint = `${WRITTEN}; the archive has what Claude Code cuts out of a file while it is on (\`turnlog archive on\`)${origin}`;
  return new UserError("not-found", "the messages before the compaction are no longer there", hint);
}

/** Prunes no more than the target asks for. */
function draftFit(whole: EditSource, target: number | undefined): Omit<EditDraft, "command" | "options"> {
  const open = cutOpenTurn(whole);
  const { estimate } = tokenEstimator(whole);
  if (target === undefined || estimate(selectReplay(whole.outline).nodes) <= target) return open;
  const view = viewForPruning(whole, whole.sketches ?? sketchBodies(whole));
  try {
    const { changed: _changed, ...draft } = draftPrune(view, { toTokens: target });
    return draft;
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "usage") throw error;
    throw new UserError(
      "usage",
      `${error.message}, more than ${target}`,
      "ask for more with --to-tokens, or undo fewer",
    );
  }
}

function describeUndone({ number, of, line }: UndoneCompaction, { outline }: EditSource): string {
  const { trigger, at, preTokens } = outline.compactions.find((it) => it.line === line) ?? {};
  const told = [
    trigger === "auto" ? "automatic" : trigger,
    at && `${at.slice(0, 16).replace("T", " ")} UTC`,
    preTokens && `at ${preTokens} tokens`,
  ].filter((it) => it);
  return [`compaction ${number} of ${of} is undone`, ...(told.length === 0 ? [] : [told.join(", ")])].join(": ");
}

/** A boundary names the record before it. */
function noteMissing({ outline }: EditSource, undone: readonly UndoneCompaction[]): string[] {
  const lost = undone.filter(({ before }) => before !== undefined && !outline.uuids.has(before));
  return lost.length === 0 ? [] : ["some messages before the compaction are no longer there"];
}

/** Estimates compare with what Claude Code reads of the source, not with the whole history. */
function countFromSource(plan: EditPlan, source: EditSource, gone: ReadonlyMap<SourceRecord, string>): EditPlan {
  const estimator = tokenEstimator(plan.source);
  const { nodes } = selectReplay(source.outline);
  const tokensBefore = estimator.estimate(nodes);
  const isGone = (node: Node) => {
    const record = source.recordOf(node);
    return record !== undefined && gone.has(record);
  };
  const lost = nodes.filter(isGone).reduce((sum, node) => {
    return sum + estimator.tokensOf(node, source.recordOf(node)?.contextBytes ?? 0);
  }, 0);
  const saved = Math.round(lost);
  return {
    ...plan,
    tokensBefore,
    savedTokens: new Map([
      ...plan.savedTokens,
      [REASON, saved],
      ["what the compaction had removed", tokensBefore - saved - plan.tokensBefore],
    ]),
  };
}
