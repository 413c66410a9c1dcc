import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, call, chain, prompt, result, toLines } from "../../../builders/session-builder.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const PROJECT = "projects/-home-dev-shop";
const LONG_ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

/** With a session in which there is something to prune for every preset. */
function longLibrary(): ReturnType<typeof oldLibrary> {
  const library = oldLibrary();
  const output = "one line of output\n".repeat(8000);
  const turn = (id: string) => [
    prompt("go on"),
    call(id, "Read", { file_path: "/a" }),
    result(id, output),
    answer("ok"),
  ];
  writeFileSync(
    join(library.root, PROJECT, `${LONG_ID}.jsonl`),
    toLines(chain(...turn("a"), ...turn("b"), ...turn("c"))),
  );
  return library;
}

describe("turnlog prune", () => {
  test("without options takes the preset normal; the plan tells what goes and how much it saves", async () => {
    const { root, env } = longLibrary();
    const { stdout, stderr, exitCode } = await runCli(
      ["prune", PLANTED_ID, "--keep-last", "0", "--tools", "remove"],
      env,
    );
    const [id = ""] = stdout.split("\n");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/tool calls: \d+ \(about [\d.]+k? tokens\)/);
    expect(readFileSync(join(root, PROJECT, `${id}.jsonl`), "utf8")).not.toContain('"tool_use"');
    expect((await runCli(["prune", LONG_ID, "--dry-run"], env)).stderr).toContain("tool results cut to two lines: 1");
  });

  test("marks the title once, however often it is done", async () => {
    const { env } = longLibrary();
    const [id = ""] = (await runCli(["prune", LONG_ID, "--title", "long"], env)).stdout.split("\n");
    const { title } = JSON.parse(
      (await runCli(["prune", id, "--preset", "extreme", "--dry-run", "--json"], env)).stdout,
    );
    expect(title).toMatch(/[^)] \(pruned\)$/);
  });

  test.each(["light", "normal", "heavy", "extreme"])(
    "takes --preset %s, and with --dry-run changes nothing",
    async (name) => {
      const { root, env } = longLibrary();
      const before = treeOf(root);
      const { stdout } = await runCli(["prune", LONG_ID, "--preset", name, "--dry-run", "--json"], env);
      expect(JSON.parse(stdout)).toMatchObject({ command: "prune", dryRun: true, savedTokens: {} });
      expect(treeOf(root)).toEqual(before);
    },
  );

  test("takes every option", async () => {
    const { env } = oldLibrary();
    const flags = "--images --progress --attachments --snapshots --sidechains --duplicates --thinking all".split(" ");
    const narrow = "--tools truncate --tool Bash --tool Read --older-than 1d --larger-than 10 --keep-last 2".split(" ");
    expect(await runCli(["prune", PLANTED_ID, ...flags, ...narrow, "--to-tokens", "900k"], env)).toMatchObject({
      exitCode: 0,
    });
  });

  test("leaves the files of sub-agents behind with --sidechains, and says so", async () => {
    const { root, env } = oldLibrary();
    const { stdout, stderr } = await runCli(["prune", PLANTED_ID, "--sidechains"], env);
    const [id = ""] = stdout.split("\n");
    expect(stderr).toContain("2 files of sub-agents are omitted");
    const written = Object.keys(treeOf(root)).filter((path) => path.includes(id));
    expect(written.some((path) => path.includes("tool-results"))).toBe(true);
    expect(written.filter((path) => path.includes("subagents/"))).toEqual([]);
  });

  test.each([
    [["--tools", "stub", "--older-than", "2001-01-01"], "no tool call is as old or as large as asked"],
    [["--tools", "stub", "--keep-last", "0", "--tool", "NoSuchTool"], "the session has no call of NoSuchTool"],
    [["--tools", "stub", "--larger-than", "900M"], "no tool call is as old or as large as asked"],
    [["--to-tokens", "900k"], "the session takes about"],
  ])("with %j says that there is nothing to prune, and writes nothing", async (flags, why) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const { stderr, exitCode } = await runCli(["prune", PLANTED_ID, ...flags], env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("there is nothing to prune");
    expect(stderr).toContain(why);
    expect(treeOf(root)).toEqual(before);
  });

  test.each([{ flags: [] }, { flags: ["--preset", "extreme"] }])(
    "refuses a tool that the session never called, whatever else $flags would prune",
    async ({ flags }) => {
      const { env } = longLibrary();
      const { stdout, stderr, exitCode } = await runCli(["prune", LONG_ID, ...flags, "--tool", "NoSuchTool"], env);
      expect(exitCode).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/the session has no call of NoSuchTool; the session takes about [\d.]+k tokens/);
    },
  );

  test("says in the plan that one of several tools was never called", async () => {
    const { env } = longLibrary();
    const flags = ["--preset", "extreme", "--tool", "NoSuchTool", "--tool", "Bash", "--tool", "Read"];
    const { stderr, exitCode } = await runCli(["prune", LONG_ID, ...flags], env);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("note:    the session has no call of NoSuchTool");
  });

  test("keeps by tokens with --keep-tokens, and --keep-last takes the place of what the preset keeps", async () => {
    const { env } = longLibrary();
    const left = async (...flags: string[]) => {
      const { stdout } = await runCli(["prune", LONG_ID, "--preset", "extreme", "--dry-run", "--json", ...flags], env);
      return JSON.parse(stdout).tokensAfter;
    };
    const nothing = await left();
    expect(await left("--keep-tokens", "100k")).toBeGreaterThan(nothing);
    expect(await left("--keep-last", "100")).toBeGreaterThan(nothing);
  });

  test("takes calls and turns that are chosen by hand, each with what is to become of it", async () => {
    const { root, env } = longLibrary();
    const chosen = "--keep-call a --stub-call b --remove-turn 3".split(" ");
    const { stdout, exitCode } = await runCli(["prune", LONG_ID, "--preset", "extreme", ...chosen], env);
    const made = readFileSync(join(root, PROJECT, `${stdout.split("\n")[0]}.jsonl`), "utf8");
    expect(exitCode).toBe(0);
    expect(made.match(/"tool_use_id":"."/g)).toEqual(['"tool_use_id":"a"', '"tool_use_id":"b"']);
    expect(made.match(/\[turnlog removed \d+ characters/g)).toHaveLength(1);
  });

  test.each([
    ["--keep-turn", "x"],
    ["--keep-call", "a", "--remove-call", "a"],
    ["--tools", "all"],
    ["--keep-last", "-1"],
    ["--keep-tokens", "some"],
    ["--preset", "all"],
    ["--to-tokens", "few"],
    ["--to-tokens", "1"],
    ["--larger-than", "big"],
  ])("refuses %s %s as wrong usage", async (...flags) => {
    const { env } = oldLibrary();
    expect(await runCli(["prune", PLANTED_ID, ...flags], env)).toMatchObject({ exitCode: 2 });
  });
});
