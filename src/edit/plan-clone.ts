import { cutOpenTurn } from "./cut-open-turn.js";
import type { EditOptions, EditPlan } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { settlePlan } from "./settle-plan.js";

/** The whole session under a new id, dead branches and lines that cannot be read included. */
export function planClone(source: EditSource, options: EditOptions): EditPlan {
  const { removed, notes } = cutOpenTurn(source);
  const { brokenLines } = source.outline.facts;
  const broken = `${brokenLines} ${brokenLines === 1 ? "line that" : "lines that"} cannot be read: copied as they are`;
  return settlePlan(source, {
    command: "clone",
    options,
    removed,
    notes: brokenLines > 0 ? [...notes, broken] : notes,
  });
}
