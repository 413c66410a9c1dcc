import { describe, expect, test } from "vitest";
import type { CompressOptions } from "../../../src/edit/compress/choose-turns.js";
import { planCompress } from "../../../src/edit/compress/plan-compress.js";
import { listTurnTexts, summarizeTurns, type TurnText } from "../../../src/edit/compress/summarize-turns.js";
import { stringAt } from "../../../src/format/json.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
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

const turn = (name: string): Row[] => [
  prompt(`please ${name}`),
  answer(`I look at ${name}`),
  call(name, "Edit", { file_path: `/src/${name}.ts`, old_string: "x".repeat(900), new_string: "y" }),
  result(name, `${name} ${"output ".repeat(200)}`),
  answer(`${name} is done`),
];
const five = toLines(chain(...["a", "b", "c", "d", "e"].flatMap(turn)));
const compress = (text: string, options: CompressOptions = {}) =>
  edit(text, (source) => planCompress(source, options, { id: NEW_ID }));
const summaryOf = ({ rows }: ReturnType<typeof compress>) => stringAt(rows[1], "message", "content") ?? "";
const replayed = ({ replay }: ReturnType<typeof compress>) => JSON.stringify(replay.messages);

describe("a compressed session", () => {
  test("says how many turns its summary holds, also of those that an earlier compaction kept", () => {
    const source = corpusBytes(
      "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
    );
    const { notes } = withSource(source, (read) => planCompress(read, {}, { id: NEW_ID }));
    const { rows } = edit(source, (read) => planCompress(read, {}, { id: NEW_ID }));
    const summary = rows.find((row) => row["isCompactSummary"] === true);
    expect(stringAt(summary, "message", "content")?.match(/^## Turn /gm)).toHaveLength(2);
    expect(notes).toContain("2 turns become a summary; Claude Code starts there");
  });

  test("starts at a compaction whose summary holds the older turns, and keeps the others as they are", () => {
    const { rows, session, replay, errors } = compress(five);
    expect(rows.slice(0, 2)).toMatchObject([
      { type: "system", subtype: "compact_boundary", parentUuid: null, sessionId: NEW_ID },
      { type: "user", isCompactSummary: true, parentUuid: rows[0]?.["uuid"] },
    ]);
    expect(rows[2]?.["parentUuid"]).toBe(rows[1]?.["uuid"]);
    expect(session.turns.map(({ prompt: words }) => words)).toEqual(["please e"]);
    expect(session.compactions).toMatchObject([{ trigger: "manual" }]);
    expect(replay.messages.at(-1)?.content).toMatchObject([{ text: "e is done" }]);
    expect(errors).toEqual([]);
  });

  test("has all prompts word by word; heavy bands the last answers, light ones all of them", () => {
    const text = replayed(compress(five));
    expect(["a", "b", "c", "d", "e"].filter((name) => !text.includes(`please ${name}`))).toEqual([]);
    expect(text).not.toContain("I look at a");
    expect(text).toContain("I look at d");
    expect(text).not.toContain("Tools:");
    expect(text).toContain("Files changed: /src/a.ts");
    expect(text).toContain("Tool: Edit /src/d.ts (edit)");
  });

  test("names the full transcript, and the line of each turn in it", () => {
    const text = replayed(compress(five));
    expect(text).toContain(`/${SOURCE_ID}.jsonl; each turn names the line where it begins there.`);
    expect(text).toContain("## Turn 2 (line 6)");
    expect(replayed(compress(five, { perTurn: true }))).toContain("[condensed by turnlog; in full from line 6 of /");
  });

  test("says what was done: commands and why they failed, what was read, and files that commands changed", () => {
    const diff = { bashEditDiff: { files: [{ filePath: "/src/noted.ts", hunks: [] }], changedFiles: [] } };
    const rows = chain(
      prompt("go"),
      call("r", "Read", { file_path: "/src/read.ts" }),
      result("r", "text"),
      call("b", "Bash", { command: "npm test" }),
      result("b", "Exit code 1\n2 tests failed", { isError: true }),
      call("d", "Bash", { command: "./generate" }),
      result("d", "", { toolUseResult: diff }),
      call("e", "Bash", { command: "sed -i 's/a/b/' src/sed.ts && echo x > out.txt 2>/dev/null; mv a.ts b.ts" }),
      result("e", ""),
      answer("done"),
      ...turn("z"),
    );
    const summary = summaryOf(compress(toLines(rows), { bands: [{ from: 0, to: 50, level: "heavy" }] }));
    expect(summary).toContain("Ran: `npm test` (error: Exit code 1 2 tests failed), `./generate`");
    expect(summary).toContain("Read: /src/read.ts");
    expect(summary).toContain("Files changed: /src/noted.ts, out.txt, src/sed.ts, a.ts (moved to b.ts)");
  });

  test("ends with the open points: tasks, a question, and what failed last", () => {
    const todos = [
      { content: "write it", status: "completed" },
      { content: "test it", status: "in_progress" },
    ];
    const rows = chain(
      prompt("go"),
      call("t", "TodoWrite", { todos }),
      result("t", "ok"),
      call("c", "TaskCreate", { subject: "publish it" }),
      result("c", "Task #4 created successfully: publish it"),
      call("d", "TaskCreate", { subject: "clean up" }),
      result("d", "Task #5 created successfully: clean up"),
      call("u", "TaskUpdate", { taskId: "5", status: "completed" }),
      result("u", "Updated task #5 status"),
      answer("begun"),
      prompt("and now?"),
      call("b", "Bash", { command: "npm test" }),
      result("b", "Exit code 1", { isError: true }),
      answer("It fails.\nShall I fix it?"),
    );
    const summary = summaryOf(compress(toLines(rows), { bands: [{ from: 0, to: 50, level: "heavy" }] }));
    expect(summary.split("## Open points\n")[1]).toBe(
      [
        "- To do: test it (in_progress)",
        "- To do: #4 publish it (pending)",
        "- Asked, without an answer: Shall I fix it?",
        "- Failed last: Bash npm test (error: Exit code 1)",
      ].join("\n"),
    );
  });

  test("takes other bands; turns between them stay in full", () => {
    const bands = [{ from: 30, to: 60, level: "heavy" }] as const;
    const compressed = compress(five, { bands });
    expect(compressed.session.turns.map(({ prompt: words }) => words)).toEqual(["please d", "please e"]);
    expect(replayed(compressed)).toContain("a output output");
  });

  test("keeps names and inputs of calls on request, without results", () => {
    const text = replayed(compress(five, { keepCalls: true, bands: [{ from: 0, to: 80, level: "heavy" }] }));
    expect(text).toContain("x".repeat(900));
    expect(text).not.toContain("a output");
  });

  test("can get a title as a summary record", () => {
    const { rows } = compress(five, { summaryTitle: "The five" });
    expect(rows[2]).toEqual({ type: "summary", summary: "The five", leafUuid: rows[1]?.["uuid"] });
  });

  test("keeps the summary of an earlier compaction", () => {
    const boundary = { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: uuidOf(5) };
    const summary = prompt("This session is being continued: before, there was z", { isCompactSummary: true });
    const rows = chain(...turn("z"), boundary, summary, ...["a", "b", "c"].flatMap(turn));
    const compressed = compress(toLines(rows));
    expect(replayed(compressed)).toContain("before, there was z");
    expect(replayed(compressed)).not.toContain("please z");
    expect(compressed.session.compactions).toHaveLength(1);
    expect(compressed.errors).toEqual([]);
  });

  test("counts less, so that no client compacts it at once", () => {
    const { tokensBefore, tokensAfter } = withSource(five, (source) => planCompress(source, {}, { id: NEW_ID }));
    expect(tokensBefore - tokensAfter).toBeGreaterThan(2000);
  });

  test("is refused where no turn is in a band, or there is only one", () => {
    const bands = [{ from: 99, to: 100, level: "heavy" }] as const;
    expect(() => compress(toLines(chain(prompt("one"), answer("1"))))).toThrow(/nothing to shorten/);
    expect(() => compress(toLines(chain(prompt("one"), answer("1"), prompt("two"), answer("2"))), { bands })).toThrow(
      /no turn is in the parts that --band names/,
    );
  });
});

describe("turn by turn", () => {
  test("each turn keeps its prompt and one answer", () => {
    const { session, errors, rows } = compress(five, { perTurn: true });
    expect(session.turns.map(({ prompt: words }) => words)).toEqual(
      ["a", "b", "c", "d", "e"].map((it) => `please ${it}`),
    );
    expect(session.turns.map(({ toolCalls }) => toolCalls.length)).toEqual([0, 0, 0, 0, 1]);
    expect(rows).toHaveLength(4 * 2 + 5);
    expect(session.compactions).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("a result on another branch goes with its call", () => {
    const t = { type: "tool_use", id: "t", name: "Bash", input: {} };
    const rows = chain(
      prompt("one"),
      assistant("m", [t], { stopReason: "tool_use" }),
      prompt("aside", { parentUuid: uuidOf(1) }),
      answer("well"),
      prompt("further aside"),
      result("t", "late", { isError: true }),
      prompt("end of it"),
      prompt("two", { parentUuid: null }),
      assistant("m", [{ type: "text", text: "more" }], { stopReason: "end_turn" }),
    );
    const bands = [{ from: 0, to: 50, level: "light" }] as const;
    const { text, errors } = compress(toLines(rows), { perTurn: true, bands });
    expect(text).not.toContain("tool_result");
    expect(text).toContain("end of it");
    expect(errors).toEqual([]);
  });

  test("a second time nothing changes", () => {
    const once = compress(five, { perTurn: true });
    const { changes } = withSource(once.text, (source) => planCompress(source, { perTurn: true }, { id: NEW_ID }));
    expect(changes.size).toBe(0);
  });
});

describe("a model's summaries", () => {
  const parts = () => withSource(five, (source) => [...listTurnTexts(source, {})]);

  test("take the place of the answers; prompts stay", () => {
    const text = replayed(compress(five, { summaries: new Map([[1, "A was made of nothing."]]) }));
    expect(text).toContain("please a");
    expect(text).toContain("A was made of nothing.");
    expect(text).not.toContain("a is done");
  });

  test("are asked for so many at a time, and again when they fail", async () => {
    let running = 0;
    let most = 0;
    const tried = new Map<number, number>();
    const summarize = async ({ turn: number }: TurnText) => {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 5));
      running -= 1;
      tried.set(number, (tried.get(number) ?? 0) + 1);
      if (number === 2 || (number === 1 && tried.get(1) === 1)) throw new Error("overloaded");
      return `summary ${number}`;
    };
    const { summaries, failed } = await summarizeTurns(parts(), summarize, { parallel: 2, attempts: 3 });
    expect(most).toBe(2);
    expect([...summaries]).toEqual(
      expect.arrayContaining([
        [1, "summary 1"],
        [3, "summary 3"],
        [4, "summary 4"],
      ]),
    );
    expect([...failed]).toEqual([[2, "overloaded"]]);
    expect(tried.get(2)).toBe(3);
  });

  test("that failed leave their turn as it was", () => {
    const untouched = new Set([2]);
    expect(replayed(compress(five, { untouched }))).toContain("b output output");
    const { session } = compress(five, { untouched, perTurn: true });
    expect(session.turns.map(({ toolCalls }) => toolCalls.length)).toEqual([0, 1, 0, 0, 1]);
  });
});
