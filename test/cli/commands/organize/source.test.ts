import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { plantLibrary } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");

let env: { CLAUDE_CONFIG_DIR: string; TURNLOG_DATA_DIR: string };

beforeEach(() => {
  env = { CLAUDE_CONFIG_DIR: plantLibrary().root, TURNLOG_DATA_DIR: temporaryFolder() };
});

const run = (...args: string[]) => runCli(["source", ...args], env);
const listed = async (...args: string[]) => JSON.parse((await runCli(["list", "--json", ...args], env)).stdout);

test("a source is added, listed, read and removed", async () => {
  expect((await run()).stderr).toContain("no sources");
  expect((await run("add", "demo", DEMO)).stdout).toBe(`demo: 7 sessions in ${DEMO}\n`);
  expect((await run()).stdout).toBe(`demo  7 sessions  ${DEMO}\n`);
  expect(await listed()).toHaveLength(8);
  expect((await run("remove", "DEMO")).exitCode).toBe(0);
  expect(await listed()).toHaveLength(1);
});

test("its sessions carry its name, which filters them", async () => {
  await run("add", "demo", DEMO);
  expect(await listed("--source", "demo")).toHaveLength(7);
  expect((await listed()).map(({ source }: { source: unknown }) => source).sort()).toEqual([
    ...Array(7).fill("demo"),
    null,
  ]);
  const { stdout } = await runCli(["show", "1126", "--json"], env);
  expect(JSON.parse(stdout).session.source).toBe("demo");
  expect((await runCli(["list"], env)).stdout).toMatch(/\$0\.21 .*demo {2}lantern-shop/);
  expect((await runCli(["list", "--source", "demo"], env)).stdout).not.toContain("demo");
});

test.each(["list", "stats", "search"])("%s wants a source that there is", async (command) => {
  await run("add", "demo", DEMO);
  const words = command === "search" ? ["tide"] : [];
  expect(await runCli([command, ...words, "--source", "laptop"], env)).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: "turnlog: no source is called laptop\n  the sources are demo\n",
  });
});

test("the path is kept absolute, and other keys of config.json stay", async () => {
  await runCli(["source", "add", "demo", "demo"], env, { cwd: resolve(DEMO, "..") });
  await run("add", "one", plantLibrary().root, "--json");
  const config = JSON.parse(readFileSync(join(env.TURNLOG_DATA_DIR, "config.json"), "utf8"));
  expect(config.sources[0]).toEqual({ name: "demo", path: DEMO });
  expect(config.sources).toHaveLength(2);
});

test.each([
  { args: ["add", "x", "/no/such/folder"], says: "no such folder: /no/such/folder", exit: 1 },
  { args: ["add", "x", "C:\\Users\\me"], says: "no such folder: /mnt/c/Users/me", exit: 1 },
  { args: ["add", "x", "\\\\wsl$\\Debian\\no\\such"], says: "no such folder: /no/such", exit: 1 },
  { args: ["add", " ", DEMO], says: "a source needs a name", exit: 2 },
  { args: ["add", "Demo", "/"], says: "source demo already exists", exit: 1 },
  { args: ["add", "other", DEMO], says: "source demo already exists", exit: 1 },
  { args: ["add", "x"], says: "missing required argument 'folder'", exit: 2 },
  { args: ["remove", "x"], says: "no source is called x", exit: 1 },
])("$args is told: $says", async ({ args, says, exit }) => {
  await run("add", "demo", DEMO);
  const { stderr, exitCode } = await run(...args);
  expect(stderr).toContain(`turnlog: ${says}`);
  expect(exitCode).toBe(exit);
});

test("a source whose folder is gone is said to be, and does not stop the others", async () => {
  const folder = plantLibrary().root;
  await run("add", "gone", folder);
  rmSync(folder, { recursive: true });
  expect((await run("list")).stdout).toContain("not available");
  expect(await listed()).toHaveLength(1);
});
