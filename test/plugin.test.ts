import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test, vi } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { dataDir } from "../src/store/data-dir.js";
import { addHooks, removeHooks } from "../src/trace/hook/claude-settings.js";
import { BUDGET_EVENTS } from "../src/trace/hook/spool.js";
import { isOwnHook } from "../src/trace/observe/own-hook.js";
import { connectAgent } from "./cli/mcp-client.js";
import { runCli } from "./cli/run-cli.js";
import { temporaryFolder } from "./format/temporary-folder.js";
import { liveSession } from "./trace/live-session.js";
import { startReceiver } from "./trace/receiver.js";
import { runBuilt } from "./trace/run-built.js";

const ROOT = resolve(import.meta.dirname, "..");
const PLUGIN = join(ROOT, "plugin");
const SCRIPT = join(PLUGIN, "hooks", "turnlog-hook.sh");
const ID = "11111111-1111-4111-8111-111111111111";
const readJson = (...path: readonly string[]) => JSON.parse(readFileSync(join(ROOT, ...path), "utf8"));
const hookEvents = () =>
  readJson("plugin/hooks/hooks.json").hooks as Record<string, { hooks: { command: string }[] }[]>;

describe("the plugin", () => {
  test("has the version of the package, and the marketplace leads to it", () => {
    const { plugins, name } = readJson(".claude-plugin/marketplace.json");
    expect(readJson("plugin/.claude-plugin/plugin.json")).toMatchObject({ name: "turnlog", version: manifest.version });
    expect([name, plugins.length, plugins[0].name, plugins[0].source]).toEqual(["turnlog", 1, "turnlog", "./plugin"]);
    expect(existsSync(join(ROOT, plugins[0].source, ".claude-plugin", "plugin.json"))).toBe(true);
  });

  test("has a hook at each event of traces and budgets, which turnlog knows as its own", () => {
    const ofTraces = Object.keys(JSON.parse(addHooks("{}", "turnlog hook")).hooks);
    expect(Object.keys(hookEvents()).sort()).toEqual([...ofTraces, ...BUDGET_EVENTS].sort());
    const commands = Object.values(hookEvents()).flatMap((all) => all.flatMap(({ hooks }) => hooks));
    expect(commands.filter(({ command }) => !isOwnHook(command))).toEqual([]);
  });

  test("names only tools that the MCP server has", async () => {
    const { client } = await connectAgent({ demo: true });
    const { tools } = await client.listTools();
    const texts = ["skills/past-sessions/SKILL.md", "commands/search.md", "commands/handoff.md"];
    const named = texts.flatMap((path) => readFileSync(join(PLUGIN, path), "utf8").match(/`[a-z]+_[a-z]+`/g) ?? []);
    const known = tools.map(({ name }) => `\`${name}\``);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(readJson("plugin/.mcp.json").mcpServers.turnlog).toEqual({ command: "turnlog", args: ["mcp"] });
  });
});

describe.skipIf(process.platform === "win32")("its hook", () => {
  const SYSTEM = "/usr/bin:/bin";

  function run(args: readonly string[], env: Record<string, string>) {
    const { status, stdout, stderr } = spawnSync("sh", [SCRIPT, ...args], { env, input: "{}", encoding: "utf8" });
    return { status, stdout, stderr };
  }

  /** A folder with a turnlog that says how it was called. */
  function programs(): string {
    const folder = temporaryFolder({ turnlog: '#!/bin/sh\necho "called: $*"; cat\n' });
    chmodSync(join(folder, "turnlog"), 0o755);
    return `${folder}:${SYSTEM}`;
  }

  test("does nothing where turnlog is not on the PATH, and says so when a session starts", () => {
    expect(run([], { PATH: SYSTEM })).toEqual({ status: 0, stdout: "", stderr: "" });
    const { status, stdout } = run(["start"], { PATH: SYSTEM });
    expect([status, JSON.parse(stdout)]).toEqual([0, { systemMessage: expect.stringContaining("not on the PATH") }]);
  });

  test("passes the event to turnlog, and one for budgets only where there may be some", () => {
    const HOME = temporaryFolder();
    const env = { PATH: programs(), HOME };
    const called = "called: hook --plugin\n{}";
    expect(run([], env).stdout).toBe(called);
    expect(run(["budget"], env).stdout).toBe(called); // nothing is known yet
    const data = dataDir({ HOME }, process.platform, HOME);
    mkdirSync(data, { recursive: true });
    expect(run(["budget"], env).stdout).toBe("");
    writeFileSync(join(data, "config.json"), JSON.stringify({ budgets: [{ usd: 1, per: "day" }] }));
    expect(run(["budget"], env).stdout).toBe(called);
    writeFileSync(join(data, "config.json"), JSON.stringify({ trace: {} }));
    expect(run(["budget"], env).stdout).toBe("");
    expect(run(["start"], env).stdout).toBe(called);
  });
});

describe("beside a hook in Claude Code's settings", () => {
  const input = (event: string, transcript = "/nowhere.jsonl", more: object = {}) =>
    JSON.stringify({ session_id: ID, hook_event_name: event, transcript_path: transcript, ...more });

  const withTarget = (endpoint = "http://127.0.0.1:9") => ({
    "config.json": JSON.stringify({ trace: { targets: [{ name: "t", kind: "otlp", endpoint }] } }),
  });

  const spooled = (data: string) => (existsSync(join(data, "spool")) ? readdirSync(join(data, "spool")).length : 0);

  test("the plugin sends nothing a second time", async () => {
    const receiver = await startReceiver();
    const data = temporaryFolder(withTarget(receiver.endpoint));
    const config = temporaryFolder({ "settings.json": addHooks("{}", '"node" "/opt/turnlog/dist/bin.js" hook') });
    const env = { TURNLOG_DATA_DIR: data, CLAUDE_CONFIG_DIR: config };
    const session = liveSession(temporaryFolder(), ID);
    const { lines, lastWords } = session.nextTurn(1);
    session.append(lines);
    const event = input("Stop", session.path, { last_assistant_message: lastWords });
    const silent = await runCli(["hook", "--plugin"], env, { stdin: event });
    expect([silent.stdout, spooled(data)]).toEqual(["", 0]);
    await Promise.all([runBuilt(["hook"], env, event), runBuilt(["hook", "--plugin"], env, event)]);
    const names = () => receiver.stored().map(({ name }) => name);
    await vi.waitFor(() => expect(names()).toContain("Turn 1"), { timeout: 30_000, interval: 100 });
    await vi.waitFor(() => expect(spooled(data)).toBe(0), { timeout: 20_000 });
    expect(names().filter((name) => name === "Turn 1")).toHaveLength(1);
  });

  test.each([
    ["the user's settings", {}, 0],
    ["settings of the project", { project: "settings.json" }, 0],
    ["your settings of the project", { project: "settings.local.json" }, 0],
    ["settings without one", { command: "notify-send done" }, 1],
    ["settings with one at another event", { event: "Stop" }, 1],
  ])(
    "it looks at %s",
    async (_, {
      project,
      command = "turnlog hook",
      event,
    }: { project?: string; command?: string; event?: string }, taken) => {
      const [data, cwd] = [temporaryFolder(withTarget()), temporaryFolder()];
      const at = event ?? "SessionEnd";
      const settings = JSON.stringify({ hooks: { [at]: [{ hooks: [{ type: "command", command }] }] } });
      const config = temporaryFolder(project === undefined ? { "settings.json": settings } : {});
      mkdirSync(join(cwd, ".claude"));
      if (project !== undefined) writeFileSync(join(cwd, ".claude", project), settings);
      const { isForPlugin } = await import("../src/cli/commands/trace/plugin-hook.js");
      const { captureWorld } = await import("./cli/run-cli.js");
      const { io } = captureWorld({ TURNLOG_DATA_DIR: data, CLAUDE_CONFIG_DIR: config });
      expect(Number(isForPlugin(input("SessionEnd", "/nowhere.jsonl", { cwd }), io))).toBe(taken);
    },
  );

  test("it does nothing without a target, and asks for budgets without one", async () => {
    const { isForPlugin } = await import("../src/cli/commands/trace/plugin-hook.js");
    const { captureWorld } = await import("./cli/run-cli.js");
    const { io } = captureWorld({ TURNLOG_DATA_DIR: temporaryFolder(), CLAUDE_CONFIG_DIR: temporaryFolder() });
    expect([isForPlugin(input("Stop"), io), isForPlugin(input("PreToolUse"), io)]).toEqual([false, true]);
  });

  test("`trace install` says that the plugin is there, and uninstalling leaves the plugin alone", async () => {
    const settings = '{"enabledPlugins":{"turnlog@turnlog":true}}';
    const config = temporaryFolder({ "settings.json": settings });
    const env = { TURNLOG_DATA_DIR: temporaryFolder(), CLAUDE_CONFIG_DIR: config };
    const args = ["--otlp", "http://127.0.0.1:9", "--no-check", "--yes"];
    const { stderr, exitCode } = await runCli(["trace", "install", ...args], env, { cwd: temporaryFolder() });
    const after = readFileSync(join(config, "settings.json"), "utf8");
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("its hook stays silent")]);
    expect(removeHooks(after, "turnlog hook")).toContain('"turnlog@turnlog":true');
  });
});
