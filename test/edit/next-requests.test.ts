import { describe, expect, test } from "vitest";
import { planClone } from "../../src/edit/plans/clone-and-fork.js";
import type { EditPlan } from "../../src/edit/plans/edit-plan.js";
import { readEditSource } from "../../src/edit/plans/edit-source.js";
import { planPrune } from "../../src/edit/prune/plan-prune.js";
import { type PruneOptions, prunePreset } from "../../src/edit/prune/prune-presets.js";
import { NEW_ID } from "./edited-session.js";
/** Bytes of instructions, tools and messages in the request with which 2.1.326 went on, in a home without settings. */
import measured from "./next-requests.json" with { type: "json" };

const PRUNES: Readonly<Record<string, PruneOptions>> = {
  light: prunePreset("light"),
  normal: { ...prunePreset("normal"), keepTokens: 0 },
  heavy: { ...prunePreset("heavy"), keepTokens: undefined, keepLast: 0 },
  extreme: prunePreset("extreme"),
};

function planEdit(session: string, edit: string): EditPlan {
  const source = readEditSource(`${import.meta.dirname}/../${session}`);
  const options = { id: NEW_ID };
  if (edit === "clone") return planClone(source, options);
  return planPrune(source, PRUNES[edit] ?? { toTokens: Number(edit.slice("to ".length)) }, options);
}

const rows = measured.requestBytes.map(
  ([session, edit, bytes]) => [String(edit), String(session), Number(bytes)] as const,
);
const clones = rows.filter(([edit]) => edit === "clone");
const prunes = rows.filter(([edit]) => edit !== "clone");

describe("the estimate of recorded sessions whose counts do not follow their texts", () => {
  test.each(clones)("is right within a twentieth for a %s of %s", (edit, session, bytes) => {
    expect(Math.abs(planEdit(session, edit).tokensAfter / (bytes / 4) - 1)).toBeLessThan(0.05);
  });

  test.each(prunes)("is right within a tenth after %s of %s", (edit, session, bytes) => {
    expect(Math.abs(planEdit(session, edit).tokensAfter / (bytes / 4) - 1)).toBeLessThan(0.1);
  });
});

test.each(measured.believedCounts.map(([session, count]) => [String(session), Number(count)] as const))(
  "the count of %s could be real, and is used",
  (session, count) => {
    expect(Math.abs(planEdit(session, "clone").tokensAfter / count - 1)).toBeLessThan(0.05);
  },
);
