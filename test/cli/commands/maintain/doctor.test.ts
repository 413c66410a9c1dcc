import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/store/sqlite.js";
import { makePlace } from "../../../agent/chat-world.js";
import { fullStore } from "../../damaged-store.js";
import { PLANTED_ID } from "../../planted-library.js";
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

describe("of damage", () => {
  const stateOf = (stdout: string, name: string) =>
    (JSON.parse(stdout).checks as { name: string; state: string }[]).find((check) => check.name === name)?.state;

  test.each(["index.db", "user.db", "outbox.db"])("%s is found and mended", async (name) => {
    const { dataDir, env } = await fullStore();
    expect((await runCli(["doctor"], env)).exitCode).toBe(0);
    const bytes = readFileSync(join(dataDir, name));
    writeFileSync(join(dataDir, name), bytes.fill(0xa5, 100));
    const found = await runCli(["doctor", "--json"], env);
    expect(found.exitCode).toBe(1);
    expect(stateOf(found.stdout, name)).toBe("failed");
    const fixed = await runCli(["doctor", "--fix", "--json"], env);
    expect(fixed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`${name} was damaged`) });
    expect(await runCli(["doctor"], env)).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await runCli(["title", PLANTED_ID], env)).stdout).toBe("My own title\n");
  });

  test("a value with changed bytes is found, though SQLite finds nothing wrong", async () => {
    const { dataDir, env } = await fullStore();
    const database = openDatabase(join(dataDir, "index.db"));
    database.exec("UPDATE sessions SET summary = replace(summary, ',', ';')");
    database.close();
    expect((await runCli(["doctor"], env)).stdout).toMatch(/x +index\.db +damaged: \d+ rows of sessions are not/);
  });

  test.each(["config.json", "trace-keys.json"])("%s is named, with what to do", async (name) => {
    const { dataDir, env } = await fullStore();
    writeFileSync(join(dataDir, name), "{ no JSON", { mode: 0o600 });
    const run = await runCli(["doctor", "--json"], env);
    expect(run.exitCode).toBe(1);
    expect(stateOf(run.stdout, name)).toBe("failed");
  });

  test("manifests of the archive and the trash are named, and what they describe stays", async () => {
    const { dataDir, env } = await fullStore();
    await runCli(["archive", "on"], env);
    await runCli(["delete", PLANTED_ID, "--force"], env);
    const manifests = ["archive", "trash"].map((folder) => {
      const [entry = ""] = readdirSync(join(dataDir, folder));
      return join(dataDir, folder, entry, "manifest.json");
    });
    const [copy = "", deleted = ""] = manifests;
    writeFileSync(copy, "[]");
    rmSync(deleted);
    const before = readdirSync(dirname(deleted));
    const run = await runCli(["doctor", "--json"], env);
    expect([stateOf(run.stdout, "archive"), stateOf(run.stdout, "trash")]).toEqual(["failed", "failed"]);
    await runCli(["delete", "--list"], env);
    expect(readdirSync(dirname(deleted))).toEqual(before);
  });
});
