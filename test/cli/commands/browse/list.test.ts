import { join, resolve } from "node:path";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const demo = { CLAUDE_CONFIG_DIR: DEMO };
const emptyHome = () => ({ CLAUDE_CONFIG_DIR: temporaryFolder() });
const idsIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(0, 8));

test("lists sessions with the latest activity first, no wider than the terminal", async () => {
  const { stdout, exitCode } = await runCli(["list"], demo);
  await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, "..", "..", "..", "golden", "list.txt"));
  expect(exitCode).toBe(0);
});

test.each([24, 40, 60])("leaves out figures where %i columns have no room for them", async (columns) => {
  const { stdout } = await runCli(["list"], demo, { columns });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(7);
  expect(lines.filter((line) => stringWidth(line) > Math.max(columns, 29))).toEqual([]);
});

test("prints as JSON what the contract names", async () => {
  const { stdout } = await runCli(["list", "--json"], demo);
  const sessions = JSON.parse(stdout);
  expect(sessions).toHaveLength(7);
  expect(Object.keys(sessions[0]).join(", ")).toBe(
    "id, path, project, title, startedAt, endedAt, models, usage, costUsd, sizeBytes, subagents, gitBranch, conversation, " +
      "tools, userTitle, tags, favourite, note, source, archived, pullRequests, commits, turns, messages, toolCalls, toolErrors, failedToolCalls, " +
      "deniedToolCalls, interruptedToolCalls, apiErrors, totalUsage, totalCostUsd, subagentCostUsd, rewoundCostUsd, " +
      "copiedCostUsd, copiedTurns, running, archivedByClaude",
  );
});

test.each([
  { filter: ["--project", "lantern"], ids: ["fdfef8b1", "1126f362", "1a0a6e10"] },
  { filter: ["--project", "/home/dev/src/pebble.rs"], ids: ["09fa6185", "8359096c"] },
  { filter: ["--since", "2026-11-05", "--limit", "1"], ids: ["09fa6185"] },
  { filter: ["--until", "2026-10-12T08:20:00Z"], ids: ["1a0a6e10", "8359096c"] },
  { filter: ["--project", "pebble", "--errors"], ids: ["09fa6185"] },
  { filter: ["--tool", "task"], ids: ["ce53b57f", "8359096c"] },
])("$filter leaves $ids", async ({ filter, ids }) => {
  const { stdout } = await runCli(["list", ...filter], demo);
  expect(idsIn(stdout)).toEqual(ids);
});

test("several folders are listed together", async () => {
  const { stdout } = await runCli(["list", "--json", "--config-dir", `${temporaryFolder()},${DEMO}`]);
  expect(JSON.parse(stdout)).toHaveLength(7);
});

test("`turnlog` alone opens the page, and offers the demo where there are no sessions", async () => {
  const interrupt = new AbortController();
  const { stdout, stderr, exitCode } = await runCli(["--no-open", "--port", "0"], emptyHome(), {
    interrupt: interrupt.signal,
    onStdout: () => interrupt.abort(),
  });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  expect(stderr).toContain("`turnlog open --demo` shows demo sessions");
  expect(exitCode).toBe(0);
});

test("without sessions, `turnlog list` says where it looked", async () => {
  const home = emptyHome();
  const { stdout, stderr, exitCode } = await runCli(["list"], home);
  expect(stdout).toBe("");
  expect(stderr).toBe(`no sessions in ${home.CLAUDE_CONFIG_DIR} (try --demo)\n`);
  expect(exitCode).toBe(0);
});

test("an empty session is hidden until --all asks for it", async () => {
  const file = "projects/-home-dev-shop/5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d.jsonl";
  const env = { CLAUDE_CONFIG_DIR: temporaryFolder({ [file]: "" }) };
  expect((await runCli(["list"], env)).stdout).toBe("1 empty session hidden (--all shows them)\n");
  expect((await runCli(["list", "--all"], env)).stdout).toContain("5b0c7d1e");
});

test("a filter that nothing matches says so", async () => {
  const { stdout, stderr, exitCode } = await runCli(["list", "--project", "nowhere"], demo);
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: "no session matches the filters\n", exitCode: 0 });
});

test("sessions of which only side files survive are counted beside the list", async () => {
  const file = "projects/-home-dev-shop/5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d/subagents/agent-a1.jsonl";
  const env = { CLAUDE_CONFIG_DIR: temporaryFolder({ [file]: "{}\n" }) };
  const { stdout, stderr } = await runCli(["list", "--json"], env);
  expect(stdout).toBe("[]\n");
  expect(stderr).toContain("1 session without a transcript (only side files are left)\n");
});
