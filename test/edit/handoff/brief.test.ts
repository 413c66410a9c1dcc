import { expect, test } from "vitest";
import { gatherBrief } from "../../../src/edit/handoff/gather-brief.js";
import { type BriefPlace, writeBrief } from "../../../src/edit/handoff/write-brief.js";
import { answer, call, type Draft, prompt, result, understand } from "../../builders/session-builder.js";

const PLACE: BriefPlace = {
  title: "Fix the cart",
  project: "/home/dev/shop",
  gitBranch: "main",
  startedAt: "2026-11-01T09:00:00.000Z",
  endedAt: "2026-11-01T10:00:00.000Z",
  turns: "3 turns",
  pullRequests: [],
  path: "/home/dev/.claude/projects/-home-dev-shop/a.jsonl",
  resume: "claude --resume a",
};

const factsOf = (...drafts: readonly Draft[]) => gatherBrief(understand(drafts).turns);
const briefOf = (drafts: readonly Draft[], maxTokens = 2000, clean = (text: string) => text) =>
  writeBrief(factsOf(...drafts), [], PLACE, maxTokens, clean);

const bash = (id: string, command: string, output: string, isError = false): readonly Draft[] => [
  call(id, "Bash", { command }),
  result(id, output, { isError }),
];

const WORK: readonly Draft[] = [
  prompt("The cart total is wrong. Never change the database schema. Why is it 8.55?"),
  answer("The cause is `lineTotal`: it rounds every line."),
  prompt("Fix it, tests first"),
  ...bash("t1", "cd /home/dev/shop && npm test 2>&1 | tail -5", "Tests 1 failed | 2 passed\nexit 1", true),
  ...bash("t2", "npm test", "Tests 3 passed"),
  answer("All tests pass."),
  prompt("And the invoice?"),
  ...bash("t3", "npm run build", "error TS2304: Cannot find name 'x'", true),
  answer("The build fails. Shall I revert?"),
];

test("goal, last request and the last answer are told in the words of the session", () => {
  const facts = factsOf(...WORK);
  expect(facts.goal?.text).toContain("The cart total is wrong.");
  expect(facts.request).toEqual({ turn: 3, text: "And the invoice?" });
  expect(facts.state).toMatch(
    /^Turn 1: The cause is .*\n\nTurn 2: All tests pass\.\n\nThe build fails\. Shall I revert\?$/s,
  );
});

test("a last answer that says enough stands alone", () => {
  const long = `It works now. ${"Every case was tried, with its own test. ".repeat(8)}`.trim();
  expect(factsOf(prompt("a"), answer("first"), prompt("b"), answer(long)).state).toBe(long);
});

test("sentences that forbid or demand something are constraints, and causes are findings", () => {
  const facts = factsOf(...WORK);
  expect(facts.constraints).toEqual([]); // the goal has it
  expect(facts.findings).toEqual([{ turn: 1, text: "The cause is `lineTotal`: it rounds every line." }]);
});

test("what a person demands later is a constraint, and belongs together; a question is none", () => {
  const words = "so Lax. plus check Origin on everything that isn't GET, never on GET";
  const start = prompt("build the login page");
  const facts = factsOf(start, answer("ok"), prompt(words), answer("ok"), prompt("why do we use Lax?"));
  expect(facts.constraints).toEqual([{ turn: 2, text: words }]);
});

test("an answer to a question is told with the question, and one to offers with the offer", () => {
  const offers = "Options: (a) the bearer in a header, (b) a ticket from POST /ticket, or (c) nothing.";
  const drafts = [
    prompt("go"),
    answer("Done so far. Shall I keep the old path?"),
    prompt("no"),
    answer(offers),
    prompt("b. valid 30s"),
  ];
  expect(factsOf(...drafts).decisions).toEqual([
    { turn: 2, text: "Asked: Shall I keep the old path? Answer: no" },
    { turn: 3, text: "Chosen: (b) a ticket from POST /ticket. In the words of the user: b. valid 30s" },
  ]);
});

test("what was left or put off is open, and what was changed after the last commit is told", () => {
  const drafts = [
    prompt("go"),
    call("e1", "Write", { file_path: "/home/dev/shop/a.ts", content: "a" }),
    result("e1", "ok"),
    ...bash("c1", "git add -A && git commit -m 'Add a'", "[main 8d2f1aa] Add a\n 1 file changed"),
    call("e2", "Write", { file_path: "/home/dev/shop/b.ts", content: "b" }),
    result("e2", "ok"),
    answer("The reconnect fails with 4401, I have not understood why."),
    prompt("leave it for now, I'll ask ops"),
    answer("Left."),
  ];
  const { open, notCommitted, commits } = factsOf(...drafts);
  expect(notCommitted).toEqual(["/home/dev/shop/b.ts"]);
  expect(open).toEqual([
    "The reconnect fails with 4401, I have not understood why. (turn 1)",
    "Put off: leave it for now, I'll ask ops (turn 2)",
  ]);
  expect(commits).toEqual([{ hash: "8d2f1aa", subject: "Add a", turn: 1 }]);
  expect(briefOf(drafts).markdown).toContain("- Changed after the last commit: b.ts");
});

test("the text of a here document is no file, and commands that only look are left out", () => {
  const message = "git commit -m \"$(cat <<'EOF'\nAdd it\n\nCo-Authored-By: X <a@b.c>\nEOF\n)\"";
  const facts = factsOf(
    prompt("go"),
    ...bash("c", message, "[main 1234567] Add it"),
    ...bash("l", "rg -l test src", "src/a.ts"),
    answer("ok"),
  );
  expect(facts.shellFiles).toEqual([]);
  expect(facts.commands).toEqual([]);
  expect(facts.commits).toEqual([{ hash: "1234567", subject: "Add it", turn: 1 }]);
});

test("files name what was added to them", () => {
  const content = "export class Cart {}\nfunction total() {}\n  const inner = 1;\ntest('rounds once', () => {});";
  const { changedNames } = factsOf(
    prompt("go"),
    call("w", "Write", { file_path: "/a.ts", content }),
    result("w", "ok"),
    answer("ok"),
  );
  expect(changedNames("/a.ts")).toEqual(["Cart", "total", "rounds once"]);
});

test("a command is told once, with the number of its runs and the last outcome", () => {
  expect(factsOf(...WORK).commands).toEqual([
    { command: "npm test", runs: 2, turn: 2, status: "ok", told: "Tests 3 passed" },
    { command: "npm run build", runs: 1, turn: 3, status: "error", told: "error TS2304: Cannot find name 'x'" },
  ]);
});

test("a question without answer, and what failed last, are open", () => {
  expect(factsOf(...WORK).open).toEqual([
    "Waiting for an answer: Shall I revert?",
    expect.stringContaining("Failed last: Bash npm run build"),
  ]);
});

test("tasks that are not done are open; done ones are not", () => {
  const todos = [
    { content: "write the test", status: "completed" },
    { content: "update the docs", status: "pending" },
  ];
  const drafts = [
    prompt("go"),
    call("w1", "TodoWrite", { todos }),
    result("w1", "ok"),
    answer("so far"),
    prompt("on"),
    answer("ok"),
  ];
  expect(factsOf(...drafts).open).toEqual(["To do: update the docs (pending)"]);
});

const LONG = Array.from({ length: 300 }, (_, at): readonly Draft[] => [
  prompt(`request ${at}: you must not forget rule ${at} ${"and more words ".repeat(20)}`),
  ...bash(`b${at}`, `npm test -- part${at}`, `${at} passed`),
  answer(`answer ${at} ${"with many words ".repeat(40)}`),
]).flat();

test.each([300, 600, 2000, 8000])(
  "a session of 300 turns fits into %s tokens, and the newest is in it",
  (maxTokens) => {
    const brief = briefOf(LONG, maxTokens);
    expect(brief.tokens).toBeLessThanOrEqual(maxTokens);
    expect(brief.markdown).toContain("answer 299");
    expect(brief.markdown).toContain("request 0:");
    expect(brief.leftOut).toBeGreaterThan(0);
  },
);

test("a longer brief holds no less of each section", () => {
  const [short, long] = [briefOf(LONG, 1000), briefOf(LONG, 4000)];
  const count = ({ sections }: typeof short) => sections.reduce((sum, { lines }) => sum + lines.length, 0);
  expect(count(long)).toBeGreaterThan(count(short));
  expect(long.leftOut).toBeLessThan(short.leftOut);
});

test("texts are cleaned before they are cut, so that no part of a secret is left", () => {
  const secret = "SECRETSECRETSECRET";
  const drafts = [prompt(`${"x".repeat(690)} ${secret}`), answer("done")];
  const { markdown } = briefOf(drafts, 400, (text) => text.replaceAll(secret, "[gone]"));
  expect(markdown).not.toContain("SECRET");
});

test("a greeting is no goal, and a file that is only pointed at is told by its beginning", () => {
  expect(factsOf(prompt("hi"), answer("Hi!"), prompt("remove the VPN client from the router")).goal).toEqual({
    turn: 2,
    text: "remove the VPN client from the router",
  });
  const file = {
    type: "file",
    filename: "/w/plan.md",
    content: { type: "text", file: { content: "# Make it portable" } },
  };
  const pointer = prompt("@plan.md really ULTRATHINK this");
  const facts = factsOf(pointer, { type: "attachment", attachment: file }, answer("ok"));
  expect(facts.goal?.text).toBe("@plan.md really ULTRATHINK this\n\n# Make it portable");
  expect(factsOf(pointer, answer("This is about portable sessions.")).goal?.text).toContain("portable sessions");
});

test("the question of the last answer comes first, then what it names as next; what is checked off is not open", () => {
  const said = "✅ No rule is failing any more.\n\nShall I go on? I'll:\n1. Add the parameter\n2. **Pass** the name";
  expect(factsOf(prompt("fix the rules of the firewall"), answer(said)).open).toEqual([
    "Waiting for an answer: Shall I go on?",
    "Next: 1. Add the parameter 2. Pass the name (turn 1)",
  ]);
});

test("what a later turn took up is neither put off nor next", () => {
  const plan = "Planned.\n\n## Next steps\n\n- Rename the export folder\n- Write the import";
  const facts = factsOf(
    prompt("leave the export folder for later"),
    answer(plan),
    prompt("rename the export folder now"),
    answer("Renamed."),
  );
  expect(facts.open).toEqual(["Next: - Write the import (turn 1)"]);
});

test("files of shell commands have their folder, and what was removed again is told as removed", () => {
  const facts = factsOf(
    prompt("go"),
    ...bash("a", "cd /w/demo && echo x > README.md && npm test 2>&1", "ok"),
    ...bash("b", "awk '$1 >100' sizes; touch \\\n  /w/demo/t; echo y > /w/tmp/y.txt", "ok"),
    ...bash("c", "rm -rf /w/tmp", ""),
    answer("ok"),
  );
  expect(facts.shellFiles).toEqual(["/w/demo/README.md"]);
  expect(facts.removedFiles).toEqual(["/w/tmp"]);
});

test("a denied call says what was refused, and a commit that failed its subject", () => {
  const input = { file_path: "/w/a.go", old_string: "x := 1", new_string: "x := 1\ny := filesToArchive" };
  const said =
    "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the loop";
  const facts = factsOf(
    prompt("go"),
    call("e", "Edit", input),
    result("e", said, { isError: true }),
    ...bash("c", "git commit -m \"$(cat <<'EOF'\nAdd it\n\nWhy\nEOF\n)\"", "hook failed", true),
    answer("ok"),
  );
  expect(facts.decisions).toEqual([
    {
      turn: 1,
      text: "Denied by the user: use the loop (on Edit /w/a.go (edit), would have written: y := filesToArchive)",
    },
  ]);
  expect(facts.commands.map(({ command }) => command)).toEqual(['git commit -m "Add it"']);
});

test("a long answer keeps its end, and loses its file tree before its text", () => {
  const tree = "```\ndemo/\n├── a\n└── b\n```";
  const middle = "Some words on the way. ".repeat(60);
  const drafts = [prompt("move the folders"), answer(`It began.\n\n${tree}\n\n${middle}\n\nAll 9 tests pass.`)];
  const { markdown } = briefOf([...drafts, prompt("and now"), answer("x".repeat(300))], 500);
  expect(markdown).toContain("All 9 tests pass.");
  expect(markdown).not.toContain("├");
  expect(briefOf(drafts, 400).markdown).toMatch(/> It began\.[^├]*\[…\][^├]*All 9 tests pass\./);
});
