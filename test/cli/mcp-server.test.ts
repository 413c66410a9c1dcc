import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { answer, prompt, writeLines } from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { connectAgent, listed, toAgent } from "./mcp-client.js";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const FRESH_MS = 2100;

function environment(): Record<string, string> {
  return { ...(process.env as Record<string, string>), TURNLOG_DATA_DIR: temporaryFolder() };
}

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, "mcp", ...args], { env: environment(), stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const INITIALIZE = request(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});
const LIST = request(2, "tools/call", { name: "list_sessions", arguments: { limit: 1 } });

test("the client of the SDK asks the built command", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", "--demo"],
    env: environment(),
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { call } = toAgent(client);
  expect(client.getServerVersion()).toMatchObject({ name: "turnlog" });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("session_outline");
  expect((await call("list_sessions")).text).toContain("JSON output for pebble");
  expect((await call("search_sessions", { query: "idempotent" })).text).toContain("idempotent");
  expect((await call("session_turns", { session: "nobody" })).isError).toBe(true);
  expect((await call("session_outline", { session: "last" })).text).toContain("1. Add --json");
});

test("stdin that ends is answered to the end, then the process ends; stdout holds the protocol alone", async () => {
  const child = start(["--demo"]);
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  child.stdin.end(`${INITIALIZE}not JSON\n${LIST}`);
  const [stdout, stderr, [exitCode]] = await output;
  const replies = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(replies.map(({ id }) => id)).toEqual([1, 2]);
  expect(replies[1].result.structuredContent.sessions).toHaveLength(1);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});

test.skipIf(process.platform === "win32").each(["SIGTERM", "SIGINT"] as const)("%s ends it cleanly", async (signal) => {
  const child = start(["--demo"]);
  const stderr = text(child.stderr);
  child.stdin.write(INITIALIZE);
  await once(child.stdout, "data");
  child.kill(signal);
  const [exitCode, killedBy] = await once(child, "exit");
  expect({ exitCode, killedBy, stderr: await stderr }).toEqual({ exitCode: 0, killedBy: null, stderr: "" });
});

test("a folder that is not there is told at once", async () => {
  const child = start(["--config-dir", join(temporaryFolder(), "nowhere")]);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toContain("no such folder");
});

test("what was written after the last answer is in the next", async () => {
  const [first = "", second = "", ...more] = writeLines([prompt("the heron"), answer("seen"), prompt("the osprey")]);
  const configDir = temporaryFolder({ [`projects/-p/${ID}.jsonl`]: `${first}\n${second}\n` });
  const { call } = await connectAgent({ configDir });
  expect(listed([await call("search_sessions", { query: "osprey" })], "hits")).toEqual([]);
  appendFileSync(join(configDir, `projects/-p/${ID}.jsonl`), `${more.join("\n")}\n`);
  await new Promise((done) => setTimeout(done, FRESH_MS));
  expect(listed([await call("search_sessions", { query: "osprey" })], "hits")).toMatchObject([{ turn: 2 }]);
});

test("a session that only the archive still has is read like the others", async () => {
  const lines = writeLines([prompt("the heron"), answer("seen")]);
  const configDir = temporaryFolder({ [`projects/-p/${ID}.jsonl`]: `${lines.join("\n")}\n` });
  const { call } = await connectAgent({ configDir }, { archive: { enabled: true } });
  expect((await call("session_turns", { session: ID })).text).toContain("the heron");
  rmSync(join(configDir, `projects/-p/${ID}.jsonl`));
  await new Promise((done) => setTimeout(done, FRESH_MS));
  expect(listed([await call("list_sessions")], "sessions")).toMatchObject([{ id: ID, archived: true }]);
  expect((await call("session_turns", { session: ID })).text).toContain("the heron");
  expect((await call("session_outline", { session: "last" })).text).toContain("1. the heron");
});

test("a library without sessions has no session to name", async () => {
  const { call } = await connectAgent({ configDir: temporaryFolder() });
  expect(await call("list_sessions")).toMatchObject({ isError: false, text: "no sessions" });
  expect(await call("session_outline", { session: "last" })).toMatchObject({ isError: true });
});
