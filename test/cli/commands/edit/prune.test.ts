import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const PROJECT = "projects/-home-dev-shop";

describe("turnlog prune", () => {
  test("without options takes the preset normal; the plan tells what goes and how much it saves", async () => {
    const { root, env } = oldLibrary();
    const { stdout, stderr, exitCode } = await runCli(
      ["prune", PLANTED_ID, "--keep-last", "0", "--tools", "remove"],
      env,
    );
    const [id = ""] = stdout.split("\n");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/tool calls: \d+ \(about \d+ tokens\)/);
    expect(readFileSync(join(root, PROJECT, `${id}.jsonl`), "utf8")).not.toContain('"tool_use"');
    expect(await runCli(["prune", PLANTED_ID], env)).toMatchObject({ exitCode: 0 });
  });

  test("marks the title once, however often it is done", async () => {
    const { env } = oldLibrary();
    const [id = ""] = (await runCli(["prune", PLANTED_ID], env)).stdout.split("\n");
    const { title } = JSON.parse((await runCli(["prune", id, "--dry-run", "--json"], env)).stdout);
    expect(title).toMatch(/[^)] \(pruned\)$/);
  });

  test.each(["light", "normal", "heavy", "extreme"])(
    "takes --preset %s, and with --dry-run changes nothing",
    async (name) => {
      const { root, env } = oldLibrary();
      const before = treeOf(root);
      const { stdout } = await runCli(["prune", PLANTED_ID, "--preset", name, "--dry-run", "--json"], env);
      expect(JSON.parse(stdout)).toMatchObject({ command: "prune", dryRun: true, savedTokens: {} });
      expect(treeOf(root)).toEqual(before);
    },
  );

  test("takes every option", async () => {
    const { env } = oldLibrary();
    const flags = "--images --progress --attachments --snapshots --sidechains --duplicates --thinking all".split(" ");
    const narrow = "--tools truncate --tool Bash --tool Read --older-than 1d --larger-than 1k --keep-last 2".split(" ");
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
    ["--tools", "all"],
    ["--keep-last", "-1"],
    ["--preset", "none"],
    ["--to-tokens", "few"],
    ["--to-tokens", "1"],
    ["--larger-than", "big"],
  ])("refuses %s %s as wrong usage", async (...flags) => {
    const { env } = oldLibrary();
    expect(await runCli(["prune", PLANTED_ID, ...flags], env)).toMatchObject({ exitCode: 2 });
  });
});
