import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planCompress } from "../../src/edit/compress/plan-compress.js";
import type { EditPlan } from "../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../src/edit/plans/edit-source.js";
import { planPrune } from "../../src/edit/prune/plan-prune.js";
import { type PruneOptions, prunePreset } from "../../src/edit/prune/prune-presets.js";
import * as build from "../builders/session-builder.js";
import { edit, NEW_ID } from "./edited-session.js";

/** A refusal and an approval with words (2.1.326), an answered question, an approved plan, and a call without any. */
const session = readFileSync(join(import.meta.dirname, "../crafted/persons-words.jsonl"));
const options = { id: NEW_ID, title: null };

const WORDS = [
  "use the name answer.txt instead",
  "fine, but keep it short",
  "a dark red, as the bricks of the old station",
  "30. Paint wall 30 dark red",
];

function lost(replay: ReturnType<typeof edit>["replay"]): string[] {
  const text = JSON.stringify(replay.messages);
  return WORDS.filter((words) => !text.includes(words));
}

/** A message of a channel, one that waited in the queue, and talk on a voice call. */
const OTHER_WORDS = ["a channel's words", "a queued channel's words", "spoken words"];
const fromChannel = { origin: { kind: "channel" } };
const otherSession = Buffer.from(
  `${build
    .writeLines([
      build.prompt("go"),
      build.toolUses("run"),
      build.attachment("queued_command", { prompt: "a queued channel's words", commandMode: "prompt", ...fromChannel }),
      build.resultFor("run", "long output ".repeat(100)),
      build.answer("one"),
      build.prompt("a channel's words", { ...fromChannel, isMeta: true }),
      build.answer("two"),
      build.system("voice_call_talk", { content: "spoken words", isMeta: true, origin: { kind: "voice-call" } }),
      build.answer("three"),
      build.prompt("bye"),
      build.answer("bye"),
    ])
    .join("\n")}\n`,
);

test.each<[string, (source: EditSource) => EditPlan]>([
  ["prune extreme", (source) => planPrune(source, prunePreset("extreme"), options)],
  ["prune --tools stub", (source) => planPrune(source, { tools: "stub", keepLast: 0 }, options)],
  ["compress", (source) => planCompress(source, { bands: [{ from: 0, to: 100, level: "heavy" }] }, options)],
])("%s leaves what a person said in a channel or on a voice call", (_what, plan) => {
  const { text } = edit(otherSession, plan);
  expect(OTHER_WORDS.filter((words) => !text.includes(words))).toEqual([]);
});

describe("prune", () => {
  test.each<[string, PruneOptions]>([
    ["light", prunePreset("light")],
    ["normal", { ...prunePreset("normal"), keepLast: 0 }],
    ["heavy", { ...prunePreset("heavy"), keepLast: 0 }],
    ["extreme", prunePreset("extreme")],
    ["--tools stub", { tools: "stub", keepLast: 0 }],
    ["--to-tokens", { toTokens: 1 }],
  ])("%s leaves what a person said", (_what, prune) => {
    const { replay, errors } = edit(session, (source) => planPrune(source, possible(prune, source), options));
    expect(lost(replay)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("still takes out calls in which no person said anything", () => {
    const { text } = edit(session, (source) => planPrune(source, prunePreset("extreme"), options));
    expect(text).not.toContain("toolu_run");
    expect(text).toContain("toolu_plan");
  });
});

/** As few tokens as can be reached. */
function possible(prune: PruneOptions, source: Parameters<typeof planPrune>[0]): PruneOptions {
  if (prune.toTokens === undefined) return prune;
  const { tokensAfter } = planPrune(source, { ...prunePreset("extreme"), images: true }, options);
  return { toTokens: tokensAfter };
}

describe("compress", () => {
  const heavy = [{ from: 0, to: 100, level: "heavy" }] as const;
  const light = [{ from: 0, to: 100, level: "light" }] as const;
  const summaries = new Map([1, 2, 3, 4].map((turn) => [turn, "It went well."]));

  test.each([
    ["heavy", { bands: heavy }],
    ["light", { bands: light }],
    ["with calls", { bands: heavy, keepCalls: true }],
    ["with turns in full", { bands: [{ from: 60, to: 85, level: "heavy" }] as const }],
    ["turn by turn", { bands: heavy, perTurn: true }],
    ["by a model", { bands: heavy, summaries }],
    ["by a model, turn by turn", { bands: heavy, summaries, perTurn: true }],
  ])("%s keeps what a person said, word by word", (_how, compress) => {
    const { replay, errors } = edit(session, (source) => planCompress(source, compress, options));
    expect(lost(replay)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("keeps what was typed next to the result of an interrupted call", () => {
    const typed = "use trash instead of rm";
    const lines = session.toString().trimEnd().split("\n");
    const interrupted = lines.map((line) => {
      const record = JSON.parse(line);
      const [result] = Array.isArray(record.message?.content) ? record.message.content : [];
      if (result?.tool_use_id !== "toolu_run") return line;
      const marker = "[Request interrupted by user for tool use]";
      const content = [
        { ...result, content: marker, is_error: true },
        { type: "text", text: marker },
      ];
      return JSON.stringify({
        ...record,
        message: { role: "user", content: [...content, { type: "text", text: typed }] },
      });
    });
    const bytes = Buffer.from(`${interrupted.join("\n")}\n`);
    const { text } = edit(bytes, (source) => planCompress(source, { bands: heavy }, options));
    expect(text).toContain(`(interrupted): ${typed}`);
  });
});
