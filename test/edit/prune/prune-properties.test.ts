import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { PRUNE_PRESETS, type PruneOptions } from "../../../src/edit/prune/prune-presets.js";
import type { JsonObject } from "../../../src/format/json.js";
import { anySession } from "../../builders/any-session.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { hostileRows } from "../../session/hostile-rows.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { type Edited, edit, NEW_ID, readEdited, withSource } from "../edited-session.js";

const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const session = anySession().map(toText);
const sound = session.filter(
  (text) => !readEdited(Buffer.from(text)).errors.some((code) => /parent|orphan/.test(code)),
);
const hostile = hostileRows.map((rows) => toText(rows.map((row) => JSON.stringify(row))));
const flag = fc.option(fc.boolean(), { nil: undefined });
const anyOptions: fc.Arbitrary<PruneOptions> = fc.record({
  tools: fc.constantFrom(undefined, "remove", "stub", "truncate"),
  keepLast: fc.nat(3),
  before: fc.option(
    fc.nat(30).map((second) => Date.UTC(2026, 0, 1, 0, 0, second)),
    { nil: undefined },
  ),
  largerThan: fc.option(fc.nat(20), { nil: undefined }),
  thinking: fc.constantFrom(undefined, "finished", "all"),
  images: flag,
  progress: flag,
  attachments: flag,
  snapshots: flag,
  sidechains: flag,
  duplicates: flag,
});
const plan = (options: PruneOptions) => (source: EditSource) => planPrune(source, options, { id: NEW_ID });

/** What people said. Whether it begins a turn may change: a result that moves to its call no longer stands before it. */
function promptsOf({ session: { turns } }: Edited): string[] {
  return turns.flatMap(({ kind, prompt, followUps }) => [
    ...(kind === "prompt" ? [prompt] : []),
    ...followUps.map((followUp) => followUp.prompt),
  ]);
}

function danglingParents(rows: readonly JsonObject[]): unknown[] {
  const uuids = new Set(rows.map((row) => row["uuid"]));
  return rows.map((row) => row["parentUuid"]).filter((uuid) => typeof uuid === "string" && !uuids.has(uuid));
}

/** Why something would still go or change. */
function nextChanges({ text }: Edited, options: PruneOptions): string[] {
  const { changes } = withSource(text, plan(options));
  return [...changes.values()].map((change) => (change.kind === "move" ? "moved" : change.reason));
}

describe("any session, pruned in any way", () => {
  test("has the prompts that it had, complete parents, no new errors, and makes a valid request", () => {
    fc.assert(
      fc.property(sound, anyOptions, (text, options) => {
        const source = readEdited(Buffer.from(text));
        fc.pre(source.session.turns.length > 0); // else nothing may be left of the branch
        const pruned = edit(text, plan(options));
        expect(promptsOf(pruned)).toEqual(promptsOf(source));
        expect(danglingParents(pruned.rows).length).toBeLessThanOrEqual(danglingParents(source.rows).length);
        expect(pruned.errors.filter((code) => !source.errors.includes(code))).toEqual([]);
        expect(pruned.session.totals.orphanToolCalls).toBeLessThanOrEqual(source.session.totals.orphanToolCalls);
        expect(apiProblems(pruned.replay.messages)).toEqual([]);
      }),
      runs(100),
    );
  });

  test("is not changed by pruning it again", () => {
    fc.assert(
      fc.property(sound, anyOptions, (text, options) => {
        fc.pre(readEdited(Buffer.from(text)).session.turns.length > 0);
        expect(nextChanges(edit(text, plan(options)), options)).toEqual([]);
      }),
      runs(75),
    );
  });

  test("never fails, however damaged it is", () => {
    fc.assert(
      fc.property(fc.oneof(session, hostile), anyOptions, (text, options) => {
        expect(apiProblems(edit(text, plan(options)).replay.messages)).toEqual([]);
      }),
      runs(50),
    );
  });
});

const FORK =
  "2.1.326/forks/projects/-home-dev-fork-app/f0f0f0f0-1111-4222-8333-000000000001/subagents/agent-ae77eb1238ca82a07.jsonl";

test.each<[string, PruneOptions]>([
  ["by name", { tools: "remove", keepLast: 0, toolNames: ["Agent"] }],
  ["down to a number of tokens", { toTokens: 13_200 }],
])("the directive of a forked sub-agent stays with the call that made it, pruned %s", (_how, options) => {
  const pruned = edit(corpusBytes(FORK), plan(options));
  expect(promptsOf(pruned)).toEqual(["[[sub1]] Look again at what we discussed"]);
  expect(apiProblems(pruned.replay.messages)).toEqual([]);
});

describe.each(Object.entries(PRUNE_PRESETS))("the preset %s", (_name, preset) => {
  test.each(corpusSessions())("leaves %s valid, and pruning again changes nothing", (path) => {
    const bytes = corpusBytes(path);
    const source = readEdited(bytes);
    const once = edit(bytes, plan(preset));
    expect(once.errors.filter((code) => !source.errors.includes(code))).toEqual([]);
    expect(apiProblems(once.replay.messages)).toEqual([]);
    expect(promptsOf(once)).toEqual(promptsOf(source));
    expect(nextChanges(once, preset)).toEqual([]);
  });
});
