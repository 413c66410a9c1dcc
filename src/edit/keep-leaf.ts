import type { EditPlan } from "./edit-plan.js";

/** A hint at the end of the conversation that named a removed record names the one before it instead. */
export function keepLeaf(plan: EditPlan): EditPlan {
  const { outline, records } = plan.source;
  const isHintLost = records.some(
    (record) => record.type === "last-prompt" && plan.changes.get(record)?.kind === "remove",
  );
  const end = outline.activeLeaf;
  if (end === null || !isHintLost) return plan;
  return { ...plan, leaf: plan.survivors.has(end) ? (plan.survivors.get(end) ?? null) : end };
}
