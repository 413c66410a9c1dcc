import type { EditPlan } from "./edit-plan.js";

/** A hint at the end of the conversation names that end still where the record that it named is gone, or leads nowhere any more. */
export function keepLeaf(plan: EditPlan): EditPlan {
  const { outline, records } = plan.source;
  const aside = new Set(records.flatMap(({ kind, uuid }) => (kind === "progress" ? (uuid ?? []) : [])));
  const isHintLost = records.some(
    (record) =>
      record.type === "last-prompt" &&
      (plan.changes.get(record)?.kind === "remove" || record.refs.some((uuid) => aside.has(uuid))),
  );
  const end = outline.activeLeaf;
  if (end === null || !isHintLost) return plan;
  return { ...plan, leaf: plan.survivors.has(end) ? (plan.survivors.get(end) ?? null) : end };
}
