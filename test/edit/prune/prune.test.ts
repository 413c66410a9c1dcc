import { describe, expect, test } from "vitest";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { PRUNE_PRESETS, type PruneOptions } from "../../../src/edit/prune/prune-presets.js";
import {
  answer,
  assistant,
  call,
  chain,
  prompt,
  type Row,
  result,
  toLines,
  uuidOf,
} from "../../builders/session-builder.js";
import { edit, NEW_ID, SOURCE_ID, withSource } from "../edited-session.js";

const long = (name: string) => Array.from({ length: 200 }, (_, at) => `${name} line ${at}`).join("\n");
const thought = (id: string) => ({ type: "thinking", thinking: `thought ${id}`, signature: "sig" });
const toolTurn = (id: string, name = "Bash", input: Row = { command: id }): Row[] => [
  prompt(`do ${id}`),
  assistant(`m-${id}`, [thought(id)], { stopReason: "tool_use" }),
  assistant(`m-${id}`, [{ type: "tool_use", id, name, input }], { stopReason: "tool_use" }),
  result(id, long(id), { toolUseResult: { stdout: long(id), interrupted: false } }),
  answer(`did ${id}`),
];
const three = toLines(chain(...toolTurn("a"), ...toolTurn("b", "Read", { file_path: "/x" }), ...toolTurn("c")));
const prune = (text: string, options: PruneOptions) => edit(text, plan(options));
const plan = (options: PruneOptions) => (source: EditSource) => planPrune(source, options, { id: NEW_ID });
const startsWith = (start: string) => (text: string | null | undefined) => text?.startsWith(start) === true;
const textOf = (row: Row | undefined) =>
  (row?.["message"] as { content: { text?: string }[] } | undefined)?.content[0]?.text;
const resultsOf = ({ session }: ReturnType<typeof prune>) =>
  session.turns.flatMap(({ toolCalls }) => toolCalls.map(({ result: text }) => text));

describe("pruned tools", () => {
  test("are removed with their results; the last turns that have tools keep theirs", () => {
    const { session, rows, errors } = prune(three, { tools: "remove", keepLast: 1 });
    expect(session.turns.map(({ toolCalls }) => toolCalls.map(({ id }) => id))).toEqual([[], [], ["c"]]);
    expect(session.turns.map(({ prompt: words }) => words)).toEqual(["do a", "do b", "do c"]);
    expect(rows).toHaveLength(10);
    expect(rows[1]).toMatchObject({ isMeta: true });
    expect(textOf(rows[1])).toMatch(/^\[turnlog removed 2 tool calls with results; full transcript: \/.*\.jsonl\]$/);
    expect(errors).toEqual([]);
  });

  test("say how much was cut when they are truncated, in the client's own note too", () => {
    const pruned = prune(three, { tools: "truncate", keepLast: 1 });
    const cut = `a line 0\na line 1\n[turnlog removed ${long("a").length - 17} characters`;
    expect(resultsOf(pruned)[0]).toSatisfy(startsWith(`${cut}: Bash, ok; line 4 of /`));
    expect(pruned.rows[3]?.["toolUseResult"]).toEqual({ stdout: `${cut}]`, interrupted: false });
    expect(resultsOf(pruned)[2]).toBe(long("c"));
  });

  test("leave a stub of their results: how much, of which tool, how it ended, and where it is", () => {
    const { length } = long("a");
    const stubs = resultsOf(prune(three, { tools: "stub", keepLast: 0 }));
    expect(stubs[0]).toSatisfy(startsWith(`[turnlog removed ${length} characters: Bash, ok; line 4 of /`));
    expect(stubs[1]).toSatisfy(startsWith(`[turnlog removed ${length} characters: Read, ok; line 9 of /`));
    expect(stubs[1]).toContain(`/${SOURCE_ID}.jsonl]`);
  });

  test("of up to 500 characters stay as they are, in every preset but the one that removes them", () => {
    const output = "x ".repeat(250);
    const text = toLines(chain(prompt("go"), call("t", "Bash", {}), result("t", output), answer("fine")));
    const left = (["light", "normal", "heavy"] as const).map((name) =>
      resultsOf(prune(text, { ...PRUNE_PRESETS[name], keepTokens: 0 })),
    );
    expect(left).toEqual([[output], [output], [output]]);
  });

  test("keep why they failed, at the beginning and at the end", () => {
    const reason = `${"x".repeat(300)} first reason ${"log\n".repeat(2000)} last reason`;
    const failed = result("t", reason, { isError: true });
    const text = toLines(chain(prompt("go"), call("t", "Bash", {}), failed, answer("fine")));
    const [left] = resultsOf(prune(text, { tools: "stub", keepLast: 0 }));
    expect(left).toMatch(/first reason.*\[turnlog removed \d+ characters: Bash, error; line 3 of .*last reason$/s);
    expect(left?.length).toBeLessThan(reason.length / 3);
    const short = toLines(
      chain(prompt("go"), call("t", "Bash", {}), result("t", "no ".repeat(500), { isError: true })),
    );
    expect(resultsOf(prune(short, { tools: "stub", keepLast: 0 }))).toEqual(["no ".repeat(500)]);
  });

  test("keep the report of an agent, unless all calls go", () => {
    const report = long("found");
    const asks = call("t", "Agent", { description: "find", prompt: "find it" });
    const text = toLines(chain(prompt("go"), asks, result("t", report), answer("fine")));
    expect(resultsOf(prune(text, { ...PRUNE_PRESETS.heavy, keepTokens: 0 }))).toEqual([report]);
    expect(resultsOf(prune(text, PRUNE_PRESETS.extreme))).toEqual([]);
  });

  test("keep the path of output that was written to a file", () => {
    const spilled = `<persisted-output>\nOutput too large (130KB). Full output saved to: /p/tool-results/b.txt\n\n${long("o")}`;
    const text = toLines(chain(prompt("go"), call("t", "Bash", {}), result("t", spilled), answer("fine")));
    expect(resultsOf(prune(text, { tools: "stub", keepLast: 0 }))[0]).toMatch(
      /; full output: \/p\/tool-results\/b\.txt\]$/,
    );
  });

  test("are kept by tokens too: the last calls that fit, also within one turn", () => {
    const one = ["a", "b", "c"].flatMap((id) => [call(id, "Bash", {}), result(id, long(id))]);
    const text = toLines(chain(prompt("go"), ...one, answer("fine")));
    const kept = (tokens: number) =>
      resultsOf(prune(text, { tools: "stub", keepTokens: tokens })).map((it) => !it?.startsWith("[turnlog"));
    const each = long("a").length / 4;
    expect(kept(0)).toEqual([false, false, false]);
    expect(kept(each * 1.6)).toEqual([false, false, true]);
    expect(kept(each * 10)).toEqual([true, true, true]);
  });

  test("can be chosen by name, size and age", () => {
    const names = (options: PruneOptions) =>
      prune(three, { tools: "remove", keepLast: 0, ...options }).session.turns.flatMap(({ toolCalls }) =>
        toolCalls.map(({ id }) => id),
      );
    expect(names({ toolNames: ["Read"] })).toEqual(["a", "c"]);
    expect(names({ largerThan: 100_000 })).toEqual(["a", "b", "c"]);
    expect(names({ before: Date.UTC(2026, 0, 1, 0, 0, 6) })).toEqual(["c"]);
  });

  test("that were short before stay as they are", () => {
    const short = toLines(chain(prompt("go"), call("t", "Bash", {}), result("t", "ok"), answer("fine")));
    expect(resultsOf(prune(short, { tools: "stub", keepLast: 0 }))).toEqual(["ok"]);
  });

  test("that are removed take progress and hook reports along, and no message stops for them", () => {
    const text = toLines(
      chain(
        prompt("go"),
        assistant("m", [{ type: "text", text: "I look" }], { stopReason: "tool_use" }),
        assistant("m", [{ type: "tool_use", id: "t", name: "Bash", input: {} }], { stopReason: "tool_use" }),
        { type: "progress", parentToolUseID: "t", data: { type: "bash_progress" } },
        { type: "attachment", attachment: { type: "hook_success", toolUseID: "t" } },
        result("t", "ok"),
        answer("fine"),
      ),
    );
    const { rows } = prune(text, { tools: "remove", keepLast: 0 });
    expect(rows.map((row) => row["type"])).toEqual(["user", "assistant", "user", "assistant"]);
    expect(rows[1]).toMatchObject({ message: { stop_reason: "end_turn" } });
    expect(textOf(rows[2])).toBe("[turnlog removed 1 tool call]");
    expect(rows[3]?.["parentUuid"]).toBe(rows[2]?.["uuid"]);
  });

  test("in parallel go one by one", () => {
    const text = toLines(
      chain(
        prompt("go"),
        assistant("m", [{ type: "tool_use", id: "a", name: "Bash", input: {} }], { stopReason: "tool_use" }),
        assistant("m", [{ type: "tool_use", id: "b", name: "Read", input: {} }], { stopReason: "tool_use" }),
        result("a", "one", { parentUuid: uuidOf(2) }),
        result("b", "two", { parentUuid: uuidOf(3) }),
        answer("fine"),
      ),
    );
    const { session, errors, rows } = prune(text, { tools: "remove", keepLast: 0, toolNames: ["Bash"] });
    expect(session.turns[0]?.toolCalls.map(({ id }) => id)).toEqual(["b"]);
    expect(rows[1]).toMatchObject({ message: { stop_reason: "tool_use" } });
    expect(errors).toEqual([]);
  });

  test("of a message that prompts tear apart stay in their places", () => {
    const more = assistant("m", [{ type: "text", text: "more" }], { stopReason: null, parentUuid: uuidOf(2) });
    const call = assistant("m", [{ type: "tool_use", id: "a", name: "Bash", input: {} }], { stopReason: "tool_use" });
    const text = toLines(chain(call, prompt("one"), prompt("two"), prompt("three"), more));
    const once = prune(text, {});
    expect(withSource(once.text, plan({})).changes.size).toBe(0);
    expect(once.session.turns.map((turn) => turn.prompt)).toEqual(["one"]);
  });

  test("in parallel that stay form one chain, as older clients need it", () => {
    const text = toLines(
      chain(
        prompt("go"),
        assistant("m", [{ type: "tool_use", id: "a", name: "Bash", input: {} }], { stopReason: "tool_use" }),
        assistant("m", [{ type: "tool_use", id: "b", name: "Read", input: {} }], { stopReason: "tool_use" }),
        result("a", "one", { parentUuid: uuidOf(2) }),
        { type: "progress", data: { type: "hook_progress" } },
        result("b", "two", { parentUuid: uuidOf(3) }),
        answer("fine"),
      ),
    );
    const { rows } = prune(text, {});
    const talk = rows.filter(({ type }) => type === "user" || type === "assistant");
    expect(talk.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(talk.slice(0, -1).map(({ uuid }) => uuid));
  });

  test("leave what stood beside a result, and it does not become a prompt", () => {
    const beside = [
      { type: "tool_result", tool_use_id: "t", content: "ok" },
      { type: "text", text: "and this" },
    ];
    const text = toLines(chain(prompt("go"), call("t", "Bash", {}), prompt(beside), answer("fine")));
    const { session, text: written } = prune(text, { tools: "remove", keepLast: 0 });
    expect(session.turns).toHaveLength(1);
    expect(written).toContain("and this");
  });
});

describe("pruned thinking", () => {
  const thoughts = (options: PruneOptions) => prune(three, options).text.match(/thought [abc]/g) ?? [];

  test("stays in the last turn unless all of it goes", () => {
    expect(thoughts({ thinking: "finished" })).toEqual(["thought c"]);
    expect(thoughts({ thinking: "all" })).toEqual([]);
  });

  test("goes with the calls that it led to", () => {
    expect(thoughts({ tools: "remove", keepLast: 1 })).toEqual(["thought c"]);
    expect(thoughts({ tools: "remove", keepLast: 0 })).toEqual([]);
  });
});

describe("pruning", () => {
  test("puts a note in the place of images, in prompts and results", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(9000) } };
    const text = toLines(
      chain(prompt([image, { type: "text", text: "look" }]), call("t", "Read", {}), result("t", [image]), answer("ok")),
    );
    const pruned = prune(text, { images: true, keepLast: 0 });
    expect(pruned.text).not.toContain("AAAA");
    expect(pruned.text.match(/\[turnlog removed an image: line [13] of /g)).toHaveLength(2);
    expect(prune(text, { images: true }).text).toContain("AAAA");
    const noted = toLines(
      chain(
        prompt("go"),
        call("t", "Read", {}),
        result("t", [image], { toolUseResult: { file: { base64: "A".repeat(9000) } } }),
      ),
    );
    expect(prune(noted, { images: true, keepLast: 0 }).text).not.toContain("A".repeat(500));
  });

  test("keeps the images of turns behind the first that keeps its tools", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(9000) } };
    const look = [prompt([image, { type: "text", text: "look" }]), answer("seen")];
    const text = toLines(chain(...look, ...toolTurn("a"), ...look));
    expect(prune(text, { images: true, keepLast: 1 }).text.match(/A{9000}/g)).toHaveLength(1);
  });

  test("keeps what a person typed while the model was busy, among attachments", () => {
    const queued = { type: "queued_command", prompt: "also this", commandMode: "prompt" };
    const text = toLines(
      chain(
        prompt("go"),
        { type: "attachment", attachment: { type: "todo_reminder" } },
        { type: "attachment", attachment: queued },
        answer("fine"),
      ),
    );
    const { rows } = prune(text, { attachments: true });
    expect(rows.map((row) => row["attachment"]).filter(Boolean)).toEqual([queued]);
  });

  test("keeps progress only where a message is told in several turns", () => {
    const progress = { type: "progress", data: { type: "hook_progress" } };
    const kindsOf = (text: string) => prune(text, { progress: true }).rows.map((row) => row["type"]);
    const once = chain(...toolTurn("a"), progress, prompt("on"), answer("there"));
    expect(kindsOf(toLines(once))).not.toContain("progress");
    const twice = chain(...toolTurn("a"), progress, ...toolTurn("a"), prompt("on"), answer("there"));
    expect(kindsOf(toLines(twice))).toContain("progress");
  });

  test("stubs the reads of a file that was read again, not those of another part of it", () => {
    const read = (id: string, input: Row) => [call(id, "Read", { file_path: "/x", ...input }), result(id, long(id))];
    const reads = [...read("a", {}), ...read("b", { offset: 9 }), ...read("c", {}), ...read("d", { offset: 9 })];
    const pruned = prune(toLines(chain(prompt("go"), ...reads, answer("fine"))), { duplicates: true });
    expect(resultsOf(pruned).map((text) => text?.startsWith("[turnlog"))).toEqual([true, true, false, false]);
  });

  test("keeps reads that no later one holds: of other lines, or of a file that the client did not show again", () => {
    const read = (id: string, first: number, count: number, content = "some line\n".repeat(count - 1)) => [
      call(id, "Read", { file_path: "/x" }),
      result(id, content, { toolUseResult: { file: { content, startLine: first, numLines: count } } }),
    ];
    const unchanged = [
      call("u", "Read", { file_path: "/x" }),
      result("u", "File unchanged since last read", { toolUseResult: { type: "file_unchanged", file: {} } }),
    ];
    const stubbed = (...rows: readonly Row[]) =>
      resultsOf(prune(toLines(chain(prompt("go"), ...rows, answer("fine"))), { duplicates: true })).map((text) =>
        text?.startsWith("[turnlog"),
      );
    expect(stubbed(...read("a", 3000, 300), ...read("b", 1, 200))).toEqual([false, false]);
    expect(stubbed(...read("a", 50, 100), ...read("b", 1, 200))).toEqual([true, false]);
    expect(stubbed(...read("a", 1, 200), ...unchanged)).toEqual([false, false]);
  });

  test("takes out snapshots and inline sub-agents on request", () => {
    const rows = chain(prompt("go"), answer("fine"));
    const aside = [
      { type: "file-history-snapshot", messageId: uuidOf(1), snapshot: { messageId: uuidOf(1) } },
      { ...prompt("task"), uuid: "s1", parentUuid: null, isSidechain: true, timestamp: "2026-01-01T00:00:00.500Z" },
    ];
    const pruned = prune(toLines([...rows, ...aside]), { snapshots: true, sidechains: true });
    expect(pruned.rows.map((row) => row["type"])).toEqual(["user", "assistant"]);
  });

  test("lets the hint at the end name what is left", () => {
    const rows = [
      ...chain(prompt("go"), answer("fine"), { type: "attachment", attachment: { type: "todo_reminder" } }),
      { type: "last-prompt", leafUuid: uuidOf(3) },
    ];
    const { rows: written } = prune(toLines(rows), { attachments: true });
    expect(written.map((row) => row["type"])).toEqual(["user", "assistant", "last-prompt"]);
    expect(written[2]?.["leafUuid"]).toBe(written[1]?.["uuid"]);
  });

  test("lets no message count more than is left, in the proportions that it had", () => {
    const usage = {
      input_tokens: 60_000,
      cache_read_input_tokens: 120_000,
      cache_creation_input_tokens: 9000,
      output_tokens: 7,
    };
    const last = { ...answer("fine"), message: { ...(answer("fine")["message"] as object), usage } };
    const text = toLines(chain(prompt("go"), call("t", "Bash", {}), result("t", "x\n".repeat(300_000)), last));
    const { rows, errors } = prune(text, { tools: "stub", keepLast: 0 });
    const counted = rows.at(-1)?.["message"] as { usage: Record<string, number> };
    const { input_tokens: input = 0, cache_read_input_tokens: read = 0, output_tokens: output } = counted.usage;
    expect(output).toBe(7);
    expect(input + read).toBeLessThan(100_000);
    expect(Math.round(read / input)).toBe(2);
    expect(errors).toEqual([]);
  });

  test("writes what a compaction preserved once, and pruned", () => {
    const preservedMessages = { anchorUuid: uuidOf(6), uuids: [uuidOf(1), uuidOf(2), uuidOf(3)] };
    const text = toLines(
      chain(
        prompt("one"),
        call("t", "Bash", {}),
        result("t", long("t")),
        answer("1"),
        {
          type: "system",
          subtype: "compact_boundary",
          parentUuid: null,
          logicalParentUuid: uuidOf(4),
          compactMetadata: { trigger: "auto", preservedMessages },
        },
        prompt("This session is being continued", { isCompactSummary: true }),
        { type: "attachment", attachment: { type: "todo_reminder" } },
        prompt("two"),
        answer("2"),
      ),
    );
    const { text: written, errors } = prune(text, { tools: "stub", keepLast: 0, attachments: true });
    expect(written.match(/\[turnlog removed \d+ characters: Bash, ok/g)).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("down to a number of tokens takes the oldest tools first", () => {
    const before = withSource(three, (source) => planPrune(source, {}, { id: NEW_ID }).tokensBefore);
    const target = withSource(three, plan({ toTokens: before - 60 }));
    expect(target.tokensAfter).toBeLessThanOrEqual(before - 60);
    expect(resultsOf(prune(three, { toTokens: before - 60 })).map((text) => text?.startsWith("[turnlog"))).toEqual([
      true,
      false,
      false,
    ]);
    expect(() => withSource(three, plan({ toTokens: 1 }))).toThrow(/tokens are left/);
    const reads = prune(three, { toTokens: before - 60, toolNames: ["Read"], keepLast: 0 });
    expect(resultsOf(reads).map((text) => text?.startsWith("[turnlog"))).toEqual([false, true, false]);
  });

  test("down to a number of tokens, or by a preset, changes nothing when it is done again", () => {
    let bytes = 12_000;
    const counted = [...toolTurn("a"), ...toolTurn("b"), ...toolTurn("c"), ...toolTurn("d")].map((row) => {
      const message = row["message"] as Row;
      const usage = { input_tokens: Math.round(bytes / 4) };
      bytes += JSON.stringify(message["content"]).length;
      return row["type"] === "assistant" ? { ...row, message: { ...message, usage } } : row;
    });
    const text = toLines(chain(...counted));
    for (const options of [{ toTokens: 3800 }, { ...PRUNE_PRESETS.heavy, keepLast: 1 }, PRUNE_PRESETS.extreme]) {
      const once = prune(text, options);
      const before = withSource(text, plan(options));
      const again = withSource(once.text, plan(options));
      expect(before.tokensAfter).toBeLessThan(before.tokensBefore);
      expect({ removed: again.removed, after: again.tokensAfter }).toEqual({ removed: 0, after: again.tokensBefore });
      expect(again.tokensBefore).toBeLessThanOrEqual(before.tokensAfter * 1.01);
    }
  });

  test("tells what was saved by what", () => {
    const { savedTokens, tokensBefore, tokensAfter } = withSource(three, plan(PRUNE_PRESETS.extreme));
    expect([...savedTokens.keys()]).toEqual(["thinking", "tool calls"]);
    const saved = [...savedTokens.values()].reduce((sum, tokens) => sum + tokens, 0);
    expect(saved).toBe(tokensBefore - tokensAfter);
  });
});
