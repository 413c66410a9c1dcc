import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planCompress } from "../../../src/edit/compress/plan-compress.js";
import { planMerge } from "../../../src/edit/merge/plan-merge.js";
import { planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditPlan } from "../../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planRedact } from "../../../src/edit/plans/plan-redact.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { prunePreset } from "../../../src/edit/prune/prune-presets.js";
import { planRepair } from "../../../src/edit/repair/plan-repair.js";
import { edit, NEW_ID, readEdited, withSource } from "../edited-session.js";

/** An automatic compaction that kept the pending prompt, with attachments between its boundary and its summary. */
const compacted = readFileSync(join(import.meta.dirname, "../../crafted/compact-attachments.jsonl"));
const options = { id: NEW_ID, title: null };
const asIs = { clean: <Value>(value: Value) => value };
const other = readFileSync(join(import.meta.dirname, "../../crafted/zero-leaf.jsonl"));

function prompts({ replay }: ReturnType<typeof readEdited>): string[] {
  const said = replay.messages.flatMap(({ role, content }) => (role === "user" ? content : []));
  return said.map(({ text }) => String(text).trim()).filter((text) => !text.startsWith("<system-reminder>"));
}

const ALL = [{ from: 0, to: 100, level: "heavy" }] as const;
const more = [
  { type: "user", message: { role: "user", content: "And now?" } },
  { type: "assistant", message: { id: "msg_4", role: "assistant", content: [{ type: "text", text: "Done." }] } },
].map((row, at) => ({
  ...row,
  uuid: `00000000-0000-4000-8000-00000000001${at + 1}`,
  parentUuid: `00000000-0000-4000-8000-00000000001${at}`,
  timestamp: `2026-11-01T09:01:0${at}.000Z`,
}));
const longer = compacted.toString("utf8") + more.map((row) => `${JSON.stringify(row)}\n`).join("");
const SUMMARY =
  "This session is being continued from a previous conversation. The user asked how many lines a.txt has: 3.";
const BEFORE = [SUMMARY, "Now write the number down", "Thank you"];

test("the source is replayed with what its compaction kept", () => {
  expect(prompts(readEdited(compacted))).toEqual(BEFORE);
});

test.each<[string, (source: EditSource) => EditPlan]>([
  ["fork", (source) => planFork(source, { at: 2 }, options)],
  ["prune light, which removes those attachments", (source) => planPrune(source, prunePreset("light"), options)],
  ["prune extreme", (source) => planPrune(source, prunePreset("extreme"), options)],
  ["redact", (source) => planRedact(source, asIs, options)],
  ["repair", (source) => planRepair(source, options)],
])("%s keeps a prompt that a compaction kept", (_what, plan) => {
  const edited = edit(compacted, plan);
  expect(prompts(edited).slice(0, 2)).toEqual(BEFORE.slice(0, 2));
  expect(edited.errors).toEqual([]);
});

test("merge keeps a prompt that a compaction kept", () => {
  const merged = withSource(other, (from) =>
    edit(compacted, (source) => planMerge(source, { from: { other: from } }, options)),
  );
  expect(prompts(merged).slice(0, 3)).toEqual(BEFORE);
});

test("compress puts what a compaction kept into its summary, and --per-turn leaves it in its place", () => {
  const [summary] = prompts(edit(longer, (source) => planCompress(source, { bands: ALL }, options)));
  expect(summary).toContain("User: Now write the number down\nAssistant: I wrote 3 into lines.txt.");
  expect(summary).toContain("User: Thank you");
  const perTurn = edit(longer, (source) => planCompress(source, { perTurn: true, bands: ALL }, options));
  expect(prompts(perTurn)).toEqual([...BEFORE, "And now?"]);
});
