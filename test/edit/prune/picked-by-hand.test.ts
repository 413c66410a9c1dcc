import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sketchBodies } from "../../../src/edit/plans/body-sketch.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { listPrunable } from "../../../src/edit/prune/list-prunable.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { viewForPruning } from "../../../src/edit/prune/prune-decisions.js";
import { PRUNE_PRESETS, type PruneOptions, type PrunePick } from "../../../src/edit/prune/prune-presets.js";
import { anySession } from "../../builders/any-session.js";
import { answer, assistant, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";
import { runs } from "../../runs.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { type Edited, edit, NEW_ID, readEdited, withSource } from "../edited-session.js";

const long = (name: string) => Array.from({ length: 200 }, (_, at) => `${name} line ${at}`).join("\n");
const toolTurn = (id: string, name = "Bash"): Row[] => [
  prompt(`do ${id}`),
  assistant(`m-${id}`, [{ type: "thinking", thinking: `thought ${id}`, signature: "sig" }], { stopReason: "tool_use" }),
  assistant(`m-${id}`, [{ type: "tool_use", id, name, input: { command: id } }], { stopReason: "tool_use" }),
  result(id, long(id)),
  answer(`did ${id}`),
];
const three = toLines(chain(...toolTurn("a"), ...toolTurn("b"), ...toolTurn("c")));
const picks = (calls: Record<string, PrunePick>, turns: readonly (readonly [number, PrunePick])[] = []) => ({
  picks: { calls: new Map(Object.entries(calls)), turns: new Map(turns) },
});
const plan = (options: PruneOptions) => (source: EditSource) => planPrune(source, options, { id: NEW_ID });
const prune = (text: string, options: PruneOptions) => edit(text, plan(options));
const extreme: PruneOptions = PRUNE_PRESETS.extreme;

/** Of each call that is left, how it is. */
const leftOf = ({ session }: Edited) =>
  Object.fromEntries(
    session.turns.flatMap(({ toolCalls }) =>
      toolCalls.map(({ id, result: text }) => [id, text?.startsWith("[turnlog removed") ? "stub" : "whole"]),
    ),
  );

describe("what is picked by hand", () => {
  test("goes, is stubbed or stays without any other option", () => {
    const pruned = prune(three, picks({ a: "remove", b: "stub" }));
    expect(leftOf(pruned)).toEqual({ b: "stub", c: "whole" });
    expect(pruned.errors).toEqual([]);
  });

  test("comes before what the options say, also before those that shorten most", () => {
    expect(leftOf(prune(three, { ...extreme, ...picks({ a: "keep", b: "stub" }) }))).toEqual({ a: "whole", b: "stub" });
  });

  test("comes before a target of tokens", () => {
    const { tokensBefore } = withSource(three, plan({}));
    const options = { toTokens: tokensBefore - 900, ...picks({ a: "keep" }) };
    expect(leftOf(prune(three, options))).toMatchObject({ a: "whole" });
    expect(() => prune(three, { toTokens: 1, ...picks({ a: "keep" }) })).toThrow(/gone but what you picked/);
  });

  test("may be a turn, with its thinking; a call's own choice comes first", () => {
    const kept = prune(three, { ...extreme, ...picks({}, [[1, "keep"]]) });
    expect(leftOf(kept)).toEqual({ a: "whole" });
    expect(kept.text.match(/thought ./g)).toEqual(["thought a"]);
    expect(
      leftOf(
        prune(
          three,
          picks({ b: "keep" }, [
            [1, "stub"],
            [2, "remove"],
            [3, "remove"],
          ]),
        ),
      ),
    ).toEqual({
      a: "stub",
      b: "whole",
    });
  });

  test("is shortened by a stub also where it is the report of an agent", () => {
    const text = toLines(chain(...toolTurn("a", "Agent"), ...toolTurn("b", "Agent")));
    expect(leftOf(prune(text, picks({ a: "stub" }, [[2, "stub"]])))).toEqual({ a: "stub", b: "whole" });
  });

  test("stays where a person spoke through it, and the plan says so", () => {
    const text = toLines(chain(...toolTurn("a", "AskUserQuestion"), ...toolTurn("b")));
    const options = picks({ a: "remove", b: "remove" });
    expect(leftOf(prune(text, options))).toEqual({ a: "whole" });
    expect(withSource(text, plan(options)).notes).toContain("call a stays: it holds what a person said");
  });

  test("an earlier read stays whole where the later one is to go", () => {
    const read = (id: string): Row[] => [
      prompt("read"),
      assistant(`m-${id}`, [{ type: "tool_use", id, name: "Read", input: { file_path: "/x" } }], {
        stopReason: "tool_use",
      }),
      result(id, long("x")),
      answer("read"),
    ];
    const text = toLines(chain(...read("a"), ...read("b")));
    expect(leftOf(prune(text, { duplicates: true }))).toEqual({ a: "stub", b: "whole" });
    expect(leftOf(prune(text, { duplicates: true, ...picks({ b: "remove" }) }))).toEqual({ a: "whole" });
  });

  test.each([
    ["a call to keep that is not there", { ...extreme, ...picks({ zz: "keep" }) }, 0, "there is no call zz"],
    ["nothing that is there", picks({ zz: "remove" }, [[9, "stub"]]), 0, "there is no turn 9"],
    ["one call that is there, and one that is not", picks({ a: "remove", zz: "stub" }), 5, "there is no call zz"],
  ])("names %s: the plan says so, and prunes no more than is safe", (_what, options, pruned, note) => {
    const made = withSource(three, plan(options));
    expect(made.notes).toContain(note);
    expect(Math.min(made.pruned ?? 0, 1)).toBe(Math.min(pruned, 1));
  });

  test("is listed with about what it saves", () => {
    const listed = withSource(three, (source) => listPrunable(viewForPruning(source, sketchBodies(source))));
    expect(listed.map(({ call, turn }) => [call.id, turn.index])).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ]);
    const saved = (options: PruneOptions) => {
      const { tokensBefore, tokensAfter } = withSource(three, plan(options));
      return tokensBefore - tokensAfter;
    };
    const [first] = listed;
    expect((first?.stubSaves ?? 0) / saved(picks({ a: "stub" }))).toBeCloseTo(1, 1);
    expect(first?.tokens).toBeGreaterThan(first?.stubSaves ?? 0);
  });
});

const sound = anySession()
  .map((lines) => lines.map((line) => `${line}\n`).join(""))
  .filter((text) => !readEdited(Buffer.from(text)).errors.some((code) => /parent|orphan/.test(code)));
const anyPick = fc.constantFrom<PrunePick | undefined>(undefined, "keep", "stub", "remove");

/** Choices for the calls and turns of a session, in turn. */
function pickAny(text: string, choices: readonly (PrunePick | undefined)[]): NonNullable<PruneOptions["picks"]> {
  const { turns } = readEdited(Buffer.from(text)).session;
  const chosen = <Name>(names: readonly Name[], from: number) =>
    new Map(
      names.flatMap((name, at) => {
        const pick = choices[(at + from) % choices.length];
        return pick ? [[name, pick] as const] : [];
      }),
    );
  const ids = turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
  return {
    calls: chosen(ids, 0),
    turns: chosen(
      turns.map(({ index }) => index),
      2,
    ),
  };
}

const wordsOf = ({ session: { turns } }: Edited) =>
  turns.flatMap(({ kind, prompt, followUps }) => [
    ...(kind === "prompt" ? [prompt] : []),
    ...followUps.map((followUp) => followUp.prompt),
  ]);

test("any session, picked in any way, is valid and has all that was said; pruning it again changes nothing", () => {
  const choices = fc.array(anyPick, { minLength: 5, maxLength: 9 });
  const preset = fc.constantFrom<PruneOptions>({}, PRUNE_PRESETS.normal, { ...extreme, keepTokens: 3 });
  fc.assert(
    fc.property(sound, choices, preset, (text, picked, options) => {
      const source = readEdited(Buffer.from(text));
      fc.pre(source.session.turns.length > 0);
      const all = { ...options, picks: pickAny(text, picked) };
      const pruned = prune(text, all);
      expect(wordsOf(pruned)).toEqual(wordsOf(source));
      expect(pruned.errors.filter((code) => !source.errors.includes(code))).toEqual([]);
      expect(apiProblems(pruned.replay.messages)).toEqual([]);
      const again = withSource(pruned.text, plan(all));
      expect([...again.changes.values()].filter(({ kind }) => kind !== "move")).toEqual([]);
    }),
    runs(60),
  );
});
