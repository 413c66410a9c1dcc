import { listAt } from "../../collections.js";
import { UserError } from "../../errors.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { EditSource } from "../plans/edit-source.js";
import { tokenEstimator } from "../plans/estimate-tokens.js";
import { applyDecisions, type PruneOutcome } from "./apply-decisions.js";
import { type CallUse, decidePrune, isAsked, type PruneDecisions, type PruneView, setFate } from "./prune-decisions.js";
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
    const message = `about ${estimate(least)} tokens are left when all tools, thinking and images are gone`;
    throw new UserError("usage", message, "`turnlog compress` shortens words, `turnlog fork --from` drops turns");
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (estimate(upTo(middle)) <= target) high = middle;
    else low = middle + 1;
  }
  return upTo(low);
}

/** Old before new, and shorter before gone; the turns that are to keep their tools come last. */
function listSteps(view: PruneView, options: PruneOptions): Step[] {
  const { toolTurns, lastTurn } = view;
  const { keepLast = 1, toolNames, largerThan, before } = options;
  const kept = new Set(keepLast === 0 ? [] : toolTurns.slice(-keepLast));
  const old = toolTurns.filter((turn) => !kept.has(turn));
  const asked = new Map<TurnOutline | undefined, CallUse[]>();
  for (const call of view.calls.values()) if (isAsked(call, options)) listAt(asked, call.turn).push(call);
  const also = (more: PruneOptions): Step => {
    const decided = decidePrune(view, { toolNames, largerThan, before, ...more });
    return (decisions) => join(decisions, decided);
  };
  const each = (turns: readonly TurnOutline[], fate: "stub" | "remove") =>
    turns.map((turn) => callsOf(asked.get(turn) ?? [], fate));
  return [
    also({ progress: true, attachments: true, duplicates: true }),
    also({ thinking: "finished" }),
    ...each(old, "stub"),
    also({ images: true, keepLast: 0 }),
    ...each(old, "remove"),
    ...each(
      [...kept].filter((turn) => turn !== lastTurn),
      "stub",
    ),
    ...each([...kept], "stub"),
    also({ tools: "remove", keepLast: 0, thinking: "all" }),
  ];
}

function callsOf(calls: readonly CallUse[], fate: "stub" | "remove"): Step {
  return (decisions) => {
    for (const call of calls) setFate(decisions, call, fate);
  };
}

function join(decisions: PruneDecisions, more: PruneDecisions): void {
  for (const [record, reason] of more.removed) decisions.removed.set(record, reason);
  for (const [id, fate] of more.fates)
    if (!decisions.fates.has(id) || fate.fate === "remove") decisions.fates.set(id, fate);
  for (const record of more.thinking) decisions.thinking.add(record);
  for (const record of more.images) decisions.images.add(record);
}

/** Estimates what Claude Code would send after pruning. */
function estimateAfter({ outline, recordOf }: EditSource): (outcome: PruneOutcome) => number {
  const bytesOf = (node: Node) => recordOf(node)?.contextBytes ?? 0;
  const { estimate } = tokenEstimator(outline, bytesOf);
  const { nodes } = selectReplay(outline);
  return ({ removed, bytes }) => {
    const left = nodes.filter((node) => {
      const record = recordOf(node);
      return record !== undefined && !removed.has(record);
    });
    return estimate(left, (node) => {
      const record = recordOf(node);
      return (record && bytes.get(record)) ?? bytesOf(node);
    });
  };
}
