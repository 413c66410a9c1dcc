import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../runs.js";
import { runFaulty } from "../../faulty-process.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const PROJECT = "projects/-home-dev-shop";
/** Beyond the last of them the process ends by itself. */
const LAST_MOMENT = 45;
const { numRuns, seed } = runs(12);
/** In a soak every moment is among them. */
const MOMENTS = [
  ...new Set(fc.sample(fc.integer({ min: 1, max: LAST_MOMENT }), { numRuns, ...(seed ? { seed } : {}) })),
];

/** Sub-agents that lay beside the session are in its folder; the link stays behind. */
const SIDE_FILES = [
  "subagents/agent-0a1b2c3d.jsonl",
  "subagents/agent-0a1b2c3d.meta.json",
  "subagents/agent-a1b2c3d.jsonl",
  "tool-results/locked.txt",
  "tool-results/toolu_02.txt",
];

const sessionsIn = (root: string) =>
  readdirSync(join(root, PROJECT)).filter((name) => /^[0-9a-f-]{36}\.jsonl$/.test(name));

function unchanged(root: string, before: Record<string, object>): object {
  const now = treeOf(root);
  return Object.fromEntries(Object.keys(before).map((path) => [path, now[path]]));
}

/** Each with other work between its changes. */
const EDITS = [["clone"], ["prune", "--preset", "extreme"], ["redact"], ["repair", "--write"], ["fork", "--at", "1"]];
const KILLED = MOMENTS.map((killAt, at) => ({ killAt, command: EDITS[at % EDITS.length] ?? [] }));

describe("a new session", () => {
  test.each(KILLED)("killed before change $killAt of $command is whole or not there", async ({ killAt, command }) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const [name = "", ...options] = command;
    await runFaulty([name, PLANTED_ID, ...options], env, { killAt });
    const made = sessionsIn(root).filter((name) => !(join(PROJECT, name) in before));
    expect(made.map((name) => sideFilesOf(root, name))).toEqual(made.map(() => SIDE_FILES));
    expect(unchanged(root, before)).toEqual(before);
  });

  test("is complete with all its side files when nothing happens", async () => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    expect(await runFaulty(["clone", PLANTED_ID], env, {})).toMatchObject({ code: 0 });
    const [name = ""] = sessionsIn(root).filter((it) => !(join(PROJECT, it) in before));
    expect(sideFilesOf(root, name)).toEqual(SIDE_FILES);
  });

  test.each([1, 2, 3, 5, 8, 12, 16])("on a disk that is full from change %i on leaves nothing", async (fullAt) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const ended = await runFaulty(["clone", PLANTED_ID], env, { fullAt });
    expect(ended.stderr).toContain("no space left");
    expect(ended.code).toBe(1);
    expect(Object.keys(treeOf(root))).toEqual(Object.keys(before));
  });
});

describe("a move", () => {
  test.each(MOMENTS)("killed before change %i is completed by the same command", async (killAt) => {
    const { root, env } = oldLibrary();
    const bytes = readFileSync(join(root, PROJECT, `${PLANTED_ID}.jsonl`), "utf8");
    await runFaulty(["move", PLANTED_ID, "/home/dev/elsewhere"], env, { killAt });
    await runCli(["move", PLANTED_ID, "/home/dev/elsewhere", "--force"], env);
    const moved = Object.keys(treeOf(root)).filter(
      (path) => path.includes(PLANTED_ID) && !path.startsWith("file-history"),
    );
    expect(moved.every((path) => path.startsWith("projects/-home-dev-elsewhere/"))).toBe(true);
    expect(readFileSync(join(root, "projects/-home-dev-elsewhere", `${PLANTED_ID}.jsonl`), "utf8")).toBe(bytes);
  });
});

function sideFilesOf(root: string, name: string): string[] {
  const folder = join(root, PROJECT, name.replace(".jsonl", ""));
  return Object.entries(treeOf(folder)).flatMap(([path, entry]) => ("bytes" in entry ? path : []));
}
