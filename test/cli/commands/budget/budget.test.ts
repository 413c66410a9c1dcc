import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { walkLibrary } from "../../../../src/library/sources/walk-library.js";
import { addHooks } from "../../../../src/trace/hook/claude-settings.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runBuilt } from "../../../trace/run-built.js";
import { runCli } from "../../run-cli.js";

const ROOT = resolve(import.meta.dirname, "..", "..", "..", "..");
const DEMO = join(ROOT, "demo");
const BIN = join(ROOT, "dist", "bin.js");

function world() {
  const env = { CLAUDE_CONFIG_DIR: DEMO, TURNLOG_DATA_DIR: temporaryFolder() };
  return { env, turnlog: (...args: string[]) => runCli(args, env) };
}

test("a budget is set, shown with what is spent and left, changed and removed", async () => {
  const { turnlog } = world();
  await turnlog("budget", "set", "5/total");
  await turnlog("budget", "set", "2/month", "--project", "lantern", "--warn", "50%", "--hard");
  const { stdout } = await turnlog("budget", "--json");
  const { totals } = JSON.parse((await turnlog("stats", "--json", "--no-index")).stdout);
  expect(JSON.parse(stdout)).toMatchObject([
    { budget: "$5.00 in all", spentUsd: totals.knownCostUsd, state: "warned", hard: false, window: null },
    { budget: "$2.00 a month in lantern", per: "month", project: "lantern", warnAt: 0.5, hard: true, spentUsd: 0 },
  ]);
  expect((await turnlog("budget")).stdout).toMatch(
    /^\$5\.00 in all +█████████░ +\$4\.65 +9\d(\.\d)? % +\$0\.35 +warned at 80/m,
  );
  expect((await turnlog("budget", "set", "9/total")).stdout).toBe("budget set: $9.00 in all (it was $5.00 in all)\n");
  expect((await turnlog("budget", "remove", "total")).stdout).toBe("budget removed: $9.00 in all\n");
  expect((await turnlog("budget", "remove", "total")).stderr).toContain("there are $2.00 a month in lantern");
});

test.each([
  [["set", "20"], 'not "20"'],
  [["set", "0/day"], 'not "0/day"'],
  [["set", "5/fortnight"], 'not "5/fortnight"'],
  [["set", "5/day", "--warn", "200%"], "--warn is a share"],
  [["set", "5/day", "--project", " "], "names no project"],
  [["remove", "year"], 'not "year"'],
])("budget %j is refused in one line with an example", async (args, message) => {
  const { stderr, exitCode } = await world().turnlog("budget", ...args);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(2);
  expect(exitCode).toBe(2);
});

test("statistics and the status line tell of budgets, and of none where there are none", async () => {
  const { env, turnlog } = world();
  expect((await turnlog("stats", "--no-index")).stdout).not.toContain("Budgets");
  await turnlog("budget", "set", "5/total");
  expect((await turnlog("stats", "--no-index")).stdout).toMatch(/\nBudgets\nbudget .*\n\$5\.00 in all /);
  const { budgets } = JSON.parse((await turnlog("stats", "--json", "--no-index")).stdout);
  expect(budgets).toMatchObject([{ budget: "$5.00 in all", state: "warned" }]);
  const { stdout } = await runCli(["stats", "--statusline"], env, { stdin: "{}" });
  expect(stdout).toContain("92 % of $5.00 in all");
});

test("sessions that ask at once, and processes that are killed, leave a sum that equals the statistics", async () => {
  const config = temporaryFolder();
  cpSync(join(DEMO, "projects"), join(config, "projects"), { recursive: true });
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: temporaryFolder() };
  await runCli(["budget", "set", "5/total"], env);
  const sessions = walkLibrary([config]).files.filter(({ agent }) => agent === undefined);
  const asked = sessions.slice(0, 4).map(({ path }) => {
    const event = { hook_event_name: "UserPromptSubmit", session_id: path, transcript_path: path, cwd: "/x" };
    return runBuilt(["hook"], env, JSON.stringify(event));
  });
  const killed = [100, 200, 300].map(async (ms) => {
    const child = spawn(process.execPath, [BIN, "budget", "refresh"], {
      env: { ...process.env, ...env },
      timeout: ms,
      killSignal: "SIGKILL",
    });
    await once(child, "exit");
  });
  const answers = await Promise.all(asked);
  await Promise.all(killed);
  expect(answers.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    answers.map(() => ({ exitCode: 0, stderr: "" })),
  );
  const [total] = JSON.parse((await runCli(["budget", "--json"], env)).stdout);
  const { totals } = JSON.parse((await runCli(["stats", "--json", "--no-index"], env)).stdout);
  expect(total.spentUsd).toBe(totals.knownCostUsd);
});

test("the hook is added beside the one for traces, answers, and goes without it", async () => {
  const config = temporaryFolder();
  const env = { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: temporaryFolder() };
  const settings = join(config, "settings.json");
  const before = addHooks('{\n  // mine\n  "model": "opus"\n}\n', "turnlog hook");
  mkdirSync(config, { recursive: true });
  writeFileSync(settings, before);
  const installed = await runBuilt(["budget", "install", "--yes"], env);
  expect(installed.stdout).toContain("installed: Claude Code keeps to your budgets");
  expect(readFileSync(settings, "utf8")).toMatch(/\/\/ mine[\s\S]*"Stop"[\s\S]*"UserPromptSubmit"[\s\S]*"PreToolUse"/);
  await runBuilt(["budget", "set", "1/day", "--hard"], env);
  const event = { hook_event_name: "PreToolUse", session_id: "s", transcript_path: join(config, "s.jsonl"), cwd: "/x" };
  expect(await runBuilt(["hook"], env, JSON.stringify(event))).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  const removed = await runBuilt(["budget", "uninstall", "--yes"], env);
  expect(removed.stdout).toContain("uninstalled: your budgets stay");
  expect(readFileSync(settings, "utf8")).toBe(before);
});
