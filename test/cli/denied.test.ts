import { appendFileSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { prompt, writeLines } from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runFaulty } from "./faulty-process.js";
import { runCli } from "./run-cli.js";

const OPEN = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const CLOSED = "6b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const linesOf = (text: string) => `${writeLines([prompt(text)]).join("\n")}\n`;

let root: string;
let env: { CLAUDE_CONFIG_DIR: string; TURNLOG_DATA_DIR: string };
beforeEach(() => {
  root = temporaryFolder({
    [`projects/-open/${OPEN}.jsonl`]: linesOf("needle in the open"),
    [`projects/-closed/${CLOSED}.jsonl`]: linesOf("needle behind a door"),
  });
  env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
});

const closedFile = () => join(root, "projects/-closed", `${CLOSED}.jsonl`);
const idsIn = (stdout: string) => JSON.parse(stdout).map(({ id }: { id: string }) => id);
const status = async () => JSON.parse((await runCli(["index", "sync", "--json"], env)).stdout);

describe("a folder without permission is named, and stops nothing else", () => {
  test.each([
    ["a project", () => dirname(closedFile())],
    ["a session", closedFile],
  ])("%s", async (_, place) => {
    const denied = place();
    const listed = await runFaulty(["list", "--json"], env, { denied });
    expect(idsIn(listed.stdout)).toEqual([OPEN]);
    expect(listed).toMatchObject({ code: 0, stderr: `turnlog: skipped ${denied}: permission denied\n` });
    const found = await runFaulty(["search", "needle"], env, { denied });
    expect(found.stdout).toContain("needle in the open");
    expect(found.stderr).toMatch(`turnlog: skipped ${denied}: permission denied\n2 hits in 1 session`);
    const synced = await runFaulty(["index", "sync"], env, { denied });
    expect(synced.stdout).toMatch(/^0 files added, 0 changed, 0 moved, 0 removed .*\n1 file could not be read/);
  });

  test.each([["projects"], ["."]])("all of %s: what is known stays known", async (name) => {
    await runCli(["index", "sync"], env);
    const denied = join(root, name);
    const listed = await runFaulty(["list", "--json"], env, { denied });
    expect(idsIn(listed.stdout).sort()).toEqual([OPEN, CLOSED]);
    expect(listed.stderr).toBe(`turnlog: skipped ${join(root, "projects")}: permission denied\n`);
    expect(await status()).toMatchObject({ sessions: 2, problems: [], sync: { added: 0, removed: 0 } });
  });

  test("one of several folders", async () => {
    const other = temporaryFolder({ [`projects/-other/${CLOSED}.jsonl`]: linesOf("elsewhere") });
    const folders = { ...env, CLAUDE_CONFIG_DIR: `${root},${other}` };
    const listed = await runFaulty(["list", "--json", "--no-index"], folders, { denied: root });
    expect(idsIn(listed.stdout)).toEqual([CLOSED]);
  });

  test("nothing but that", async () => {
    const listed = await runFaulty(["list"], env, { denied: join(root, "projects") });
    expect(listed).toMatchObject({ code: 0, stdout: "" });
    expect(listed.stderr).toContain("projects: permission denied\n");
    const shown = await runFaulty(["show", CLOSED], env, { denied: closedFile() });
    expect(shown.code).toBe(1);
    expect(shown.stderr).toBe(`turnlog: cannot read ${closedFile()}: permission denied\n  check who may read it\n`);
  });
});

describe("a session that could not be archived is archived by the next sync", () => {
  const archived = async () => JSON.parse((await runCli(["archive", "status", "--json"], env)).stdout).sessions;

  test("where it could not be read", async () => {
    await runCli(["index", "sync"], env);
    await runFaulty(["archive", "on"], env, { denied: closedFile() });
    await runFaulty(["index", "sync"], env, { denied: closedFile() });
    expect(await archived()).toBe(1);
    await runCli(["index", "sync"], env);
    expect(await archived()).toBe(2);
  });

  test("where the disk was full", async () => {
    await runCli(["archive", "on"], env);
    const long = linesOf("grown").replaceAll('"u', '"v');
    appendFileSync(closedFile(), long);
    utimesSync(closedFile(), new Date(), new Date());
    const full = await runFaulty(["index", "sync"], env, { fullAt: 5 });
    expect(full.stderr + full.stdout).toMatch(/no space left|could not be read/);
    await runCli(["index", "sync"], env);
    const { stdout } = await runCli(["export", CLOSED, "--format", "jsonl", "--no-redact"], env);
    expect(stdout).toContain("grown");
  });
});
