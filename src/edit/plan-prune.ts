import { cutOpenTurn } from "./cut-open-turn.js";
import type { EditOptions, EditPlan } from "./edit-plan.js";
import { type EditSource, isInConversation, isRequestLog, type SourceRecord } from "./edit-source.js";
import { keepLeaf } from "./keep-leaf.js";
import { lowerCounts } from "./lower-counts.js";
import { fitTokens } from "./prune/fit-tokens.js";
import { decidePrune, viewForPruning } from "./prune/prune-decisions.js";
import type { PruneOptions } from "./prune/prune-options.js";
import { sketchBodies } from "./prune/sketch-bodies.js";
import { workOutPrune } from "./prune/work-out-prune.js";
import { settlePlan } from "./settle-plan.js";

/** The session with less in its context: tools, thinking, images and notes, but never what people and the model said. */
export function planPrune(source: EditSource, prune: PruneOptions, options: EditOptions): EditPlan {
  const open = cutOpenTurn(source);
  const view = viewForPruning(source, sketchBodies(source));
  const { removed, replaced, bytes } =
    prune.toTokens === undefined
      ? workOutPrune(view, decidePrune(view, prune))
      : fitTokens(view, prune, prune.toTokens);
  const plan = settlePlan(source, {
    command: "prune",
    options,
    removed: new Map([
      ...removed,
      ...besides(source, removed.size + replaced.size > 0),
      ...branchesBeside(source, removed),
      ...open.removed,
    ]),
    replaced,
    contextBytes: (record) => bytes.get(record) ?? record.contextBytes,
    isRelinked: view.isOneLine,
    notes: open.notes,
    leavesSubagents: prune.sidechains,
  });
  return lowerCounts(keepLeaf(plan));
}

/** Logs of requests hold what is taken out; half lines help nobody. */
function besides({ records }: EditSource, isPruned: boolean): Map<SourceRecord, string> {
  const going = new Map<SourceRecord, string>();
  for (const record of records) {
    if (record.kind === "broken") going.set(record, "lines that cannot be read");
    if (isPruned && isRequestLog(record.type)) going.set(record, "request logs");
  }
  return going;
}

/** Where the end of the conversation goes, a client might take the end of another branch for it: so these go too. */
function branchesBeside(
  { outline, records, recordOf }: EditSource,
  removed: ReadonlyMap<SourceRecord, string>,
): Map<SourceRecord, string> {
  const isEndGone = [...removed.keys()].some(({ uuid }) => uuid !== undefined && uuid === outline.activeLeaf);
  if (!isEndGone || outline.deadBranches.length === 0) return new Map();
  const active = new Set(outline.active.map(recordOf));
  const uuids = new Set(outline.active.map(({ uuid }) => uuid));
  const isBeside = (record: SourceRecord) =>
    isInConversation(record) &&
    !record.isSidechain &&
    !(record.uuid === undefined ? active.has(record) : uuids.has(record.uuid));
  return new Map(records.filter(isBeside).map((record) => [record, "other branches"]));
}
