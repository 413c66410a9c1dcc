import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addHooks, hookCommand, removeHooks, removeOtherTracer } from "../../../src/trace/hook/claude-settings.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveSession } from "../live-session.js";
import { startReceiver } from "../receiver.js";
import { runBuilt } from "../run-built.js";

const KEYS = { LANGFUSE_PUBLIC_KEY: "pk-lf-1234", LANGFUSE_SECRET_KEY: "sk-lf-5678-very-secret" };
const OTHER = { matcher: "Bash", hooks: [{ type: "command", command: "notify-send done" }] };
const COMMAND = '"/usr/bin/node" "/opt/turnlog/dist/bin.js" hook';

interface World {
  readonly env: Record<string, string>;
  readonly data: string;
  readonly settings: string;
}

function world(settings?: object): World {
  const [config, data] = [temporaryFolder(), temporaryFolder()];
  const path = join(config, "settings.json");
  if (settings !== undefined) writeFileSync(path, JSON.stringify(settings, null, 4));
  return { env: { CLAUDE_CONFIG_DIR: config, TURNLOG_DATA_DIR: data }, data, settings: path };
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("the client's settings", () => {
  const settings = { model: "opus", hooks: { Stop: [OTHER], PreToolUse: [OTHER] }, env: { A: "1" } };

  test("get the hook at every event, beside the hooks of others", () => {
    const changed = addHooks(settings, COMMAND) as typeof settings & { hooks: Record<string, unknown[]> };
    expect(Object.keys(changed)).toEqual(["model", "hooks", "env"]);
    expect(changed.hooks.Stop).toEqual([OTHER, { hooks: [{ type: "command", command: COMMAND, timeout: 10 }] }]);
    expect(Object.keys(changed.hooks).toSorted()).toEqual(
      ["PreCompact", "PreToolUse", "SessionEnd", "SessionStart", "Stop", "SubagentStop"].toSorted(),
    );
  });

  test("are what they were after the hooks were added twice and removed", () => {
    expect(removeHooks(addHooks(addHooks(settings, COMMAND), COMMAND), COMMAND)).toEqual(settings);
    expect(removeHooks(addHooks({}, COMMAND), COMMAND)).toEqual({});
  });

  test("lose the hook of a turnlog in another place, not that of another program", () => {
    const hooks = ["turnlog hook", '"/old/node_modules/turnlog/dist/bin.js" hook', "node /opt/other/dist/bin.js hook"];
    const all = { hooks: { Stop: hooks.map((command) => ({ hooks: [{ type: "command", command }] })) } };
    expect(removeHooks(all, COMMAND)).toEqual({ hooks: { Stop: all.hooks.Stop.slice(2) } });
  });

  test("lose the hook of cc-langfuse alone", () => {
    const tracer = { hooks: [{ type: "command", command: "npx cc-langfuse" }, ...OTHER.hooks] };
    expect(removeOtherTracer({ hooks: { Stop: [tracer] } })).toEqual({ hooks: { Stop: [{ hooks: OTHER.hooks }] } });
  });

  test("name programs in a way that bash on Windows understands", () => {
    const command = hookCommand("C:\\Program Files\\nodejs\\node.exe", "C:\\Users\\me\\turnlog\\dist\\bin.js", "win32");
    expect(command).toBe('"C:/Program Files/nodejs/node.exe" "C:/Users/me/turnlog/dist/bin.js" hook');
  });
});

describe("trace install", () => {
  test("names no place of this machine in settings that a project shares, but in those of one person", async () => {
    const { env } = world();
    const [cwd, args] = [temporaryFolder(), ["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes"]];
    const { stderr } = await runBuilt([...args, "--scope", "project"], env, "", cwd);
    await runBuilt([...args, "--scope", "local"], env, "", cwd);
    const commandIn = (name: string) => readJson(join(cwd, ".claude", name)).hooks.Stop[0].hooks[0].command;
    expect(stderr).toContain("each needs `turnlog` on the PATH");
    expect(commandIn("settings.json")).toBe("turnlog hook");
    expect(commandIn("settings.local.json")).toContain("dist/bin.js");
  });

  test("shows the change, keeps a backup and the keys out of the settings", async () => {
    const { env, data, settings } = world({ model: "opus", hooks: { Stop: [OTHER] } });
    const { stdout, stderr, exitCode } = await runBuilt(["trace", "install", "--langfuse"], { ...env, ...KEYS }, "y\n");
    expect(exitCode).toBe(0);
    expect(stdout).toContain('+                        "type": "command"');
    expect(readFileSync(settings, "utf8")).toContain('bin.js\\" hook');
    expect(readFileSync(settings, "utf8")).toMatch(/^\{\n {4}"model"/);
    expect(readJson(join(data, "backup", readdirSync(join(data, "backup"))[0] ?? ""))).toEqual({
      model: "opus",
      hooks: { Stop: [OTHER] },
    });
    expect(`${readFileSync(settings)}${readFileSync(join(data, "config.json"))}${stdout}${stderr}`).not.toContain(
      "sk-lf",
    );
    expect(readJson(join(data, "trace-keys.json")).langfuse.secretKey).toBe(KEYS.LANGFUSE_SECRET_KEY);
    expect(statSync(join(data, "trace-keys.json")).mode & 0o777).toBe(0o600);
  });

  test("changes nothing without a yes", async () => {
    const { env, data, settings } = world({ model: "opus" });
    const { stderr } = await runBuilt(["trace", "install", "--otlp", "http://127.0.0.1:1"], env, "\n");
    expect(stderr).toContain("nothing was changed");
    expect(readJson(settings)).toEqual({ model: "opus" });
    expect(existsSync(join(data, "config.json"))).toBe(false);
  });

  test("asks for keys that nobody told, and refuses to go on without", async () => {
    const { env, data } = world();
    const none = await runBuilt(["trace", "install", "--langfuse", "--yes"], env);
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the Langfuse keys are missing") });
    const typed = await runBuilt(["trace", "install", "--langfuse", "--yes"], env, "pk-lf-a\nsk-lf-b\n");
    expect(typed.exitCode).toBe(0);
    expect(readJson(join(data, "trace-keys.json")).langfuse).toEqual({ publicKey: "pk-lf-a", secretKey: "sk-lf-b" });
  });

  test("can be taken back", async () => {
    const { env, data, settings } = world({ hooks: { Stop: [OTHER] } });
    await runBuilt(["trace", "install", "--langfuse", "--yes"], { ...env, ...KEYS });
    const { exitCode } = await runBuilt(["trace", "uninstall", "--yes"], env);
    expect(exitCode).toBe(0);
    expect(readJson(settings)).toEqual({ hooks: { Stop: [OTHER] } });
    expect(readJson(join(data, "trace-keys.json"))).toEqual({});
  });

  test("gives the keys and headers of one endpoint to no other", async () => {
    const { env, data } = world();
    const install = (...args: readonly string[]) => runBuilt(["trace", "install", ...args, "--yes"], env);
    const keys = () => readJson(join(data, "trace-keys.json"));
    await install("--otlp", "http://127.0.0.1:9", "--header", "authorization=one");
    await install("--otlp", "http://127.0.0.1:9", "--content", "none");
    expect(keys()).toEqual({ otlp: { headers: { authorization: "one" } } });
    await install("--otlp", "http://127.0.0.1:10");
    expect(keys()).toEqual({});
  });

  test("takes headers of the environment only with its endpoint", async () => {
    const { env, data } = world();
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=environment" };
    await runBuilt(["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes"], { ...env, ...headers });
    expect(readJson(join(data, "trace-keys.json"))).toEqual({});
    await runBuilt(["trace", "uninstall", "--yes"], env);
    const named = { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    await runBuilt(["trace", "install", "--yes"], { ...env, ...named });
    expect(readJson(join(data, "trace-keys.json"))).toEqual({ otlp: { headers: { authorization: "environment" } } });
  });

  test("without options keeps the installed target and its keys, whatever the environment names", async () => {
    const { env, data } = world();
    await runBuilt(["trace", "install", "--langfuse", "http://127.0.0.1:9", "--yes"], { ...env, ...KEYS });
    const application = { LANGFUSE_PUBLIC_KEY: "pk-application", LANGFUSE_SECRET_KEY: "sk-application" };
    await runBuilt(["trace", "install", "--yes"], { ...env, ...application });
    expect(readJson(join(data, "trace-keys.json")).langfuse.secretKey).toBe(KEYS.LANGFUSE_SECRET_KEY);
    expect(readJson(join(data, "config.json")).trace.targets).toMatchObject([{ endpoint: "http://127.0.0.1:9" }]);
  });

  test("leaves settings alone that are not JSON", async () => {
    const { env, settings } = world();
    writeFileSync(settings, "{ // mine\n}");
    const { exitCode, stderr } = await runBuilt(["trace", "install", "--otlp", "http://127.0.0.1:1", "--yes"], env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is not a JSON object");
    expect(readFileSync(settings, "utf8")).toBe("{ // mine\n}");
  });

  test("replaces cc-langfuse and does not send again what it has sent", async () => {
    const { env, settings } = world({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "npx cc-langfuse" }] }] },
    });
    const config = env["CLAUDE_CONFIG_DIR"] ?? "";
    const session = liveSession(join(config, "projects", "p"), "11111111-1111-4111-8111-111111111111");
    session.append([...session.nextTurn(0).lines, ...session.nextTurn(0).lines]);
    mkdirSync(join(config, "state"));
    const state = { "11111111-1111-4111-8111-111111111111": { last_line: 2, turn_count: 1, updated: "2026-01-01" } };
    writeFileSync(join(config, "state", "cc-langfuse_state.json"), JSON.stringify(state));
    const receiver = await startReceiver();
    const installed = await runBuilt(["trace", "install", "--langfuse", receiver.endpoint, "--yes"], {
      ...env,
      ...KEYS,
    });
    expect(installed.stderr).toContain("1 turn that cc-langfuse has sent");
    expect(readFileSync(settings, "utf8")).not.toContain("cc-langfuse");
    await runBuilt(["trace", "send", "--all"], env);
    expect(receiver.stored().map(({ name }) => name)).toEqual(["Turn 2", "claude-sonnet-4-5"]);
  });
});
