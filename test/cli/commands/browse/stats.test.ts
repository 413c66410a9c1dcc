import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // days are those of this machine

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const GOLDEN = join(import.meta.dirname, "..", "..", "..", "golden", "stats");
const TABLES = ["day", "week", "month", "project", "model", "session", "branch", "pr", "commit", "tool"];
const demo = () => ({ CLAUDE_CONFIG_DIR: DEMO, TURNLOG_DATA_DIR: temporaryFolder() });
const withoutPaths = (text: string) => text.replaceAll(DEMO, "<demo>");

describe("the terminal", () => {
  test.each([60, 80, 120])("shows a summary that fits into %i columns", async (columns) => {
    const { stdout, exitCode } = await runCli(["stats"], demo(), { columns });
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, `summary-${columns}.txt`));
    expect(Math.max(...stdout.split("\n").map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
    expect(exitCode).toBe(0);
  });

  test("colours the summary", async () => {
    const { stdout } = await runCli(["stats"], demo(), { isTerminal: true, columns: 100 });
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, "summary.ansi"));
  });

  test.each(TABLES.flatMap((table) => [40, 90].map((columns) => ({ table, columns }))))(
    "--by $table is never wider than $columns columns",
    async ({ table, columns }) => {
      const { stdout } = await runCli(["stats", "--by", table], demo(), { columns });
      expect(stdout.split("\n").filter((line) => stringWidth(line) > columns)).toEqual([]);
    },
  );

  test.each(TABLES)("--by %s shows one table", async (table) => {
    const { stdout } = await runCli(["stats", "--by", table], demo(), { columns: 100 });
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, `by-${table}.txt`));
  });

  test("--blocks shows windows of five hours and the pauses between them", async () => {
    const { stdout } = await runCli(["stats", "--blocks"], demo(), { columns: 100 });
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, "blocks.txt"));
  });

  test("--explain shows the lines behind each message", async () => {
    const { stdout } = await runCli(["stats", "--explain", "8359096c"], demo(), { columns: 1000 }); // no path wraps
    await expect(withoutPaths(stdout)).toMatchFileSnapshot(join(GOLDEN, "explain.txt"));
  });

  test("--limit shortens the tables, not the totals", async () => {
    const { stdout } = await runCli(["stats", "--by", "day", "--limit", "1"], demo());
    expect(stdout).toContain("7 sessions");
    expect(stdout.match(/^2026-\d\d-\d\d .*\$/gm)).toHaveLength(1);
  });
});

describe("--json", () => {
  const statsOf = async (...args: readonly string[]) =>
    JSON.parse((await runCli(["stats", "--json", ...args], demo())).stdout);

  test("prints what the contract names", async () => {
    const stats = await statsOf();
    expect(Object.keys(stats).join(", ")).toBe(
      "complete, from, to, timezone, totals, byDay, byModel, byProject, tools, byWeek, byMonth",
    );
    expect(Object.keys(stats.totals).join(", ")).toBe(
      "messages, unknownOutputs, usage, costUsd, knownCostUsd, unpricedModels, subagentCostUsd, rewoundCostUsd, " +
        "sessions, turns, activeMs, toolCalls, toolErrors, failedToolCalls, deniedToolCalls, interruptedToolCalls, apiErrors",
    );
    expect(stats).toMatchObject({ from: "2026-10-08", to: "2026-11-10", totals: { sessions: 7 } });
  });

  test("is the same without the index", async () => {
    expect(await statsOf("--no-index")).toEqual(await statsOf());
  });

  test.each([
    { table: "session", field: "bySession", rows: 7 },
    { table: "branch", field: "byBranch", rows: 7 },
    { table: "pr", field: "byPullRequest", rows: 3 },
    { table: "commit", field: "byCommit", rows: 2 },
  ])("--by $table adds the table that grows with the library", async ({ table, field, rows }) => {
    const stats = await statsOf("--by", table);
    expect(Object.keys(stats).at(-1)).toBe(field);
    expect(stats[field]).toHaveLength(rows);
  });

  test("includes what sub-agents spent, in the session that launched them", async () => {
    const { bySession } = await statsOf("--by", "session", "--project", "pebble", "--until", "2026-10-20");
    const { stdout } = await runCli(["show", "8359096c", "--json"], demo());
    const { totals, subagents } = JSON.parse(stdout);
    const apart = subagents.map((agent: { totals: { usage: { output: number } } }) => agent.totals.usage.output);
    expect(apart.length).toBeGreaterThan(0);
    expect(bySession[0].usage.output).toBe(
      apart.reduce((sum: number, output: number) => sum + output, totals.usage.output),
    );
  });

  test("days are those of --timezone", async () => {
    const { byDay, timezone } = await statsOf("--timezone", "Pacific/Kiritimati", "--since", "2026-11-11");
    expect(timezone).toBe("Pacific/Kiritimati");
    expect(byDay.map(({ day }: { day: string }) => day)).toEqual(["2026-11-11"]);
  });

  test("a model counts with its messages, a tool with the sessions that used it", async () => {
    expect((await statsOf("--model", "sonnet")).byModel.map(({ model }: { model: string }) => model)).toEqual([
      "claude-sonnet-4-6",
    ]);
    expect((await statsOf("--tool", "task")).totals.sessions).toBe(2);
  });

  test("a model without a price leaves the cost unknown and is named", async () => {
    const env = demo();
    const prices = {
      asOf: "2026",
      prices: [{ models: ["claude-opus-5-5"], input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
    };
    writeFileSync(join(env.TURNLOG_DATA_DIR, "prices.json"), JSON.stringify(prices));
    writeFileSync(join(env.TURNLOG_DATA_DIR, "config.json"), JSON.stringify({ pricesFile: "prices.json" }));
    const { totals } = JSON.parse((await runCli(["stats", "--json"], env)).stdout);
    expect(totals).toMatchObject({ costUsd: null, knownCostUsd: expect.closeTo(1.134, 2) });
    expect(totals.unpricedModels).toContain("claude-sonnet-4-6");
    expect((await runCli(["stats"], env)).stdout).toContain("no price is known for claude-haiku-4-5");
  });

  test("--blocks adds the windows", async () => {
    const { blocks } = await statsOf("--blocks");
    expect(blocks.filter(({ kind }: { kind: string }) => kind === "used")).toHaveLength(7);
  });

  test("--explain adds up to the session's totals", async () => {
    const { bySession } = await statsOf("--by", "session");
    const { totals, messages } = await statsOf("--explain", bySession[0].id);
    expect(totals).toMatchObject({
      usage: bySession[0].usage,
      costUsd: bySession[0].costUsd,
      messages: messages.length,
    });
  });
});

describe("what turnlog knows of sessions", () => {
  test("tags and favourites choose sessions, and own titles name them", async () => {
    const env = demo();
    await runCli(["tag", "1a0a6e10", "money"], env);
    await runCli(["title", "1a0a6e10", "Mine"], env);
    const { bySession } = JSON.parse(
      (await runCli(["stats", "--json", "--by", "session", "--tag", "money"], env)).stdout,
    );
    expect(bySession.map(({ title }: { title: string }) => title)).toEqual(["Mine"]);
    expect((await runCli(["stats", "--favourites"], env)).stderr).toBe("no session matches the filters\n");
  });

  test("sessions that the client deleted stay in the statistics, and can be explained, while there is a copy", async () => {
    const home = temporaryFolder();
    cpSync(DEMO, home, { recursive: true });
    const env = { CLAUDE_CONFIG_DIR: home, TURNLOG_DATA_DIR: temporaryFolder() };
    await runCli(["archive", "on"], env);
    const before = await runCli(["stats"], env);
    const explained = await runCli(["stats", "--explain", "8359096c"], env);
    rmSync(join(home, "projects", "-home-dev-src-pebble-rs"), { recursive: true });
    expect((await runCli(["stats"], env)).stdout).toBe(before.stdout);
    expect((await runCli(["stats", "--no-index"], env)).stdout).toBe(before.stdout);
    expect((await runCli(["stats", "--explain", "8359096c"], env)).stdout).toBe(explained.stdout);
  });
});

test("--csv is one table by RFC 4180", async () => {
  const { stdout } = await runCli(["stats", "--csv", "--by", "month"], demo());
  await expect(stdout.replaceAll("\r\n", "<CR>\n")).toMatchFileSnapshot(join(GOLDEN, "month.csv"));
  const sessions = (await runCli(["stats", "--csv", "--by", "session"], demo())).stdout;
  expect(sessions.split("\r\n")).toHaveLength(9);
});

describe("bad input", () => {
  test.each([
    {
      args: ["--by", "year"],
      message: '--by must be one of day, week, month, project, model, session, branch, pr, commit, tool, not "year"',
    },
    { args: ["--timezone", "Mars"], message: "no such time zone: Mars" },
    { args: ["--since", "someday"], message: "not a time: someday" },
    { args: ["--blocks", "--by", "day"], message: "'--blocks' cannot be used with option '--by <what>'" },
    { args: ["--blocks", "--csv"], message: "'--blocks' cannot be used with option '--csv'" },
    { args: ["--json", "--csv"], message: "'--json' cannot be used with option '--csv'" },
    { args: ["--explain", "1a0a", "--since", "7d"], message: "cannot be used with option '--since <time>'" },
    { args: ["--statusline", "--json"], message: "'--statusline' cannot be used with option '--json'" },
  ])("$args", async ({ args, message }) => {
    const { stderr, exitCode } = await runCli(["stats", ...args], demo());
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  test("an index that cannot be written does not matter", async () => {
    const env = { CLAUDE_CONFIG_DIR: DEMO, TURNLOG_DATA_DIR: join(temporaryFolder({ file: "" }), "file", "data") };
    const { stdout, stderr, exitCode } = await runCli(["stats", "--by", "month"], env);
    expect(stdout).toContain("2026-11");
    expect(stderr).toContain("reading the session files instead");
    expect(exitCode).toBe(0);
  });

  test("without sessions it says where it looked", async () => {
    const home = temporaryFolder();
    const { stdout, stderr, exitCode } = await runCli(["stats"], { ...demo(), CLAUDE_CONFIG_DIR: home });
    expect([stdout, stderr, exitCode]).toEqual(["", `no sessions in ${home} (try --demo)\n`, 0]);
  });
});

describe("--statusline", () => {
  const SESSION = join(DEMO, "projects", "-home-dev-code-lantern-shop", "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl");
  const said = (more: object) => JSON.stringify({ session_id: "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b", ...more });

  test("tells model, cost and context of the session that the client names, without an index too", async () => {
    const stdin = said({ transcript_path: SESSION, model: { id: "claude-opus-5-5", display_name: "Opus 5.5" } });
    const { stdout } = await runCli(["stats", "--statusline"], demo(), { stdin });
    expect(stdout).toBe("opus 5.5 · $0.32 session · $0.00 today · 24.6k ctx\n");
  });

  test("says the same from the index, the session named by id alone", async () => {
    const env = demo();
    await runCli(["stats"], env);
    const { stdout } = await runCli(["stats", "--statusline"], env, { stdin: said({}) });
    expect(stdout).toBe("opus 5.5 · $0.32 session · $0.00 today · 24.6k ctx\n");
  });

  test("tells of today and of the block of now", async () => {
    const now = Date.now();
    const text = readFileSync(SESSION, "utf8").replace(
      /"timestamp":"[^"]*"/g,
      `"timestamp":"${new Date(now).toISOString()}"`,
    );
    const home = temporaryFolder({ "projects/-p/1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl": text });
    const { stdout } = await runCli(
      ["stats", "--statusline"],
      { ...demo(), CLAUDE_CONFIG_DIR: home },
      { stdin: said({}) },
    );
    expect(stdout).toMatch(
      /^opus 5\.5 · \$0\.32 session · \$0\.32 today · block \$0\.32 \((\dh )?\d+m left\) · [\d.]+k ctx\n$/,
    );
  });

  test.each([
    { name: "garbage on stdin", stdin: "{{{", args: [] },
    { name: "a session that is not there", stdin: JSON.stringify({ session_id: "nobody" }), args: [] },
    { name: "a folder that is not there", stdin: "", args: ["--config-dir", "/nowhere/at/all"] },
  ])("$name is no reason to fail", async ({ stdin, args }) => {
    const { stdout, stderr, exitCode } = await runCli(["stats", "--statusline", ...args], demo(), { stdin });
    expect(stdout).toMatch(/^(turnlog|\$0\.00 today)\n$/);
    expect([stderr, exitCode]).toEqual(["", 0]);
  });
});
