import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { call, prompt, type Row, result, sessionText, textBlock, uuidOf } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const WORDS = readFileSync(resolve(import.meta.dirname, "../../../crafted/persons-words.jsonl"), "utf8");

const link = (number: number, repository = "acme/shop"): Row => ({
  type: "pr-link",
  prNumber: number,
  prUrl: `https://github.com/${repository}/pull/${number}`,
  prRepository: repository,
});

const ran = (id: string, command: string, output: string, isError = false): Row[] => [
  call(id, "Bash", { command }),
  { ...result(id, output, { isError }), ...(isError ? {} : { toolUseResult: { stdout: output } }) },
];

const FIRST = [
  prompt(`Round the total once. The token is ${SECRET}.`),
  ...ran("t1", "cd shop && npx vitest run", "Tests 1 failed | 2 passed", true),
  call("e", "Edit", { file_path: "/w/shop/cart.ts", old_string: "a", new_string: "b" }),
  {
    ...result("e", "ok"),
    toolUseResult: {
      filePath: "/w/shop/cart.ts",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ["-a", "+b", "+c"] }],
    },
  },
  ...ran("t2", "npx vitest run", "Tests 3 passed"),
  ...ran("r", "cat test/cart.test.ts", "test('x')"),
  ...ran("c", "git commit -m x", "[fix 7be1d30] Round once\n 1 file changed, 1 insertion(+)"),
  link(218),
].map((row) => ({ cwd: "/w/shop", gitBranch: "fix", ...row }));

const WARM = { isSidechain: true, agentId: "ab12cd3" };

function library(files: Readonly<Record<string, string>> = {}): Record<string, string> {
  const root = temporaryFolder({
    [`projects/-w/${uuidOf(1)}.jsonl`]: sessionText(...FIRST),
    [`projects/-w/${uuidOf(1)}/subagents/agent-ab12cd3.jsonl`]: sessionText(
      ...[prompt("check it"), ...ran("a1", "npm run lint", "no problems")].map((row) => ({ ...row, ...WARM })),
    ),
    [`projects/-w/${uuidOf(2)}.jsonl`]: `${WORDS}${sessionText(link(218), link(219))}`,
    [`projects/-w/${uuidOf(3)}.jsonl`]: sessionText(prompt("something else"), link(5)),
    ...files,
  });
  return { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
}

const run = (args: readonly string[], env = library()) => runCli([...args], env, { columns: 100 });

describe("the appendix of a pull request", () => {
  test("holds prompts, decisions, files, tests with their outcome and commits of all its sessions", async () => {
    const { stdout } = await run(["show", "--pr", "218", "--json"]);
    const { pullRequest, totals, sessions } = JSON.parse(stdout);
    expect([pullRequest, totals.sessions, sessions.length]).toEqual(["acme/shop#218", 2, 2]);
    const [first, second] = sessions[0].otherPullRequests.length === 0 ? sessions : sessions.toReversed();
    expect(first.prompts.map(({ text }: { text: string }) => text)).toEqual([
      expect.stringMatching(/^Round the total once. The token is (?!ghp_)/),
    ]);
    expect(first.files).toEqual([{ path: "/w/shop/cart.ts", name: "cart.ts", isNew: false, added: 2, removed: 1 }]);
    expect(first.tests).toEqual([
      { command: "npx vitest run", runs: 2, status: "ok", told: "Tests 3 passed" },
      { command: "npm run lint", runs: 1, status: "ok", told: "no problems" },
    ]);
    expect(first.commits).toMatchObject([{ sha: "7be1d30", subject: "Round once" }]);
    expect(second.otherPullRequests).toEqual(["acme/shop#219"]);
    expect(second.decisions.map(({ text }: { text: string }) => text.split("\n")[0])).toEqual([
      expect.stringContaining("use the name answer.txt instead"),
      expect.stringContaining("fine, but keep it short"),
      expect.stringContaining("a dark red, as the bricks of the old station"),
      "ExitPlanMode, the plan: # Plan",
      "ExitPlanMode: User has approved exiting plan mode. You can now proceed.",
    ]);
  });

  test("costs what `stats --by pr` says for its pull requests", async () => {
    const env = library();
    const { totals } = JSON.parse((await run(["show", "--pr", "218", "--json"], env)).stdout);
    const { byPullRequest } = JSON.parse((await run(["stats", "--by", "pr", "--json"], env)).stdout);
    const rows = byPullRequest.filter((row: { pullRequests: string[] }) => row.pullRequests.includes("acme/shop#218"));
    const add = (pick: (row: { turns: number; usage: { output: number } }) => number) =>
      rows.map(pick).reduce((a: number, b: number) => a + b, 0);
    expect(rows).toHaveLength(2);
    expect([totals.turns, totals.usage.output]).toEqual([add(({ turns }) => turns), add(({ usage }) => usage.output)]);
  });

  test("is redacted in an export, masked on screen, and neither on request", async () => {
    const env = library({
      [`projects/-w/${uuidOf(4)}.jsonl`]: sessionText(prompt(`see ${join(homedir(), "notes.txt")}`), link(218)),
    });
    const [shown, exported, revealed] = await Promise.all([
      run(["show", "--pr", "218"], env),
      run(["export", "--pr", "218", "--format", "md"], env),
      run(["export", "--pr", "218", "--format", "md", "--no-redact"], env),
    ]);
    expect(shown.stdout).toContain("The token is");
    expect(shown.stdout).not.toContain(SECRET);
    expect(exported.stdout).toContain("[REDACTED:");
    expect(exported.stdout).not.toContain(homedir());
    expect(exported.stderr).toContain("github-token");
    expect(revealed.stdout).toContain(SECRET);
  });

  test("is short, whatever the sessions hold, and says what it left out", async () => {
    const many = Array.from({ length: 120 }, (_, at) => prompt(`${at} ${"long ".repeat(2000)}`));
    const env = library({ [`projects/-w/${uuidOf(4)}.jsonl`]: sessionText(...many, link(5)) });
    const { stdout } = await run(["export", "--pr", "5", "--format", "json"], env);
    const { leftOut, sessions } = JSON.parse(stdout);
    expect(stdout.length).toBeLessThan(250_000);
    expect(leftOut).toBeGreaterThan(100);
    const shown = sessions
      .map(({ prompts }: { prompts: unknown[] }) => prompts.length)
      .sort((a: number, b: number) => a - b);
    expect(shown).toEqual([1, expect.closeTo(25, -1)]);
  });

  test("is a page that runs nothing, and shows HTML of a session as text", async () => {
    const hostile = "# Sessions behind\n<script>alert(1)</script>\n<img src=x onerror=alert(2)>\n</main>```\n";
    const env = library({ [`projects/-w/${uuidOf(4)}.jsonl`]: sessionText(prompt([textBlock(hostile)]), link(5)) });
    const { stdout } = await run(["export", "--pr", "5", "--format", "html"], env);
    expect(stdout).toContain('<h1 class="h1">Sessions behind acme/shop#5</h1>');
    expect(stdout).toContain("alert(1)");
    expect(stdout).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
    expect(stdout.match(/<\/main>/g)).toHaveLength(1);
    expect(stdout.match(/<h1/g)).toHaveLength(1);
  });
});

test.each([
  [["show"], "a session or --pr is missing"],
  [["show", "last", "--pr", "218"], "name a session or --pr, not both"],
  [["show", "--pr", "999"], "no session is linked to pull request 999"],
  [["show", "--pr", "218", "--turns", "2"], "--turns cannot be used with --pr"],
  [["export", "--pr", "218", "--format", "cast"], "--pr cannot be used with --format cast"],
  [["export", "--pr", "218", "--format", "md", "--depth", "1"], "--depth cannot be used with --pr"],
])("%j is refused in one line", async (args, message) => {
  const { stdout, stderr, exitCode } = await run(args);
  expect(stderr).toContain(message);
  expect([stdout, exitCode > 0]).toEqual(["", true]);
});

test("a number that two repositories have is asked for with its repository", async () => {
  const other = sessionText(prompt("go"), link(218, "acme/other"));
  const env = library({ [`projects/-w/${uuidOf(4)}.jsonl`]: other });
  expect((await run(["show", "--pr", "218"], env)).stderr).toContain("acme/other#218");
  expect((await run(["show", "--pr", "acme/other#218"], env)).stdout).toContain("# Sessions behind acme/other#218");
});
