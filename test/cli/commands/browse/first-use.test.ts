import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // days are those of this machine

const SESSIONS = 30;
const idOf = (at: number) => `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`;

function recordsOf(at: number): object[] {
  const cwd = `/srv/p${at % 2}`;
  const shared = { cwd, sessionId: idOf(at) };
  const time = (second: number) => new Date(Date.UTC(2026, 4, 1 + at, 9, 0, second)).toISOString();
  const usage = { input_tokens: 10 + at, output_tokens: 100, cache_read_input_tokens: 1000 };
  const call = { type: "tool_use", id: `call-${at}`, name: "Bash", input: { command: "ls" } };
  const answer = { id: `msg-${at}`, role: "assistant", model: "claude-haiku-4-5", content: [call], usage };
  const output = { type: "tool_result", tool_use_id: `call-${at}`, content: "x".repeat(100_000) };
  return [
    {
      type: "user",
      uuid: `u${at}`,
      parentUuid: null,
      timestamp: time(1),
      message: { role: "user", content: `do ${at}` },
    },
    { type: "assistant", uuid: `a${at}`, parentUuid: `u${at}`, timestamp: time(2), message: answer },
    {
      type: "user",
      uuid: `r${at}`,
      parentUuid: `a${at}`,
      timestamp: time(3),
      message: { role: "user", content: [output] },
    },
  ].map((record) => ({ ...shared, ...record }));
}

/** More than a command would index before it answers. */
function largeLibrary(): Record<string, string> {
  const files = Array.from({ length: SESSIONS }, (_, at) => {
    const lines = recordsOf(at).map((record) => `${JSON.stringify(record)}\n`);
    return [`projects/-srv-p${at % 2}/${idOf(at)}.jsonl`, lines.join("")];
  });
  return { CLAUDE_CONFIG_DIR: temporaryFolder(Object.fromEntries(files)), TURNLOG_DATA_DIR: temporaryFolder() };
}

const jsonOf = async (args: readonly string[], env: Record<string, string>) =>
  JSON.parse((await runCli([...args, "--json"], env)).stdout);

test("the first list is the same as the list from an index, and does not wait for one", async () => {
  const env = largeLibrary();
  const first = await jsonOf(["list", "--limit", "5"], env);
  expect(existsSync(join(env["TURNLOG_DATA_DIR"] ?? "", "index.db"))).toBe(false);
  await runCli(["index", "sync"], env);
  expect(first).toHaveLength(5);
  expect(first).toEqual(await jsonOf(["list", "--limit", "5"], env));
});

test("the first statistics have tokens and cost as from an index, and null for what is not known yet", async () => {
  const env = largeLibrary();
  const first = await jsonOf(["stats", "--by", "session"], env);
  await runCli(["index", "sync"], env);
  const later = await jsonOf(["stats", "--by", "session"], env);
  expect([first.complete, later.complete]).toEqual([false, true]);
  expect(first.byDay).toHaveLength(SESSIONS);
  const unknown = {
    ...{ sessions: null, turns: null, activeMs: null, apiErrors: null, rewoundCostUsd: null },
    ...{ toolCalls: null, toolErrors: null, failedToolCalls: null, deniedToolCalls: null, interruptedToolCalls: null },
  };
  const forget = (rows: object[]) => rows.map((row) => ({ ...row, ...unknown }));
  expect(first).toEqual({
    ...later,
    complete: false,
    totals: { ...later.totals, ...unknown },
    byDay: forget(later.byDay),
    byWeek: forget(later.byWeek),
    byMonth: forget(later.byMonth),
    byModel: later.byModel.map((row: object) => ({ ...row, rewoundCostUsd: null })),
    byProject: forget(later.byProject),
    bySession: forget(later.bySession).map((row) => ({ ...row, title: null })),
    tools: null,
  });
});

test("the first statistics print no column that is not known yet, and say so once", async () => {
  const env = largeLibrary();
  const { stdout, stderr } = await runCli(["stats"], env);
  expect(stdout).toContain("30 messages");
  expect(stdout).not.toMatch(/turn|session|calls|active/);
  expect(stderr).toMatch(/^tokens and cost only: .*\n$/);
  const csv = (await runCli(["stats", "--csv"], env)).stdout.split("\r\n");
  expect(csv[0]).toContain("sessions,turns,active_ms,tool_calls,tool_errors");
  expect(csv[1]).toMatch(/,,,,,$/);
});

test.each([["--by", "tool"], ["--tool", "Bash"], ["--errors"], ["--no-index"]])(
  "statistics with %s %s read the sessions",
  async (...args) => {
    const { complete, tools } = await jsonOf(["stats", ...args.filter((arg) => arg !== undefined)], largeLibrary());
    expect(complete).toBe(true);
    expect(tools).not.toBeNull();
  },
);
