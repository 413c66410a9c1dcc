import { describe, expect, test } from "vitest";
import { planFork } from "../../../src/edit/plans/clone-and-fork.js";
import { numberAt } from "../../../src/format/json.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, call, chain, prompt, result, textBlock, toLines, uuidOf } from "../../builders/session-builder.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { edit, NEW_ID, readEdited, withSource } from "../edited-session.js";

const options = { id: NEW_ID };
const talk = toLines(
  chain(
    prompt("one"),
    answer("1"),
    prompt("two"),
    call("t", "Bash", {}),
    result("t", "ok"),
    answer("2"),
    prompt("three"),
    answer("3"),
  ),
);
const promptsOf = (text: string | Buffer, point: Parameters<typeof planFork>[1]) =>
  edit(text, (source) => planFork(source, point, options)).session.turns.map(({ prompt: words }) => words);

describe("a fork", () => {
  test("at a turn ends with that turn", () => {
    expect(promptsOf(talk, { at: 2 })).toEqual(["one", "two"]);
  });

  test("at a record ends with it, and keeps the results of its calls", () => {
    const { session, errors } = edit(talk, (source) => planFork(source, { at: uuidOf(4) }, options));
    expect(session.turns.map(({ toolCalls }) => toolCalls.length)).toEqual([0, 1]);
    expect(errors).toEqual([]);
  });

  test("from a turn starts with that turn", () => {
    const { session, rows } = edit(talk, (source) => planFork(source, { from: 2 }, options));
    expect(session.turns.map(({ prompt: words }) => words)).toEqual(["two", "three"]);
    expect(rows[0]?.["parentUuid"]).toBeNull();
  });

  test("from a prompt with several blocks has a record before it, on which 2.0.50 hangs its copies of them", () => {
    const blocks = [textBlock("look"), textBlock("here")];
    const text = toLines(chain(prompt("one"), answer("1"), prompt(blocks), answer("2"), prompt("three"), answer("3")));
    const { rows, session, errors } = edit(text, (source) => planFork(source, { from: 2 }, options));
    expect(rows.slice(0, 2)).toMatchObject([
      { type: "system", subtype: "informational", parentUuid: null },
      { type: "user", parentUuid: rows[0]?.["uuid"] },
    ]);
    expect({ turns: session.turns.length, errors }).toEqual({ turns: 2, errors: [] });
    expect(edit(text, (source) => planFork(source, { from: 3 }, options)).rows[0]).toMatchObject({ type: "user" });
  });

  test("of a branch makes it the live one", () => {
    const rewound = chain(
      prompt("one"),
      answer("1"),
      prompt("wrong"),
      answer("w"),
      prompt("right", { parentUuid: uuidOf(2) }),
    );
    expect(promptsOf(toLines(rewound), { branch: uuidOf(4) })).toEqual(["one", "wrong"]);
    expect(promptsOf(toLines(rewound), { at: 2 })).toEqual(["one", "right"]);
  });

  test("before a compaction does not start at its summary", () => {
    const text = toLines(
      chain(
        prompt("one"),
        answer("1"),
        { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: uuidOf(2) },
        prompt("This session is being continued", { isCompactSummary: true }),
        prompt("two"),
        answer("2"),
      ),
    );
    const fork = edit(text, (source) => planFork(source, { at: 1 }, options));
    expect(fork.session.compactions).toEqual([]);
    expect(fork.replay.messages).toHaveLength(2);
  });

  test("writes what a compaction preserved behind its summary", () => {
    const preservedMessages = { anchorUuid: uuidOf(6), uuids: [uuidOf(3), uuidOf(4)] };
    const text = toLines(
      chain(
        prompt("one"),
        answer("1"),
        prompt("two"),
        answer("2"),
        {
          type: "system",
          subtype: "compact_boundary",
          parentUuid: null,
          logicalParentUuid: uuidOf(4),
          compactMetadata: { trigger: "auto", preservedMessages },
        },
        prompt("This session is being continued", { isCompactSummary: true }),
        prompt("three"),
        answer("3"),
        prompt("four"),
        answer("4"),
      ),
    );
    const fork = edit(text, (source) => planFork(source, { at: 3 }, options));
    expect(fork.text).not.toContain("preservedMessages");
    const said = fork.replay.messages.map(({ content }) => content.map(({ text: words }) => words).join());
    expect(said).toEqual(["This session is being continued\n,two", "2", "three", "3"]);
    const uuids = fork.rows.map((row) => row["uuid"]);
    const parents = fork.rows.slice(3, 8).map((row) => uuids.indexOf(row["parentUuid"]));
    expect(parents).toEqual([2, 3, 4, 5, 6]);
    expect(fork.errors).toEqual([]);
  });

  test("at a turn leaves out the queue of the next, its snapshot and the hint at its end", () => {
    const rows = chain(prompt("one"), answer("1"), prompt("two"), answer("2"));
    const beside = [
      { type: "file-history-snapshot", messageId: uuidOf(1), snapshot: { messageId: uuidOf(1) } },
      { type: "queue-operation", operation: "enqueue", content: "two" },
      { type: "file-history-snapshot", messageId: uuidOf(3), snapshot: { messageId: uuidOf(3) } },
    ];
    const text = toLines([
      ...rows.slice(0, 2),
      ...beside,
      ...rows.slice(2),
      { type: "last-prompt", leafUuid: uuidOf(4) },
    ]);
    const { rows: written } = edit(text, (source) => planFork(source, { at: 1 }, options));
    expect(written.map((row) => row["type"])).toEqual(["user", "assistant", "file-history-snapshot", "last-prompt"]);
    expect(written[3]?.["leafUuid"]).toBe(written[1]?.["uuid"]);
  });

  test("tells how many tokens are left, by what the session recorded", () => {
    withSource(talk, (source) => {
      const { tokensBefore, tokensAfter, kept, removed } = planFork(source, { at: 1 }, options);
      expect(tokensAfter).toBeLessThan(tokensBefore);
      expect({ kept, removed }).toEqual({ kept: 2, removed: 6 });
    });
  });

  test("from a turn counts no more than is left, so that no client compacts at once", () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 190_000, output_tokens: 5 };
    const full = { ...answer("3"), message: { ...(answer("3")["message"] as object), usage } };
    const text = toLines(
      chain(prompt("one"), answer("1"), prompt("x".repeat(9000)), answer("2"), prompt("three"), full),
    );
    const plan = withSource(text, (source) => planFork(source, { from: 3 }, options));
    const { rows } = edit(text, (source) => planFork(source, { from: 3 }, options));
    const counted = rows.flatMap((row) => numberAt(row, "message", "usage", "cache_read_input_tokens") ?? []);
    expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore);
    expect(Math.max(...counted)).toBeLessThanOrEqual(plan.tokensAfter);
  });

  test.each([{ at: 9 }, { at: 0 }, { from: 4 }, { at: "nobody" }, { branch: "nowhere" }])("refuses %j", (point) => {
    expect(() => promptsOf(talk, point)).toThrow(/no (turn|record)/);
  });

  test.each(corpusSessions())("in the middle of %s is valid", (path) => {
    const bytes = corpusBytes(path);
    const source = readEdited(bytes);
    const middle = Math.ceil(source.session.turns.length / 2);
    const points = middle === 0 ? [] : [{ at: middle }, { from: middle }];
    const forks = points.map((point) => edit(bytes, (it) => planFork(it, point, options)));
    expect(forks.flatMap(({ errors }) => errors).filter((code) => !source.errors.includes(code))).toEqual([]);
    expect(forks.flatMap(({ replay }) => apiProblems(replay.messages))).toEqual([]);
  });
});
