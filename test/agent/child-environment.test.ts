import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { childEnvironment } from "../../src/agent/child-environment.js";
import { call, callAll, callsOf } from "./call-all.js";
import { makePlace, startChat } from "./chat-world.js";
import { startMockApi } from "./mock-api.js";
import { onlySession, runChat } from "./spawn-chat.js";

const SECRETS = {
  ANTHROPIC_API_KEY: "model-secret-1",
  ANTHROPIC_AUTH_TOKEN: "model-secret-2",
  ANTHROPIC_CUSTOM_HEADERS: "x-key: model-secret-3",
  ANTHROPIC_FOUNDRY_API_KEY: "model-secret-4",
  CLAUDE_CODE_OAUTH_TOKEN: "model-secret-5",
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "model-secret-6",
  MY_COPY_OF_IT: "Bearer model-secret-1",
};
const TRACE_SECRETS = {
  LANGFUSE_SECRET_KEY: "trace-secret-1",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=trace-secret-2",
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=trace-secret-3",
};
const HARMLESS = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "32000", ANTHROPIC_MODEL: "opus", GH_TOKEN: "of another program" };

function stub(): void {
  for (const [name, value] of Object.entries({ ...SECRETS, ...TRACE_SECRETS, ...HARMLESS })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const PRINT_ALL = "(env; cat /proc/self/environ | tr '\\0' '\\n')";

test("a command inherits no secret of turnlog, neither by name nor by value, in the foreground or background", async () => {
  stub();
  const world = await callAll([
    call("Bash", { command: PRINT_ALL }),
    call("Bash", { command: `${PRINT_ALL} > back.txt`, run_in_background: true }),
    call("Bash", { command: "sleep 0.5; cat back.txt" }),
  ]);
  const seen = callsOf(world).map(({ result }) => result ?? "");
  expect([seen[0], seen[2]]).toEqual(Array(2).fill(expect.stringContaining("GH_TOKEN=of another program")));
  expect(seen.join()).not.toMatch(/model-secret|trace-secret/);
});

test("a hook inherits what opens traces, but nothing that opens the model", async () => {
  stub();
  const place = makePlace();
  mkdirSync(place.configRoot);
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: `${PRINT_ALL} > hook.txt` }] }] };
  writeFileSync(join(place.configRoot, "settings.json"), JSON.stringify({ hooks }));
  const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place }, { hooks: "user" });
  await world.send("hi");
  const seen = readFileSync(join(place.project, "hook.txt"), "utf8");
  expect(seen).toContain("LANGFUSE_SECRET_KEY=trace-secret-1");
  expect(seen).not.toContain("model-secret");
});

test("variables that only look like secrets stay, and so do those of the settings", () => {
  stub();
  const env = childEnvironment("command", { MODE: "test", ANTHROPIC_API_KEY: "of the settings" });
  expect(env).toMatchObject({ ...HARMLESS, MODE: "test" });
  expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
});

test("in the sandbox there are no secrets of any program, whatever their names look like", () => {
  const names = [
    "PGPASSWORD",
    "APIKEY",
    "MYSQL_PWD",
    "SMTP_PASS",
    "SECRET_KEY_BASE",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_PAT",
  ];
  for (const name of names) vi.stubEnv(name, "of another program");
  vi.stubEnv("DATABASE_URL", "postgres://ann:word@localhost/db");
  vi.stubEnv("SITE_URL", "https://example.com/a@b:c");
  vi.stubEnv("OLDPWD", "/tmp");
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = childEnvironment("sandbox");
  expect([...names, "DATABASE_URL"].filter((name) => name in env)).toEqual([]);
  expect(env).toMatchObject({ SITE_URL: "https://example.com/a@b:c", OLDPWD: "/tmp", PATH: process.env["PATH"] });
  expect(childEnvironment("command")).toMatchObject({ PGPASSWORD: "of another program" });
});

test("a command finds no key in the environment that turnlog was started with, and the key still opens the model", async () => {
  const look = "for pid in $PPID $(cut -d ' ' -f 4 /proc/$PPID/stat); do tr '\\0' '\\n' < /proc/$pid/environ; done\n";
  const place = makePlace({ "look.sh": look });
  const api = await startMockApi(({ messages }) =>
    messages.length === 1
      ? { blocks: [{ call: "Bash", input: { command: "bash look.sh" } }] }
      : { blocks: [{ text: "Done." }] },
  );
  onTestFinished(() => api.close());
  const run = await runChat(["-p", "look", "--permission-mode", "bypassPermissions"], place, api);
  expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Done.") });
  const seen = JSON.stringify(onlySession(place).lines);
  expect(seen).toContain("ANTHROPIC_API_KEY=");
  expect(seen).toContain(`ANTHROPIC_BASE_URL=${api.url}`);
  expect(seen).not.toContain("test-key");
});
