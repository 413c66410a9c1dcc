import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, calledTool, prompt, writeLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const GOLDEN = join(import.meta.dirname, "..", "..", "..", "golden");
const demo = { CLAUDE_CONFIG_DIR: resolve(import.meta.dirname, "..", "..", "..", "..", "demo") };
const REWOUND = join(CORPUS, "2.1.45/interactive/projects/-home-dev-tproj/fb5ea67d-3e1e-4230-b4bf-d30d23f010b0.jsonl");
const INTERACTIVE = join(
  CORPUS,
  "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
);

const turnsIn = (stdout: string) => [...stdout.matchAll(/^── (\d+) ──/gm)].map(([, index]) => Number(index));
const showTurns = async (...options: string[]) => turnsIn((await runCli(["show", REWOUND, ...options])).stdout);

describe("a session", () => {
  test.each([
    {
      name: "its path",
      value: join(
        demo.CLAUDE_CONFIG_DIR,
        "projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl",
      ),
    },
    { name: "its id", value: "8359096c-e1ac-4641-87c1-f47bd7293ce7" },
    { name: "the beginning of its id", value: "8359" },
    { name: "its title", value: "Is it safe that pebble deletes files whose fingerprint is equal?" },
  ])("is named by $name", async ({ value }) => {
    const { stdout } = await runCli(["show", value, "--json"], demo);
    expect(JSON.parse(stdout).session.id).toBe("8359096c-e1ac-4641-87c1-f47bd7293ce7");
  });

  test("is named `last` when its activity is the latest", async () => {
    const { stdout } = await runCli(["show", "last"], demo);
    expect(stdout).toMatch(/^JSON output for pebble\n/);
  });
});

describe("a compaction of a part", () => {
  const PARTS = "2.1.326/interactive/projects/-home-dev-demo-app/c1f42ebc-7c25-4509-a27f-c31b44a38897.jsonl";

  test.each(["terminal", "markdown"])("says once what it kept, and where that is: %s", async (surface) => {
    const file = join(CORPUS, PARTS);
    const args = surface === "terminal" ? ["show", file] : ["export", file, "--format", "md"];
    const { stdout } = await runCli(args);
    expect(stdout.match(/\bkept\b.*\)/g)).toEqual(["kept (turns 1 to 2)", "kept (turn 8)"]);
  });
});

test("a session that resumes empty says that all turns were rewound, not that it has none", async () => {
  const { stdout } = await runCli(["show", join(CORPUS, "handwritten-326/a0000003-0000-4000-8000-000000000003.jsonl")]);
  expect(stdout).toContain("\nall turns rewound · 30 tokens · $0.0004\n");
});

describe("show --turns", () => {
  test.each([
    { range: "3", turns: [3] },
    { range: "3-5", turns: [3, 4, 5] },
    { range: "7-", turns: [7, 8] },
    { range: "-2", turns: [1, 2] },
    { range: "6-99", turns: [6, 7, 8] },
  ])("$range gives $turns", async ({ range, turns }) => {
    expect(await showTurns("--turns", range)).toEqual(turns);
  });

  test("limits JSON and events too", async () => {
    const json = await runCli(["show", REWOUND, "--turns", "2", "--json"]);
    expect(JSON.parse(json.stdout).turns.map(({ index }: { index: number }) => index)).toEqual([2]);
    const events = await runCli(["show", REWOUND, "--turns", "2", "--events", "--json"]);
    expect(JSON.parse(events.stdout)[0]).toMatchObject({ type: "user", input: "[[slow]] slow one" });
  });
});

describe("show --branch", () => {
  test("leaves rewound turns out, and says so", async () => {
    const { stdout, stderr } = await runCli(["show", REWOUND]);
    expect(turnsIn(stdout)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(stdout).not.toContain("[[ask]]");
    expect(stderr).toContain("1 rewound branch not shown (--branch all)\n");
  });

  test("all adds the turns that only the rewound branch has", async () => {
    expect(await showTurns("--branch", "all")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 9]);
  });

  test("a leaf shows its branch instead", async () => {
    const { stdout } = await runCli(["show", REWOUND, "--branch", "5c948cfc"]);
    expect(stdout).toContain("> [[ask]] ask me");
    expect(stdout).not.toContain("after rewind");
  });
});

describe("show --tools and --thinking", () => {
  const show = async (...options: string[]) => (await runCli(["show", INTERACTIVE, "--turns", "2", ...options])).stdout;

  test("brief names calls, and tells of failures why", async () => {
    const stdout = await show();
    expect(stdout).toContain("✓ Read /home/dev/tproj/README.md");
    expect(stdout).not.toContain("A small project.");
    expect(stdout).toContain("No such tool available: Glob");
  });

  test("full adds what came back, none leaves calls out", async () => {
    expect(await show("--tools", "full")).toContain("A small project.");
    expect(await show("--tools", "none")).not.toContain("README.md");
  });

  test("thinking is one line until it is asked for", async () => {
    expect(await show()).toContain("  ~ thought, 6 words\n");
    expect(await show("--thinking")).toContain("  ~ I should look at the project.");
  });
});

describe("show of large results", () => {
  const edit = { file_path: "/p/a.ts", old_string: "a", new_string: "b" };
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] };

  function sessionWith(text: string): string {
    const path = join(temporaryFolder(), "session.jsonl");
    const file = { filePath: "/p/b.ts", content: text, startLine: 3, numLines: 4, totalLines: 90 };
    const drafts = [
      prompt("go"),
      ...calledTool("Bash", { command: "make" }, text, { stdout: text, stderr: "" }),
      ...calledTool("Edit", edit, "edited", { originalFile: text, structuredPatch: [hunk] }),
      ...calledTool("Read", { file_path: "/p/b.ts" }, text, { type: "text", file }),
      answer("done"),
    ];
    writeFileSync(path, `${writeLines(drafts).join("\n")}\n`);
    return path;
  }

  test("in brief they are told as small ones are", async () => {
    const { stdout } = await runCli(["show", sessionWith("word\n".repeat(100_000))]);
    expect(stdout).toContain("✓ Edit /p/a.ts (edit) (+1, −1, 1 s)");
    expect(stdout).toContain("✓ Read /p/b.ts (lines 3-6 of 90) (1 s)");
    expect(stdout).toBe((await runCli(["show", sessionWith("word\n")])).stdout);
  });

  test("in full they are whole", async () => {
    const { stdout } = await runCli(["show", sessionWith("word\n".repeat(100_000)), "--tools", "full"]);
    expect(stdout.split("│ word\n").length).toBe(200_001);
  });
});

describe("show --events", () => {
  test("is one line an event", async () => {
    const { stdout } = await runCli(["show", INTERACTIVE, "--events"]);
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, "events.txt"));
  });

  test("--errors keeps what failed", async () => {
    const { stdout } = await runCli(["show", INTERACTIVE, "--events", "--errors", "--json"]);
    const events: { tool: string; success: boolean }[] = JSON.parse(stdout);
    expect(events.map(({ tool }) => tool)).toEqual(["Glob", "Grep", "Bash"]);
    expect(events.map(({ success }) => success)).toEqual([false, false, false]);
  });

  test("has the fields of the contract", async () => {
    const { stdout } = await runCli(["show", INTERACTIVE, "--events", "--json"]);
    expect(Object.keys(JSON.parse(stdout)[0]).toSorted()).toEqual(
      ["durationMs", "errorMsg", "input", "output", "success", "timestamp", "tool", "toolUseId", "type"].toSorted(),
    );
  });
});

/** Lines by type, counted by nothing but JSON.parse. */
function countTypes(file: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(join(CORPUS, file), "utf8").split("\n")) {
    const [, type] = /^\{.*?"type": ?"([^"]*)"/.exec(line) ?? [];
    const parsed = type === undefined ? undefined : parseOrUndefined(line);
    if (parsed !== undefined) counts[parsed.type] = (counts[parsed.type] ?? 0) + 1;
  }
  return counts;
}

function parseOrUndefined(line: string): { type: string } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

describe("show --inventory", () => {
  test("is a set of tables", async () => {
    const { stdout } = await runCli(["show", INTERACTIVE, "--inventory"]);
    await expect(stdout).toMatchFileSnapshot(join(GOLDEN, "inventory.txt"));
  });

  test.each(corpusSessions())("counts every line of %s", async (file) => {
    const { stdout } = await runCli(["show", join(CORPUS, file), "--inventory", "--json"]);
    const types: { name: string; count: number }[] = JSON.parse(stdout).types;
    expect(Object.fromEntries(types.map(({ name, count }) => [name, count]))).toEqual(countTypes(file));
  });
});

type Line = readonly [type: string, uuid: string, parentUuid: string | null, content: unknown];

function sessionOf(...lines: readonly Line[]): string {
  const text = lines.map(([type, uuid, parentUuid, content]) =>
    JSON.stringify({ type, uuid, parentUuid, timestamp: "2026-05-01T10:00:00Z", message: { id: uuid, content } }),
  );
  return join(temporaryFolder({ "a.jsonl": `${text.join("\n")}\n` }), "a.jsonl");
}

test("a result without its call is shown where it came", async () => {
  const result = { type: "tool_result", tool_use_id: "toolu_gone", content: "left over" };
  const path = sessionOf(["user", "u1", null, "go on"], ["user", "u2", "u1", [result]]);
  const { stdout } = await runCli(["show", path, "--tools", "full"]);
  expect(stdout).toContain("> go on\n\n  ? Result without a call toolu_gone\n    │ left over\n");
});

test("a turn that was rewound in the middle is shown with both its ends", async () => {
  const path = sessionOf(
    ["user", "u1", null, "count"],
    ["assistant", "a1", "u1", [{ type: "text", text: "one" }]],
    ["assistant", "a2", "a1", [{ type: "text", text: "two, taken back" }]],
    ["user", "u2", "a1", "stop"],
    ["assistant", "a3", "u2", [{ type: "text", text: "stopped" }]],
  );
  const { stdout } = await runCli(["show", path, "--branch", "all"]);
  const [active = "", rewound = ""] = stdout.split("rewound branch a2");
  expect(active).not.toContain("taken back");
  expect(rewound).toContain("> count\n\n  one\n\n  two, taken back\n");
  const json = JSON.parse((await runCli(["show", path, "--branch", "all", "--json"])).stdout);
  expect(json.deadBranches[0].turns[0].messages).toHaveLength(2);
});
