import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  addHooks,
  findOtherTracers,
  hookCommand,
  removeHooks,
  removeTracer,
} from "../../../src/trace/hook/claude-settings.js";
import { runCli } from "../../cli/run-cli.js";
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
  const textOf = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

  test("get the hook at every event, beside the hooks of others", () => {
    const changed = JSON.parse(addHooks(textOf(settings), COMMAND));
    expect(Object.keys(changed)).toEqual(["model", "hooks", "env"]);
    expect(changed.hooks.Stop).toEqual([OTHER, { hooks: [{ type: "command", command: COMMAND, timeout: 10 }] }]);
    expect(Object.keys(changed.hooks).toSorted()).toEqual(
      ["PreCompact", "PreToolUse", "SessionEnd", "SessionStart", "Stop", "SubagentStop"].toSorted(),
    );
  });

  const COMMENTED = `{
\t// mine, since "2024"
\t"model": "opus", /* big */ "env": { "A": "1",   },
\t"hooks": {
\t\t// says when it is done
\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "notify-send done" } ] } ], // one
\t},
}
`;

  test.each([
    ["as Claude Code writes them", textOf(settings)],
    ["with comments and odd spaces", COMMENTED],
    ["in one line", '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}'],
    ["with Windows line ends", textOf(settings).replaceAll("\n", "\r\n")],
    ["with a byte order mark", `\uFEFF${textOf(settings)}`],
    ["empty", "{}\n"],
  ])("%s are byte for byte what they were after the hooks were added twice and removed", (_, text) => {
    const added = addHooks(text, COMMAND);
    expect(addHooks(added, COMMAND)).toBe(added);
    expect(added).toContain("PreCompact");
    expect(removeHooks(added, COMMAND)).toBe(text);
  });

  test("keep every line but the new ones", () => {
    const lines = addHooks(COMMENTED, COMMAND).split("\n");
    const missing = COMMENTED.split("\n").filter((line) => !lines.includes(line));
    // The line to which the hook was added, and the one that now ends in a comma.
    expect(missing.map((line) => line.trim())).toEqual([expect.stringContaining('"Stop"')]);
  });

  test("lose the hook of a turnlog in another place, not that of another program", () => {
    const hooks = ["turnlog hook", '"/old/node_modules/turnlog/dist/bin.js" hook', "node /opt/other/dist/bin.js hook"];
    const all = { hooks: { Stop: hooks.map((command) => ({ hooks: [{ type: "command", command }] })) } };
    expect(JSON.parse(removeHooks(textOf(all), COMMAND))).toEqual({ hooks: { Stop: all.hooks.Stop.slice(2) } });
  });

  test.each([
    ["cc-langfuse", "npx cc-langfuse"],
    ["langfuse", "uv run ~/.claude/hooks/langfuse_hook.py"],
    ["langsmith", "bash ~/.claude/hooks/langsmith-stop.sh"],
  ])("show and lose the hook of %s alone", (name, command) => {
    const tracer = { hooks: [{ type: "command", command }, ...OTHER.hooks] };
    const text = textOf({ hooks: { Stop: [tracer] } });
    const found = findOtherTracers(text);
    expect(found.map((it) => it.name)).toEqual([name]);
    expect(found.map((it) => JSON.parse(removeTracer(text, it)))).toEqual([
      { hooks: { Stop: [{ hooks: OTHER.hooks }] } },
    ]);
  });

  test("show and lose the hook that stands where a matcher should, as the README of cc-langfuse has it", () => {
    const hook = { type: "command", command: "pnpm dlx github:elct9620/cc-langfuse" };
    const text = textOf({ hooks: { Stop: [hook, OTHER] } });
    const found = findOtherTracers(text);
    expect(found.map((it) => it.name)).toEqual(["cc-langfuse"]);
    expect(found.map((it) => JSON.parse(removeTracer(text, it)))).toEqual([{ hooks: { Stop: [OTHER] } }]);
    expect(found.map((it) => removeTracer(textOf({ hooks: { Stop: [hook] } }), it).trim())).toEqual(["{}"]);
  });

  // As the READMEs of these plugins and the listings of marketplaces name them.
  test.each([
    ["langfuse", "langfuse-observability@langfuse-observability"],
    ["langfuse", "langfuse@langfuse-observability"],
    ["langfuse", "langfuse-observability@claude-plugins-official"],
    ["langsmith", "langsmith-tracing@langsmith-claude-code-plugins"],
  ])("show the plugin of %s, %s, and have it disabled", (name, plugin) => {
    const text = textOf({ enabledPlugins: { "other@market": true, [plugin]: true } });
    const found = findOtherTracers(text);
    expect(found.map((it) => it.name)).toEqual([name]);
    expect(found.map((it) => removeTracer(text, it))).toEqual([
      text.replace(`"${plugin}": true`, `"${plugin}": false`),
    ]);
    expect(findOtherTracers(text.replaceAll("true", "false"))).toEqual([]);
  });

  test("show a plugin that is kept at a version", () => {
    const text = textOf({ enabledPlugins: { "langfuse-observability@claude-plugins-official": ["1.2.0"] } });
    const found = findOtherTracers(text);
    expect(found.map((it) => JSON.parse(removeTracer(text, it)))).toEqual([
      { enabledPlugins: { "langfuse-observability@claude-plugins-official": false } },
    ]);
  });

  test("of which the plugins are skills or a proxy show no tracer", () => {
    const plugins = [
      ...["langfuse@claude-plugins-official", "langfuse@langfuse", "langsmith-skills@langsmith-skills"],
      "langsmith-gateway@langsmith-claude-code-plugins",
    ];
    const text = textOf({ enabledPlugins: Object.fromEntries(plugins.map((plugin) => [plugin, true])) });
    expect(findOtherTracers(text)).toEqual([]);
  });

  test("name programs in a way that bash on Windows understands", () => {
    const command = hookCommand("C:\\Program Files\\nodejs\\node.exe", "C:\\Users\\me\\turnlog\\dist\\bin.js", "win32");
    expect(command).toBe('"C:/Program Files/nodejs/node.exe" "C:/Users/me/turnlog/dist/bin.js" hook');
  });
});

describe("trace install", () => {
  test("names no place of this machine in settings that a project shares, but in those of one person", async () => {
    const { env } = world();
    const [cwd, args] = [
      temporaryFolder(),
      ["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes", "--no-check"],
    ];
    const { stderr } = await runBuilt([...args, "--scope", "project"], env, "", cwd);
    await runBuilt([...args, "--scope", "local"], env, "", cwd);
    const commandIn = (name: string) => readJson(join(cwd, ".claude", name)).hooks.Stop[0].hooks[0].command;
    expect(stderr).toContain("each needs `turnlog` on the PATH");
    expect(commandIn("settings.json")).toBe("turnlog hook");
    expect(commandIn("settings.local.json")).toContain("dist/bin.js");
  });

  test("shows the change, keeps a backup and the keys out of the settings", async () => {
    const { env, data, settings } = world({ model: "opus", hooks: { Stop: [OTHER] } });
    const { stdout, stderr, exitCode } = await runBuilt(
      ["trace", "install", "--from-env", "--no-check"],
      { ...env, ...KEYS },
      "y\n",
    );
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
    const { stderr } = await runBuilt(["trace", "install", "--otlp", "http://127.0.0.1:1", "--no-check"], env, "\n");
    expect(stderr).toContain("nothing was changed");
    expect(readJson(settings)).toEqual({ model: "opus" });
    expect(existsSync(join(data, "config.json"))).toBe(false);
  });

  test("asks for keys that nobody told, and refuses to go on without", async () => {
    const { env, data } = world();
    const args = ["trace", "install", "--langfuse", "--yes", "--no-check"];
    const none = await runBuilt(args, { ...env, ...KEYS });
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the Langfuse keys are missing") });
    const typed = await runBuilt(args, env, "pk-lf-a\nsk-lf-b\n");
    expect(typed.exitCode).toBe(0);
    expect(readJson(join(data, "trace-keys.json")).langfuse).toEqual({ publicKey: "pk-lf-a", secretKey: "sk-lf-b" });
  });

  test("can be taken back", async () => {
    const { env, data, settings } = world({ hooks: { Stop: [OTHER] } });
    await runBuilt(["trace", "install", "--from-env", "--yes", "--no-check"], { ...env, ...KEYS });
    const { exitCode } = await runBuilt(["trace", "uninstall", "--yes"], env);
    expect(exitCode).toBe(0);
    expect(readJson(settings)).toEqual({ hooks: { Stop: [OTHER] } });
    expect(readJson(join(data, "trace-keys.json"))).toEqual({});
  });

  test("gives the keys and headers of one endpoint to no other", async () => {
    const { env, data } = world();
    const install = (...args: readonly string[]) => runBuilt(["trace", "install", ...args, "--yes", "--no-check"], env);
    const keys = () => readJson(join(data, "trace-keys.json"));
    await install("--otlp", "http://127.0.0.1:9", "--header", "authorization=one");
    await install("--otlp", "http://127.0.0.1:9", "--content", "none");
    expect(keys()).toEqual({ otlp: { headers: { authorization: "one" } } });
    await install("--otlp", "http://127.0.0.1:10");
    expect(keys()).toEqual({});
  });

  test("takes what the environment describes only when it is told to, and stores all of it", async () => {
    const { env, data } = world();
    const described = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=environment",
      OTEL_SERVICE_NAME: "my-service",
      OTEL_RESOURCE_ATTRIBUTES: "team=web,deployment.environment.name=ci",
    };
    const install = (...args: string[]) =>
      runBuilt(["trace", "install", ...args, "--yes", "--no-check"], { ...env, ...described });
    expect(await install()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--from-env") });
    await install("--from-env");
    expect(readJson(join(data, "trace-keys.json"))).toEqual({ otlp: { headers: { authorization: "environment" } } });
    expect(readJson(join(data, "config.json")).trace.targets).toEqual([
      {
        name: "otlp",
        kind: "otlp",
        endpoint: "http://127.0.0.1:9",
        serviceName: "my-service",
        resource: { team: "web", "deployment.environment.name": "ci" },
      },
    ]);
  });

  test.each([
    [["--from-env"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    [["--otlp", "http://127.0.0.1:4317", "--protocol", "grpc"], {}],
    [["--otlp", "grpc://127.0.0.1:4317"], {}],
  ])("refuses gRPC: %j", async (args, variables) => {
    const { env } = world();
    const { exitCode, stderr } = await runBuilt(["trace", "install", ...args, "--yes"], { ...env, ...variables });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^turnlog: [^\n]+does not speak gRPC\n {2}use [^\n]+4318[^\n]+\n$/);
  });

  const TOKEN = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";

  test.each([
    ["the address", ["--otlp", `http://127.0.0.1:9/in?api_key=${TOKEN}`], {}],
    ["--user", ["--user", TOKEN], {}],
    ["--metadata", ["--metadata", `ticket=${TOKEN}`], {}],
    ["--service-name", ["--service-name", TOKEN], {}],
    ["--environment", ["--environment", TOKEN], {}],
    ["--release", ["--release", TOKEN], {}],
    ["--resource", ["--from-env", "otlp"], { OTEL_RESOURCE_ATTRIBUTES: `deploy.key=${TOKEN}` }],
  ])("stores no secret that %s holds, which every turn would send", async (what, args, variables) => {
    const { env, data, settings } = world();
    const more = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", ...variables };
    const target = args.includes("--from-env") ? [] : ["--otlp", "http://127.0.0.1:9"];
    const { exitCode, stderr } = await runCli(
      ["trace", "install", ...target, ...args, "--header", `authorization=${TOKEN}`, "--yes", "--no-check"],
      more,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`${what} holds a secret`) });
    expect(stderr).not.toContain(TOKEN);
    expect([existsSync(settings), existsSync(join(data, "config.json"))]).toEqual([false, false]);
  });

  test("without options keeps the installed target and its keys, whatever the environment names", async () => {
    const { env, data } = world();
    const variables = { ...KEYS, LANGFUSE_BASE_URL: "http://127.0.0.1:9" };
    await runBuilt(["trace", "install", "--from-env", "--yes", "--no-check"], { ...env, ...variables });
    const application = { LANGFUSE_PUBLIC_KEY: "pk-application", LANGFUSE_SECRET_KEY: "sk-application" };
    await runBuilt(["trace", "install", "--yes", "--no-check"], { ...env, ...application });
    expect(readJson(join(data, "trace-keys.json")).langfuse.secretKey).toBe(KEYS.LANGFUSE_SECRET_KEY);
    expect(readJson(join(data, "config.json")).trace.targets).toMatchObject([{ endpoint: "http://127.0.0.1:9" }]);
  });

  test("leaves settings alone that are not JSON", async () => {
    const { env, settings } = world();
    writeFileSync(settings, "{ // mine\n");
    const { exitCode, stderr } = await runBuilt(["trace", "install", "--otlp", "http://127.0.0.1:1", "--yes"], env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is not a JSON object");
    expect(readFileSync(settings, "utf8")).toBe("{ // mine\n");
  });

  test("tells of plugins that trace, in the settings of every scope, and switches off the named one alone", async () => {
    const langsmith = "langsmith-tracing@langsmith-claude-code-plugins";
    const { env, settings } = world({
      model: "opus",
      extraKnownMarketplaces: { "langsmith-claude-code-plugins": { source: { source: "github", repo: "a/b" } } },
      enabledPlugins: { "langfuse@claude-plugins-official": true, [langsmith]: true },
    });
    const local = {
      env: { TRACE_TO_LANGSMITH: "true", CC_LANGSMITH_PROJECT: "shop" },
      enabledPlugins: { "langfuse-observability@langfuse-observability": true },
    };
    const cwd = temporaryFolder({ ".claude/settings.local.json": JSON.stringify(local) });
    const place = join(cwd, ".claude", "settings.local.json");
    const args = ["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes", "--no-check"];
    const beside = await runCli(args, env, { cwd });
    expect(beside.stderr).toContain("langsmith is installed, too: it sends every turn a second time");
    expect(beside.stderr).toContain(`langfuse is installed in ${place}, too: it sends every turn a second time`);
    expect(beside.stderr.match(/is installed/g)).toHaveLength(2);
    expect(readJson(settings).enabledPlugins[langsmith]).toBe(true);
    const replaced = await runCli([...args, "--replace", "langsmith"], env, { cwd });
    expect(replaced.stderr).not.toContain("langsmith is installed");
    expect(readJson(settings).enabledPlugins).toEqual({ "langfuse@claude-plugins-official": true, [langsmith]: false });
    expect(readFileSync(place, "utf8")).toBe(JSON.stringify(local));
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
    const variables = { ...env, ...KEYS, LANGFUSE_BASE_URL: receiver.endpoint };
    const args = ["trace", "install", "--from-env", "--yes", "--no-check"];
    const beside = await runBuilt(args, variables);
    expect(beside.stderr).toContain("it sends every turn a second time");
    expect(readFileSync(settings, "utf8")).toContain("npx cc-langfuse");
    const installed = await runBuilt([...args, "--replace", "cc-langfuse"], variables);
    expect(installed.stderr).toContain("1 turn that cc-langfuse has sent");
    expect(readFileSync(settings, "utf8")).not.toContain("cc-langfuse");
    await runBuilt(["trace", "send", "--all"], env);
    expect(receiver.stored().map(({ name }) => name)).toEqual(["Turn 2", "claude-sonnet-4-5"]);
  });
});
