import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { lockIndex } from "../../../../src/library/sync/sync-index.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const PROMPT = `${JSON.stringify({ type: "user", uuid: "u1", message: { role: "user", content: "hello" } })}\n`;
let env: { CLAUDE_CONFIG_DIR: string; TURNLOG_DATA_DIR: string };

beforeEach(() => {
  const root = temporaryFolder({ [`projects/-p/${ID}.jsonl`]: PROMPT });
  env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
});

async function run(...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCli(["index", ...args], env);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout;
}

test("sync tells what changed", async () => {
  const path = join(env.CLAUDE_CONFIG_DIR, "projects", "-p", `${ID}.jsonl`);
  expect(await run("sync")).toMatch(/^1 file added, 0 changed, 0 moved, 0 removed \(/);
  expect(await run("sync")).toMatch(/^0 files added, 0 changed, 0 moved, 0 removed \(/);
  appendFileSync(path, PROMPT.replace("u1", "u2"));
  expect(await run("sync")).toMatch(/^0 files added, 1 changed, 0 moved, 0 removed \(/);
  rmSync(path);
  expect(await run("sync")).toMatch(/^0 files added, 0 changed, 0 moved, 1 removed \(/);
});

test("status tells what the index holds, what is missing and what it could not read, and changes nothing", async () => {
  expect(await run("status")).toMatch(/^not indexed yet: \d+ B of sessions .*\n0 sessions and 0 sub-agents, 0 texts\n/);
  await run("sync");
  expect(await run("status")).toMatch(
    /^1 session and 0 sub-agents, 1 text\n.* for .* of sessions \(\w+ SQLite\)\n\/.*index\.db\n$/,
  );
  const odd = join(env.CLAUDE_CONFIG_DIR, "projects", "-p", `${ID.replace("5b", "6b")}.jsonl`);
  mkdirSync(odd);
  expect(await run()).toContain(`1 file could not be read, or only in part:\n  ${odd}: not a file\n`);
});

test("status and sync as JSON", async () => {
  const synced = JSON.parse(await run("sync", "--json"));
  expect(synced).toEqual({
    path: join(env.TURNLOG_DATA_DIR, "index.db"),
    engine: expect.stringMatching(/^(node|libsql)$/),
    sizeBytes: expect.any(Number),
    sessions: 1,
    subagents: 0,
    texts: 1,
    sourceBytes: PROMPT.length,
    textBytes: PROMPT.length,
    problems: [],
    sync: { added: 1, changed: 0, moved: 0, removed: 0, withoutTranscript: 0 },
    background: null,
  });
  const sizeBytes = expect.any(Number);
  const missing = { catalog: 0, texts: 0 };
  expect(JSON.parse(await run("status", "--json"))).toEqual({ ...synced, sizeBytes, sync: null, missing });
});

test("rebuild begins from scratch", async () => {
  await run("sync");
  expect(JSON.parse(await run("rebuild", "--json")).sync.added).toBe(1);
});

test("an unknown action is bad usage", async () => {
  const { stderr, exitCode } = await runCli(["index", "burn"], env);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("unknown action: burn");
});

test("where there can be no index, that is an error here", async () => {
  symlinkSync("/nowhere/index.db", join(env.TURNLOG_DATA_DIR, "index.db"));
  const { stderr, exitCode } = await runCli(["index", "sync"], env);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("`turnlog index rebuild` creates a new index");
});

test.each([
  [],
  ["--json"],
  ["--errors"],
  ["--project", "lantern", "--limit", "2"],
  ["--tool", "task", "--json"],
  ["--all"],
])("list is the same with and without the index: %j", async (...options) => {
  const demo = { ...env, CLAUDE_CONFIG_DIR: DEMO };
  const expected = await runCli(["list", ...options, "--no-index"], demo);
  expect(await runCli(["list", ...options], demo)).toEqual(expected);
  expect(await runCli(["list", ...options], demo)).toEqual(expected);
});

test("rebuild leaves an index alone that another process fills", async () => {
  await run("sync");
  const lock = lockIndex(env.TURNLOG_DATA_DIR);
  const { stderr, exitCode } = await runCli(["index", "rebuild"], env);
  lock?.release();
  expect({ stderr, exitCode }).toEqual({
    stderr: "turnlog: another turnlog is indexing\n  try again when it is done\n",
    exitCode: 1,
  });
  expect(await run("sync")).toMatch(/^0 files added, 0 changed/);
});

test("status names the files with lines that cannot be read", async () => {
  const path = join(env.CLAUDE_CONFIG_DIR, "projects", "-p", `${ID}.jsonl`);
  appendFileSync(path, "not json\n{half\n");
  await run("sync");
  expect(await run("status")).toContain(`  ${path}: broken lines: 2\n`);
});
