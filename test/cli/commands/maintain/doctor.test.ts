import { expect, test } from "vitest";
import { makePlace } from "../../../agent/chat-world.js";
import { runCli } from "../../run-cli.js";

const envOf = (place: ReturnType<typeof makePlace>) => ({
  CLAUDE_CONFIG_DIR: place.configRoot,
  TURNLOG_DATA_DIR: place.dataDir,
});

test("doctor tells what it found, without showing a key", async () => {
  const key = "sk-not-to-be-shown";
  const run = await runCli(["doctor"], { ...envOf(makePlace()), ANTHROPIC_API_KEY: key });
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain("ANTHROPIC_API_KEY is set");
  expect(run.stdout).toMatch(/ripgrep +ripgrep \d+/);
  expect(run.stdout).not.toContain(key);
});

test("what cannot work fails, and says what to do", async () => {
  const run = await runCli(["doctor", "--json"], {
    ...envOf(makePlace()),
    ANTHROPIC_BASE_URL: "nowhere",
    ANTHROPIC_API_KEY: "",
  });
  expect(run.exitCode).toBe(1);
  const { checks } = JSON.parse(run.stdout);
  expect(checks).toContainEqual(expect.objectContaining({ name: "API", state: "failed", hint: expect.any(String) }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "key", state: "warning" }));
});
