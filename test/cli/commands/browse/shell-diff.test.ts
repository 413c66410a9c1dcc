import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as build from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

const RECORDED = join(CORPUS, "2.1.326/print/projects/-home-dev-demo-app/75276c14-62f7-4162-b047-43930e20a6a2.jsonl");

const hunk = { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, lines: ["-two", "+TWO"] };
const newFile = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+a", "+b"] };

/** A session with one shell command and what Claude Code noted about the files it changed. */
function sessionWith(bashEditDiff: unknown, interrupted = false): string {
  const path = join(temporaryFolder(), "3c1f9d20-7a54-4b6e-8d21-5e0f3a4b5c6d.jsonl");
  const lines = build.writeLines([
    { ...build.prompt("go"), cwd: "/p" },
    build.call("b", "Bash", { command: "sed -i s/two/TWO/ one.txt" }, { cwd: "/p" }),
    build.result("b", "done", { toolUseResult: { stdout: "done", stderr: "", interrupted, bashEditDiff } }),
    build.answer("ok"),
  ]);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

async function filesOf(path: string) {
  return JSON.parse((await runCli(["files", path, "--json"])).stdout);
}

describe("a recorded command that changed a file", () => {
  test("counts as an edit, with its lines", async () => {
    const { files, unrecorded } = await filesOf(RECORDED);
    expect(files).toEqual([expect.objectContaining({ name: "notes.txt", reads: 1, edits: 1, added: 1, removed: 1 })]);
    expect(unrecorded).toEqual([]);
  });

  test("is in the diff of the session, and the file can be restored", async () => {
    const { stdout } = await runCli(["files", RECORDED, "--diff"]);
    expect(stdout).toContain("-two\n+TWO\n");
    const restored = await runCli(["files", RECORDED, "--restore", "notes.txt"]);
    expect(restored.stdout).toBe("one\nTWO\nthree\n");
    expect(restored.stderr).toContain("exact");
  });

  test("is shown below the call", async () => {
    const { stdout } = await runCli(["show", RECORDED, "--tools", "full"]);
    expect(stdout).toMatch(/notes\.txt\n.*one\n.*- two\n.*\+ TWO/);
    const brief = await runCli(["show", RECORDED]);
    expect(brief.stdout).toMatch(/✓ Bash .*\(\+1, −1/);
  });
});

test("several files of one command are told apart; a new one is known as a whole", async () => {
  const files = [
    { filePath: "/p/one.txt", hunks: [hunk] },
    { filePath: "/p/new.txt", hunks: [newFile] },
  ];
  const path = sessionWith({ files, moreFiles: 0, changedFiles: ["/p/one.txt", "/p/new.txt"] });
  const told = await filesOf(path);
  expect(told.files.map(({ name, isNew, added }: Record<string, unknown>) => [name, isNew, added])).toEqual([
    ["one.txt", false, 1],
    ["new.txt", true, 2],
  ]);
  expect((await runCli(["files", path, "--restore", "new.txt"])).stdout).toBe("a\nb\n");
});

test("a command that was interrupted changed what it changed", async () => {
  const path = sessionWith({ files: [{ filePath: "/p/one.txt", hunks: [hunk] }], moreFiles: 0 }, true);
  const { files } = await filesOf(path);
  expect(files).toEqual([expect.objectContaining({ name: "one.txt", edits: 1, failed: 0, added: 1 })]);
  expect((await runCli(["show", path, "--tools", "full"])).stdout).toContain("+ TWO");
});

test.each([
  [
    "more files than are named",
    { files: [], moreFiles: 3, changedFiles: [] },
    "3 more files changed, not recorded which",
  ],
  ["files that were not compared", { skipped: "too many files" }, "not recorded (skipped: too many files)"],
  ["files that could not be compared", { unavailable: true }, "not recorded (unavailable)"],
])("%s are said to be missing", async (_what, diff, words) => {
  const path = sessionWith(diff);
  expect((await runCli(["files", path])).stdout).toContain(`files changed by a command in turn 1: ${words}`);
  expect((await runCli(["show", path, "--tools", "full"])).stdout).toContain(words);
});

test("a changed file without lines is named, its lines unknown", async () => {
  const path = sessionWith({ files: [], moreFiles: 1, changedFiles: ["/p/big.bin"] });
  const { files, unrecorded } = await filesOf(path);
  expect(files).toEqual([expect.objectContaining({ name: "big.bin", edits: 1, added: null, removed: null })]);
  expect(unrecorded).toEqual([]);
});
