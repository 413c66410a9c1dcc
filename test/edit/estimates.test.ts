import { describe, expect, test } from "vitest";
import { planCompress } from "../../src/edit/compress/plan-compress.js";
import { planClone, planFork } from "../../src/edit/plans/clone-and-fork.js";
import type { EditPlan } from "../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../src/edit/plans/edit-source.js";
import { planPrune } from "../../src/edit/prune/plan-prune.js";
import { type PruneOptions, prunePreset } from "../../src/edit/prune/prune-presets.js";
import { answer, assistant, chain, prompt, type Row, result, toLines } from "../builders/session-builder.js";
import { edit, NEW_ID, withSource } from "./edited-session.js";

/** Stands in for the tokenizer of the API: words in pieces, digits by three, each sign, runs of spaces. */
function countText(text: string): number {
  return text.match(/[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z\d]|\n+|[ \t]{2,}/g)?.length ?? 0;
}

/** Everything in a request that the API counts. */
function countContent(value: unknown, key = ""): number {
  if (typeof value === "string") return ["id", "tool_use_id", "signature", "type"].includes(key) ? 2 : countText(value);
  if (typeof value !== "object" || value === null) return 1;
  if ((value as Row)["type"] === "image") return 640;
  return Object.entries(value).reduce((sum, [name, item]) => sum + countContent(item, name), 3);
}

const INSTRUCTIONS = 17_000; // and tools, which are no records
const LISTING = "- skill: what it is good for, and when to use it\n".repeat(120);

/** What Claude Code sends first of all, and again where it does not find it. */
const listing: Row = {
  type: "attachment",
  attachment: { type: "skill_listing", content: LISTING },
  rendered: [{ content: `<system-reminder>\n${LISTING}\n</system-reminder>` }],
  renderedRole: "user",
};
const mentioned: Row = {
  type: "attachment",
  attachment: { type: "file", displayPath: "a.ts", content: { type: "text", file: { content: code(200) } } },
  rendered: [{ content: `<system-reminder>\n${code(200)}\n</system-reminder>` }],
  renderedRole: "user",
};
const PNG_800_BY_600 = "iVBORw0KGgoAAAANSUhEUgAAAyAAAAJYCAIAAAAVFBUn".padEnd(20_000, "A");
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_800_BY_600 } };

function code(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `  if (x[${at}] !== undefined) { y.push({ ...x[${at}] }); }`).join(
    "\n",
  );
}

function numbers(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `${at * 7919}.${at % 97}`).join("\n");
}

function prose(sentences: number): string {
  return "The estimate depends on what is sent again, so nothing is counted twice. ".repeat(sentences);
}

const OUTPUTS: readonly unknown[] = [
  code(150),
  numbers(900),
  prose(90),
  "会话文件记录了每一个请求".repeat(150),
  [image],
];

const turns = Array.from({ length: 24 }, (_, at): Row[] => {
  const ids = [`t${at}a`, `t${at}b`];
  return [
    prompt(`Please do step ${at}. ${prose(2)}`),
    ...(at === 0 ? [listing] : []),
    ...(at % 6 === 3 ? [mentioned] : []),
    assistant(`m${at}`, [{ type: "thinking", thinking: prose(6), signature: "s" }], { stopReason: "tool_use" }),
    ...ids.map((id) =>
      assistant(
        `m${at}`,
        [{ type: "tool_use", id, name: at % 3 === 0 ? "Read" : "Bash", input: { command: `run ${id}` } }],
        {
          stopReason: "tool_use",
        },
      ),
    ),
    ...ids.map((id, part) => result(id, OUTPUTS[(at + part * 2) % OUTPUTS.length])),
    { ...answer(`Step ${at} is done. ${prose(3)}`) },
  ];
});

/** Each message with what its request counted: everything before it, instructions and tools. */
const session = countRequests(chain(...turns.flat()));

function countRequests(rows: readonly Row[]): string {
  let sum = INSTRUCTIONS;
  const requests = new Map<unknown, number>();
  return toLines(
    rows.map((row) => {
      const message = row["message"] as Row | undefined;
      const id = message?.["id"];
      const counted = requests.get(id) ?? sum;
      sum += message ? countContent(message["content"], "content") : countContent(row["rendered"]);
      if (row["type"] !== "assistant") return row;
      requests.set(id, counted);
      const usage = { input_tokens: 4, cache_read_input_tokens: counted - 4, output_tokens: 150 };
      return { ...row, message: { ...message, usage } };
    }),
  );
}

/** What the next request would count: that of the new session, and what Claude Code sends where it does not find it. */
function nextRequest(plan: (source: EditSource) => EditPlan): number {
  const { replay, text } = edit(session, plan);
  const again = text.includes('"skill_listing"') ? 0 : countContent(listing["rendered"]);
  return INSTRUCTIONS + again + countContent(replay.messages);
}

function difference(plan: (source: EditSource) => EditPlan): number {
  const real = nextRequest(plan);
  return Math.abs(withSource(session, plan).tokensAfter - real) / real;
}

const options = { id: NEW_ID };
const pruned = (prune: PruneOptions) => (source: EditSource) => planPrune(source, prune, options);

describe("the estimate of the next request, of a long session with real counts", () => {
  test("is right within 5 % for a clone", () => {
    expect(difference((source) => planClone(source, options))).toBeLessThan(0.05);
  });

  test.each<[string, PruneOptions]>([
    ["light", prunePreset("light")],
    ["normal", prunePreset("normal")],
    ["heavy", prunePreset("heavy")],
    ["extreme", prunePreset("extreme")],
    ["normal with nothing kept", { ...prunePreset("normal"), keepTokens: 0 }],
    ["heavy with three turns kept", { ...prunePreset("heavy"), keepTokens: undefined, keepLast: 3 }],
    ["60,000 tokens", { toTokens: 60_000 }],
    ["40,000 tokens", { toTokens: 40_000 }],
    ["30,000 tokens", { toTokens: 30_000 }],
    ["no images", { images: true, keepLast: 0 }],
  ])("is right within 10 %% after %s", (_what, prune) => {
    expect(difference(pruned(prune))).toBeLessThan(0.1);
  });

  test("is right within 10 % for a part, and for a summary", () => {
    expect(difference((source) => planFork(source, { from: 12 }, options))).toBeLessThan(0.1);
    expect(difference((source) => planFork(source, { at: 12 }, options))).toBeLessThan(0.1);
    expect(difference((source) => planCompress(source, {}, options))).toBeLessThan(0.1);
    expect(difference((source) => planCompress(source, { perTurn: true }, options))).toBeLessThan(0.1);
  });

  test("does not count what Claude Code sends again as saved", () => {
    const { savedTokens } = withSource(session, pruned({ attachments: true }));
    const [first] = savedTokens.values();
    expect([...savedTokens.keys()]).toEqual(["attachments stubbed"]);
    expect(first).toBeGreaterThan(0.8 * 4 * countContent(mentioned["rendered"]));
    expect(first).toBeLessThan(1.2 * 4 * countContent(mentioned["rendered"]));
  });
});
