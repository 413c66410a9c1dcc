import { expect, test } from "vitest";
import { isPullRequest, parsePullRequestName } from "../../../src/session/facts/pull-request.js";
import { outlineRecords } from "../../../src/session/open-session.js";
import { call, prompt, type Row, result, session } from "../../builders/session-builder.js";

const bash = (id: string, command: string, output: string, more: Row = {}): Row[] => [
  call(id, "Bash", { command }),
  { ...result(id, output), toolUseResult: { stdout: output, stderr: "" }, ...more },
];

const factsOf = (...rows: readonly Row[]) => outlineRecords(session(prompt("go"), ...rows)).facts;

const COMMITTED = "[fix/total 7be1d30] Round once\n 2 files changed, 12 insertions(+), 2 deletions(-)";

test("a commit that git reports to the session is its own, with the time of the report", () => {
  const { work } = factsOf(...bash("a", "npm test && git commit -qam x; git commit -m 'Round once'", COMMITTED));
  expect(work.commits).toEqual([
    { sha: "7be1d30", branch: "fix/total", subject: "Round once", at: "2026-01-01T12:00:02.000Z" },
  ]);
  expect(work.awaited).toEqual([]);
});

test.each([
  ["a file that holds such lines", "cat notes.txt", COMMITTED],
  [
    "the subject of a commit alone",
    "git log --format='[%D %h] %s'; git commit --dry-run",
    "[main 7be1d30] Round once\n",
  ],
  ["another program in the pipe of git", "git log | commit-report", COMMITTED],
])("%s is no commit of the session", (_, command, output) => {
  expect(factsOf(...bash("a", command, output)).work.commits).toEqual([]);
});

test("commits that a fork brought along are those of the other session", () => {
  const rows = bash("a", "git commit -m x", COMMITTED).map((row) => ({ ...row, forkedFrom: { sessionId: "s0" } }));
  expect(factsOf(...rows).work.commits).toEqual([]);
});

test("a pull request is linked that gh opened or Claude Code noted, each once", () => {
  const url = "https://github.com/acme/widgets/pull/7";
  const noted = { stdout: url, gitOperation: { pr: { number: 8, url: url.replace("7", "8"), action: "created" } } };
  const { pullRequests } = factsOf(
    ...bash("a", "gh pr create --fill", `Creating pull request\n\n${url}\n`),
    ...bash("b", "gh pr view 9", url.replace("7", "9")),
    ...bash("c", "./open-pr.sh", "", { toolUseResult: noted }),
    { type: "pr-link", prNumber: 7, prUrl: url, prRepository: "acme/widgets", sessionId: "s1" },
  );
  expect(pullRequests.map(({ number, repository }) => `${repository} ${number}`)).toEqual([
    "acme/widgets 7",
    "acme/widgets 8",
  ]);
});

test("changed files are known from calls and from results, also of shell commands", () => {
  const edit = call("e", "Edit", { file_path: "/w/a.ts", old_string: "x", new_string: "y" });
  const { work } = factsOf(
    edit,
    { ...result("e", "ok"), toolUseResult: { filePath: "/w/a.ts", oldString: "x" } },
    ...bash("f", "npx fmt", "", {
      toolUseResult: { stdout: "", bashEditDiff: { files: [], changedFiles: ["/w/b.ts"] } },
    }),
    call("r", "Read", { file_path: "/w/c.ts" }),
  );
  expect(work.changedFiles).toEqual(["/w/a.ts", "/w/b.ts"]);
});

const link = { number: 218, url: "https://github.com/acme/shop/pull/218", repository: "acme/shop", at: null };

test.each([
  ["218", true],
  ["#218", true],
  ["acme/shop#218", true],
  ["Acme/Shop#218", true],
  ["https://github.com/acme/shop/pull/218/files", true],
  ["acme/other#218", false],
  ["https://git.example.org/acme/shop/pull/218", false],
  ["21", false],
])("the name %s means the pull request: %s", (text, expected) => {
  const name = parsePullRequestName(text);
  expect(name !== undefined && isPullRequest(link, name)).toBe(expected);
});

test.each(["", "x", "acme/shop", "218a", "-1"])("%j names no pull request", (text) => {
  expect(parsePullRequestName(text)).toBeUndefined();
});
