import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { browserCommand } from "../../src/cli/terminal/open-browser.js";
import type { StartAnswer } from "../../src/server/api/start.js";
import { answer, prompt, writeLines } from "../builders/session-builder.js";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { readEvents } from "./event-reader.js";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const LINES = writeLines([prompt("one"), answer("1"), prompt("two"), answer("2")]);

interface World {
  readonly data: string;
  readonly configDir: string;
}

function world(): World {
  const configDir = temporaryFolder({ [`projects/p/${ID}.jsonl`]: `${LINES.slice(0, 2).join("\n")}\n` });
  return { data: temporaryFolder(), configDir };
}

function start({ data, configDir }: World, ...args: readonly string[]): ChildProcess {
  const env = { ...process.env, TURNLOG_DATA_DIR: data, CLAUDE_CONFIG_DIR: configDir };
  const child = spawn(process.execPath, [BIN, "open", "--no-open", ...args], { env, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The address that it prints. */
async function addressOf({ stdout }: ChildProcess): Promise<URL> {
  const [chunk] = await once(stdout ?? process.stdin, "data");
  return new URL(String(chunk).trim());
}

async function cookieOf(address: URL): Promise<string> {
  const response = await fetch(address, { redirect: "manual" });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("it prints an address, which lets the browser in and leads to the page", async () => {
  const address = await addressOf(start(world(), "--port", "0"));
  const response = await fetch(address, { redirect: "manual" });
  const cookie = await cookieOf(address);
  const sessions = await fetch(new URL("/api/sessions", address), { headers: { cookie } });
  expect(address.hostname).toBe("127.0.0.1");
  expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
  expect(await sessions.json()).toMatchObject({ index: expect.anything() });
  expect((await fetch(new URL("/api/sessions", address))).status).toBe(401);
});

test("it serves the sessions where the data folder cannot be written, and says what that means", async () => {
  const { configDir } = world();
  const folder = temporaryFolder({ file: "" });
  const child = start({ configDir, data: join(folder, "file", "data") }, "--port", "0");
  const said = text(child.stderr ?? process.stdin);
  const address = await addressOf(child);
  const headers = { cookie: await cookieOf(address) };
  const sessions = await fetch(new URL("/api/sessions", address), { headers });
  expect(await sessions.json()).toMatchObject({ sessions: [{ id: ID }] });
  child.kill("SIGTERM");
  expect(await said).toContain("(not a directory): another `turnlog open` will not find this one\n");
  expect(await said).toContain("reading the session files instead\n");
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a session that grows on disk is told to a listening page, which an interrupt does not hold up", async () => {
  const place = world();
  const child = start(place, "--port", "0");
  const address = await addressOf(child);
  const cookie = await cookieOf(address);
  const events = readEvents(await fetch(new URL("/api/events", address), { headers: { cookie } }));
  await events.next((event) => event.kind === "index" && event.index.state === "ready");
  appendFileSync(join(place.configDir, `projects/p/${ID}.jsonl`), `${LINES.slice(2).join("\n")}\n`);
  const told = await events.next(({ kind }) => kind === "sessions");
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(told).toMatchObject({ changes: [{ id: ID, change: "appended" }] });
  expect(await events.ended()).toBe(true);
  expect(code).toBe(0);
});

test("a second start finds the first one, also at the same moment", async () => {
  const place = world();
  const [one, two] = [start(place, "--port", "0"), start(place, "--port", "0")];
  const [first, second] = await Promise.all([addressOf(one), addressOf(two)]);
  const code = await Promise.race([once(one, "exit"), once(two, "exit")]);
  expect(second.href).toBe(first.href);
  expect(code[0]).toBe(0);
});

test("a second start that asks for another host, port or password is told that it gets none", async () => {
  const place = world();
  const { port } = await addressOf(start(place, "--port", "0"));
  const again = async (...args: readonly string[]) => text(start(place, ...args).stderr ?? process.stdin);
  expect(await again("--host", "0.0.0.0", "--password", "x")).toContain("stop it first to use others");
  expect(await again("--port", String(Number(port) - 1))).toContain("stop it first to use others");
  expect(await again("--port", port)).not.toContain("stop it first");
});

test("port and token lie in a file for its owner alone, which goes with the server", async () => {
  const place = world();
  const child = start(place, "--port", "0");
  await addressOf(child);
  const stateFiles = () => readdirSync(join(place.data, "locks")).filter((name) => name.startsWith("server-"));
  const modes = stateFiles().map((name) => statSync(join(place.data, "locks", name)).mode & 0o777);
  child.kill("SIGINT");
  await once(child, "exit");
  expect(modes).toEqual([0o600, 0o600]);
  expect(stateFiles()).toEqual([]);
});

test("the place of a server that was killed is taken, with another token", async () => {
  const place = world();
  const child = start(place, "--port", "0");
  const first = await addressOf(child);
  child.kill("SIGKILL");
  await once(child, "exit");
  const second = await addressOf(start(place, "--port", "0"));
  const headers = { "x-turnlog-token": second.searchParams.get("token") ?? "" };
  const answered = (await (await fetch(new URL("/api/start", second), { headers })).json()) as StartAnswer;
  expect(second.searchParams.get("token")).not.toBe(first.searchParams.get("token"));
  expect(answered.roots).toEqual([place.configDir]);
});

test("a port that is taken is told", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const child = start(world(), "--port", String(port));
  const stderr = await text(child.stderr ?? process.stdin);
  expect(stderr).toMatch(new RegExp(`cannot listen on 127.0.0.1:${port} \\(EADDRINUSE\\)\n +choose another`));
});

test("without sessions it offers the demo", async () => {
  const child = start({ data: temporaryFolder(), configDir: temporaryFolder() }, "--port", "0");
  const [said] = await once(child.stderr ?? process.stdin, "data");
  expect(String(said)).toContain("turnlog open --demo");
});

test.each([
  [["--host", "0.0.0.0"], "other machines could read all your sessions"],
  [["--host", "0.0.0.0", "--password", ""], "other machines could read all your sessions"],
  [["--host", "0.0.0.0", "--token", "--password", ""], "the password is empty"],
  [["--password", ""], "the password is empty"],
  [["--port", "99999"], "--port must be a number"],
  [["--port", "x"], "--port must be a number"],
])("open %j is refused", async (args, message) => {
  const { exitCode, stderr } = await runCli(["open", ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test("on another host the address is for whoever has it, and this is said", async () => {
  const child = start(world(), "--host", "0.0.0.0", "--token", "--port", "0");
  const [said] = await once(child.stderr ?? process.stdin, "data");
  expect(String(said)).toContain("nothing is encrypted");
});

test("a browser is asked for in the way of each system, and not where there is none", () => {
  const commandOf = (platform: NodeJS.Platform, env = {}) => browserCommand("http://x/", platform, env)?.name;
  expect([commandOf("darwin"), commandOf("win32"), commandOf("linux"), commandOf("linux", { DISPLAY: ":0" })]).toEqual([
    "open",
    "rundll32",
    undefined,
    "xdg-open",
  ]);
});
