import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMerge } from "../../../src/edit/merge/plan-merge.js";
import { planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditPlan } from "../../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { planRepair } from "../../../src/edit/repair/plan-repair.js";
import { editedLines } from "../../../src/edit/write/edited-lines.js";
import type { JsonObject } from "../../../src/format/json.js";
import { verifySession } from "../../../src/session/verify/verify-session.js";
import { answer, chain, prompt, toLines } from "../../builders/session-builder.js";
import { edit, NEW_ID, readEdited, withSource } from "../edited-session.js";
import { lostParents } from "../lost-parents.js";

const RECORDED = join(import.meta.dirname, "..", "..", "recorded");
const behindItself = readFileSync(join(RECORDED, "resumed-copy-2.1.29.jsonl"));
const besideItself = readFileSync(join(RECORDED, "resumed-copy-2.0.76.jsonl"));
const options = { id: NEW_ID };

const EDITS: [string, (source: EditSource) => EditPlan][] = [
  ["repair", (source) => planRepair(source, options)],
  ["fork at the last turn", (source) => planFork(source, { at: source.outline.turns.length }, options)],
  ["fork in the middle", (source) => planFork(source, { at: 2 }, options)],
  ["prune of progress", (source) => planPrune(source, { progress: true }, options)],
];

/** Up the parents, as clients go. */
function wayUp(rows: readonly JsonObject[]): JsonObject[] {
  const byUuid = new Map(rows.map((row) => [row["uuid"], row]));
  const way: JsonObject[] = [];
  let at = rows.findLast(({ type }) => type === "user" || type === "assistant");
  for (; at; at = byUuid.get(at["parentUuid"])) way.unshift(at);
  return way;
}

function callsOn(rows: readonly JsonObject[]): string[] {
  return wayUp(rows).flatMap((row) => JSON.stringify(row).match(/(?<="type":"tool_use","id":")[^"]+/g) ?? []);
}

describe("of a history that a client wrote again", () => {
  describe.each([
    ["behind itself", behindItself],
    ["beside itself", besideItself],
  ])("%s", (_where, bytes) => {
    test.each(EDITS)("%s has every call once", (_name, plan) => {
      const { rows, errors } = edit(bytes, plan);
      const calls = callsOn(rows);
      expect(calls).toHaveLength(4);
      expect(new Set(calls).size).toBe(4);
      expect({ errors, lost: lostParents(rows) }).toEqual({ errors: [], lost: [] });
    });

    test("the copy is not merged into it", () => {
      const mergeDead = (source: EditSource) => {
        const leaf = source.outline.deadBranches.findLast(({ turns }) => turns > 0)?.leaf ?? "";
        return planMerge(source, { from: { branch: leaf } }, options);
      };
      expect(() => edit(bytes, mergeDead)).toThrow("nothing to merge");
    });
  });
});

test("of records that stand twice in the file, an edit keeps the later one", () => {
  const rows = chain(prompt("one"), answer("1"), prompt("two"), answer("2"));
  const twice = toLines([...rows, ...rows]);
  const { rows: written, problems } = withSource(twice, (source) => {
    const bytes = Buffer.concat([...editedLines(planFork(source, { at: 1 }, options))]);
    return { rows: readEdited(bytes).rows, problems: verifySession([bytes], `${NEW_ID}.jsonl`).problems };
  });
  expect(written.filter(({ type }) => type === "user" || type === "assistant")).toHaveLength(2);
  expect(problems.filter(({ severity }) => severity !== "info")).toEqual([]);
});
