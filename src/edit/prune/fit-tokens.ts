import { UserError } from "../../errors.js";
import type { CallAction } from "../../format/writer/trim-record.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditSource } from "../plans/edit-source.js";
import { tokenEstimator } from "../plans/estimate-tokens.js";
import { applyDecisions, type PruneOutcome } from "./apply-decisions.js";
import {
  type CallUse,
  decidePrune,
  isAsked,
  isKept,
  keptSince,
  type PruneDecisions,
  type PruneView,
  pickOf,
  setFate,
} from "./prune-decisions.js";
import type { PruneOptions } from "./prune-presets.js";

type Step = (decisions: PruneDecisions) => void;

/** Removes what is least useful, step by step, until the estimate fits: no step more than needed. */
export function fitTokens(view: PruneView, options: PruneOptions, target: number): PruneOutcome {
  const steps = listSteps(view, options);
  const estimate = estimateAfter(view.source);
  const upTo = (count: number): PruneOutcome => {
    const decisions = decidePrune(view, options);
    for (const step of steps.slice(0, count)) step(decisions);
    return applyDecisions(view, decisions);
  };
  let low = 0;
  let high = steps.length;
  const least = upTo(high);
  if (estimate(least) > target) {
    const but = options.picks ? " but what you picked" : "";
    const message = `about ${estimate(least)} tokens are left when all tools, thinking and images are gone${but}`;
    throw new UserError("usage", message, "`turnlog compress` shortens words, `turnlog fork --from` drops turns");
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (estimate(upTo(middle)) <= target) high = middle;
    else low = middle + 1;
  }
  return upTo(low);
}

/** Old before new, and shorter before gone; the calls that are to be kept come last. */
function listSteps(view: PruneView, options: PruneOptions): Step[] {
  const { keepLast, keepTokens, toolNames, largerThan, before, picks } = options;
  const since = keptSince(view, { keepLast: keepLast ?? (keepTokens === undefined ? 1 : undefined), keepTokens });
  const asked = [...view.calls.values()].filter((call) => isAsked(call, options) && pickOf(call, picks) === undefined);
  const old = asked.filter((call) => !isKept(call, since));
  const kept = asked.filter((call) => isKept(call, since));
  const also = (more: PruneOptions): Step => {
    const decided = decidePrune(view, { toolNames, largerThan, before, picks, ...more });
    return (decisions) => join(decisions, decided);
  };
  const each = (calls: readonly CallUse[], fate: CallAction) =>
    calls.map(
      (call): Step =>
        (decisions) =>
          setFate(decisions, call, fate),
    );
  return [
    also({ progress: true, attachments: true, duplicates: true }),
    also({ thinking: "finished" }),
    ...each(old, "stub"),
    also({ images: true, keepLast, keepTokens: keepTokens ?? (keepLast === undefined ? 0 : undefined) }),
    ...each(old, "remove"),
    ...each(kept, "stub"),
    also({ images: true, tools: "remove", keepLast: 0, thinking: "all" }),
  ];
}

function join(decisions: PruneDecisions, more: PruneDecisions): void {
  for (const [record, reason] of more.removed) decisions.removed.set(record, reason);
  for (const [id, fate] of more.fates)
    if (!decisions.fates.has(id) || fate.fate === "remove") decisions.fates.set(id, fate);
  for (const record of more.thinking) decisions.thinking.add(record);
  for (const record of more.images) decisions.images.add(record);
  for (const [record, reason] of more.stubs) decisions.stubs.set(record, reason);
}

/** Estimates what Claude Code would send after pruning. */
function estimateAfter(source: EditSource): (outcome: PruneOutcome) => number {
  const { outline, recordOf } = source;
  const { estimate } = tokenEstimator(source);
  const { nodes } = selectReplay(outline);
  return ({ removed, bytes }) => {
    const left = nodes.filter((node) => {
      const record = recordOf(node);
      return record !== undefined && !removed.has(record);
    });
    return estimate(left, (node) => {
      const record = recordOf(node);
      return record === undefined ? 0 : (bytes.get(record) ?? record.contextBytes);
    });
  };
}
