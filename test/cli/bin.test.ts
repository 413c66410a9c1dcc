import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CORPUS } from "../oracle/corpus-sessions.js";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
/** More than a pipe holds, in any view. */
const LARGE = join(CORPUS, "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl");

function start(args: readonly string[]) {
  return spawn(process.execPath, [BIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

async function runBin(args: readonly string[]) {
  const child = start(args);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { stdout, stderr, exitCode };
}

/** As `head` does it. */
async function readOnlyTheStart(args: readonly string[]) {
  const child = start(args);
  child.stdout.once("data", () => child.stdout.destroy());
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { stderr, exitCode };
}

test.each([
  { args: ["show", LARGE, "--json"] },
  { args: ["show", LARGE, "--events", "--json"] },
  { args: ["export", LARGE, "--format", "jsonl"] },
])("a reader that stops early is no error: $args", async ({ args }) => {
  expect(await readOnlyTheStart(args)).toEqual({ exitCode: 0, stderr: "" });
});

test
  .skipIf(process.platform !== "linux")
  .each([
    { args: ["show", LARGE] },
    { args: ["show", LARGE, "--json"] },
    { args: ["export", LARGE, "--format", "jsonl"] },
    { args: ["--version"] },
  ])("a full disk is one line and exit code 1: $args", ({ args }) => {
  const full = openSync("/dev/full", "w");
  const { stderr, status } = spawnSync(process.execPath, [BIN, ...args], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect(stderr).toMatch(/^turnlog: cannot write the output: ENOSPC[^\n]*\n$/);
  expect(status).toBe(1);
});

test("whoever reads on gets everything", async () => {
  const { stdout, exitCode } = await runBin(["export", LARGE, "--format", "jsonl", "--no-redact"]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(201);
  expect(exitCode).toBe(0);
});

test("a pipe gets neither colours nor lines cut to a width", async () => {
  const { stdout } = await runBin(["show", LARGE, "--events"]);
  expect(stdout).not.toContain("\u001b");
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeGreaterThan(200);
});

test("errors end the process with their code, without a stack", async () => {
  expect(await runBin(["show", "./gone.jsonl"])).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "turnlog: no such file: ./gone.jsonl\n  `turnlog list` lists all sessions\n",
  });
  expect((await runBin(["bogus"])).exitCode).toBe(2);
});

test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "follow ends well at %s",
  async (signal) => {
    const child = start(["follow", LARGE]);
    child.stdout.once("data", () => child.kill(signal));
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  },
);

test("in a folder that was deleted, and without a home, one line says what is wrong", async () => {
  const gone = spawnSync("sh", ["-c", 'cd "$(mktemp -d)" && rmdir "$PWD" && "$0" "$1" list', process.execPath, BIN]);
  expect([gone.status, String(gone.stderr)]).toEqual([
    1,
    "turnlog: the current folder does not exist any more\n  change to another one\n",
  ]);
  const homeless = spawnSync(process.execPath, [BIN, "list"], { env: { TURNLOG_DATA_DIR: temporaryFolder() } });
  expect([homeless.status, String(homeless.stderr)]).toEqual([
    1,
    "turnlog: it is not known where sessions are\n  set HOME, or CLAUDE_CONFIG_DIR to Claude Code's folder\n",
  ]);
});
