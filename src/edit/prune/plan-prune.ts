import { arrayAt, stringAt } from "../../format/json.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { holdsPersonsWords } from "../../session/messages/tool-status.js";
import { restoreLeafHint, settlePlan } from "../edit.js";
import { sketchBodies } from "../plans/body-sketch.js";
import { chainNodes, keepsMessagesTogether, remainingNodes } from "../plans/chain-nodes.js";
import type { EditDraft, EditOptions, EditPlan } from "../plans/edit-plan.js";
import { cutOpenTurn, type EditSource } from "../plans/edit-source.js";
import { lowerTokenCounts } from "../plans/lower-counts.js";
import { continuedFrom, isInConversation, isRequestLog, type SourceRecord } from "../plans/source-record.js";
import { listSideFiles } from "../write/side-files.js";
import { applyDecisions, type PruneOutcome } from "./apply-decisions.js";
import { fitTokens } from "./fit-tokens.js";
import { decidePrune, isAsked, type PruneView, viewForPruning } from "./prune-decisions.js";
import { type PruneOptions, type PrunePick, type PrunePicks, picksRemoval } from "./prune-presets.js";

/** The session with less in its context: tools, thinking, images and notes, but never what people and the model said. */
export function planPrune(source: EditSource, prune: PruneOptions, options: EditOptions): EditPlan {
  const view = viewForPruning(source, source.sketches ?? sketchBodies(source));
  const { changed, ...draft } = draftPrune(view, prune);
  const plan = settlePlan(source, { command: "prune", options, ...draft });
  const isVain = matchesNothing(view, prune) || missesPicks(view, prune) || savesNothing(plan, prune);
  return { ...lowerTokenCounts(restoreLeafHint(plan)), pruned: isVain ? 0 : changed };
}

export interface PruneDraft extends Omit<EditDraft, "command" | "options"> {
  /** How many records and files are pruned. */
  readonly changed: number;
}

/** What pruning does to records, before what follows from it. */
export function draftPrune(view: PruneView, prune: PruneOptions): PruneDraft {
  const { source } = view;
  const open = cutOpenTurn(source);
  const { canBeOneChain, ...outcome } = decideOutcome(view, prune);
  const { removed, replaced, bytes } = withoutReplacements(source, outcome);
  const agents = prune.sidechains ? noteAgents(source) : [];
  return {
    removed: new Map([
      ...removed,
      ...removeLogsAndBrokenLines(source, removed.size + replaced.size > 0),
      ...removeOtherBranches(source, removed),
      ...open.removed,
    ]),
    replaced,
    contextBytes: (record) => bytes.get(record) ?? record.contextBytes,
    isRelinked: canBeOneChain,
    notes: [...open.notes, ...noteFilters(view, prune), ...agents],
    leavesSubagents: prune.sidechains,
    changed: removed.size + replaced.size + agents.length,
  };
}

/** Who asks for a shorter context has no use for a copy that is as long; snapshots and sub-agents are not in the context. */
function savesNothing({ tokensBefore, tokensAfter }: EditPlan, prune: PruneOptions): boolean {
  const { tools, thinking, images, attachments, duplicates, toTokens, snapshots, sidechains, picks } = prune;
  const isShorterAsked = [
    tools,
    thinking,
    images,
    attachments,
    duplicates,
    toTokens,
    picks && picksRemoval(picks),
  ].some(Boolean);
  return isShorterAsked && !snapshots && !sidechains && tokensAfter >= tokensBefore;
}

/** The model must not see what took the place of a result that changes. */
function withoutReplacements({ path, records }: EditSource, outcome: PruneOutcome): PruneOutcome {
  const removed = new Map(outcome.removed);
  const replaced = new Map(outcome.replaced);
  const isStale = (item: unknown) => outcome.results.has(stringAt(item, "toolUseId") ?? "");
  const notes = outcome.results.size === 0 ? [] : records.filter(({ type }) => type === "content-replacement");
  for (const record of notes) {
    const [body] = readRecordsAt(path, [record]);
    const items = body?.kind === "side" ? arrayAt(body.raw, "replacements") : [];
    const left = items.filter((item) => !isStale(item));
    if (left.length === items.length) continue;
    if (left.length === 0) removed.set(record, REPLACED);
    else replaced.set(record, { reason: REPLACED, replace: (raw) => ({ ...raw, replacements: left }) });
  }
  return { ...outcome, removed, replaced };
}

const REPLACED = "other forms of changed results";

/** A filter that matches nothing is more likely a slip than a wish: then nothing else is pruned either. */
function matchesNothing({ calls }: PruneView, prune: PruneOptions): boolean {
  const { toolNames, before, largerThan } = prune;
  const isFiltered = (toolNames?.length ?? 0) > 0 || before !== undefined || largerThan !== undefined;
  return isFiltered && ![...calls.values()].some((call) => isAsked(call, prune));
}

/** Where what is to be kept cannot be found, too much might go. */
function missesPicks(view: PruneView, { picks }: PruneOptions): boolean {
  if (!picks) return false;
  const missing = missingPicks(view, picks);
  const isAllMissing = missing.length === picks.calls.size + picks.turns.size;
  return (missing.length > 0 && isAllMissing) || missing.some(({ pick }) => pick === "keep");
}

interface MissingPick {
  readonly pick: PrunePick;
  readonly note: string;
}

function missingPicks({ calls, source }: PruneView, picks: PrunePicks): MissingPick[] {
  const turns = new Set(source.outline.turns.filter((turn) => turn !== source.openTurn).map(({ index }) => index));
  return [
    ...[...picks.calls]
      .filter(([id]) => !calls.has(id))
      .map(([id, pick]) => ({ pick, note: `there is no call ${id}` })),
    ...[...picks.turns]
      .filter(([index]) => !turns.has(index))
      .map(([index, pick]) => ({ pick, note: `there is no turn ${index}` })),
  ];
}

/** What was picked to go but stays, as a person spoke through it. */
function noteSpoken({ calls }: PruneView, picks: PrunePicks): string[] {
  const spoken = [...picks.calls].filter(([id, pick]) => {
    const call = calls.get(id);
    return call && pick !== "keep" && holdsPersonsWords(call);
  });
  return spoken.map(([id]) => `call ${id} stays: it holds what a person said`);
}

function noteFilters(view: PruneView, prune: PruneOptions): string[] {
  const { calls } = view;
  const all = [...calls.values()];
  const missing = (prune.toolNames ?? []).filter((name) => !all.some((call) => call.name === name));
  const isFiltered = prune.before !== undefined || prune.largerThan !== undefined;
  const matchesNone = isFiltered && missing.length === 0 && !all.some((call) => isAsked(call, prune));
  return [
    ...missing.map((name) => `the session has no call of ${name}`),
    ...(matchesNone ? ["no tool call is as old or as large as asked"] : []),
    ...(prune.picks
      ? [...missingPicks(view, prune.picks).map(({ note }) => note), ...noteSpoken(view, prune.picks)]
      : []),
  ];
}

/** What prevents one chain may itself be removed: then all is decided as in a session that was one chain before. */
function decideOutcome(view: PruneView, prune: PruneOptions): PruneOutcome & Pick<PruneView, "canBeOneChain"> {
  const { source, canBeOneChain } = view;
  const outcome =
    prune.toTokens === undefined
      ? applyDecisions(view, decidePrune(view, prune))
      : fitTokens(view, prune, prune.toTokens);
  const becomesOne =
    !canBeOneChain && keepsMessagesTogether(remainingNodes(source, source.outline.active, outcome.removed));
  return becomesOne ? decideOutcome({ ...view, canBeOneChain: true }, prune) : { ...outcome, canBeOneChain };
}

/** Sub-agents in files of their own are no records of the session, so its counts do not include them. */
function noteAgents({ path }: EditSource): string[] {
  const count = listSideFiles(path).sideFolder.filter(({ kind }) => kind === "subagent").length;
  return count === 0 ? [] : [`${count} ${count === 1 ? "file of a sub-agent is" : "files of sub-agents are"} omitted`];
}

/** Logs of requests hold what is removed; broken lines are useless. */
function removeLogsAndBrokenLines({ records }: EditSource, isPruned: boolean): Map<SourceRecord, string> {
  const going = new Map<SourceRecord, string>();
  for (const record of records) {
    if (record.kind === "broken") going.set(record, "lines that cannot be read");
    if (isPruned && isRequestLog(record.type)) going.set(record, "request logs");
  }
  return going;
}

/** Where the conversation ends elsewhere than before, Claude Code might resume another branch: so these are removed too. */
function removeOtherBranches(
  source: EditSource,
  removed: ReadonlyMap<SourceRecord, string>,
): Map<SourceRecord, string> {
  const { outline, records, recordOf } = source;
  if (outline.deadBranches.length === 0) return new Map();
  const active = outline.active.flatMap((node) => recordOf(node) ?? []);
  const uuids = new Set(active.map(({ uuid }) => uuid));
  const beside = records.filter(
    (record) => isInConversation(record) && !record.isSidechain && record.uuid !== undefined && !uuids.has(record.uuid),
  );
  const staying = remainingNodes(source, outline.active, removed);
  const end = chainNodes(staying).order.findLast(({ kind }) => kind === "user" || kind === "assistant")?.uuid;
  const [lastLine, lastStaying] = [highestLine(active), highestLine(staying)];
  const isMisled =
    removed.size > 0 &&
    (end === undefined ||
      beside.some((record) => continuedFrom(record) === end || (record.line > lastStaying && record.line < lastLine)));
  return new Map(isMisled ? beside.map((record) => [record, "other branches"]) : []);
}

function highestLine(places: readonly { readonly line: number }[]): number {
  return places.reduce((highest, { line }) => Math.max(highest, line), 0);
}
