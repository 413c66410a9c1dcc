import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { edit, FOLDER, fileLibrary, write } from "../../file-library.js";
import { tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const read = (path: string) => ({ name: "Read", input: { file_path: path } });
const bash = (command: string) => ({ name: "Bash", input: { command } });

describe("the list of files", () => {
  test("tells who did what, when, and how much", async () => {
    const { path } = fileLibrary(
      [
        [read(`${FOLDER}/a.ts`), edit(`${FOLDER}/a.ts`, "1", "2\n3", "1\n")],
        [write("/etc/motd", "hi\n"), { ...edit(`${FOLDER}/a.ts`, "x", "y"), isError: true }],
      ],
      [read(`${FOLDER}/a.ts`), read(`${FOLDER}/b.ts`)],
    );
    const { stdout } = await runCli(["files", path]);
    expect(stdout).toBe(
      [
        "file       read  wrote  edited  +  -  turns",
        "a.ts          2      0       1  2  1    1-2  also 1 sub-agent, 1 failed",
        "b.ts          1      0       0  0  0      1  1 sub-agent",
        "/etc/motd     0      1       0  1  0      2  new",
        "",
      ].join("\n"),
    );
  });

  test("names what a command perhaps did", async () => {
    const { path } = fileLibrary([[bash("mv a.ts b.ts && ls"), { ...bash("rm c.ts"), isError: true }]]);
    const { stdout } = await runCli(["files", path]);
    expect(stdout).toBe(`perhaps moved by a command in turn 1: ${FOLDER}/a.ts to ${FOLDER}/b.ts\n`);
  });

  test.each([40, 60, 100])("fits into %i columns", async (columns) => {
    const { path } = fileLibrary([[read(`${FOLDER}/${"漢字/".repeat(40)}end.ts`), bash(`rm ${"x".repeat(200)}`)]]);
    const { stdout } = await runCli(["files", path], {}, { columns, isTerminal: true });
    const widths = stdout.split("\n").map((line) => stringWidth(line));
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(stdout).toContain("end.ts");
  });

  test("is JSON on request", async () => {
    const { path } = fileLibrary([[write(`${FOLDER}/a.ts`, "1\n2")], [bash("rm a.ts")]]);
    const { stdout } = await runCli(["files", path, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      session: { id: expect.any(String), path, cwd: FOLDER },
      files: [
        {
          path: `${FOLDER}/a.ts`,
          name: "a.ts",
          reads: 0,
          writes: 1,
          edits: 0,
          failed: 0,
          isNew: true,
          added: 2,
          removed: 0,
          turns: [1],
          agents: [],
          bySession: true,
        },
      ],
      perhaps: [{ kind: "removed", path: `${FOLDER}/a.ts`, to: null, turn: 2, agentId: null, command: "rm a.ts" }],
      unrecorded: [],
    });
  });

  test("says so where there is none", async () => {
    expect((await runCli(["files", fileLibrary([[]]).path])).stdout).toBe("the session touched no files\n");
  });

  test.each(["list", "diff"])("cannot control the terminal (%s)", async (view) => {
    const { path } = fileLibrary([[write(`${FOLDER}/a\u001b]0;x\u0007.ts`, "\u001b]52;c;eA==\u0007\n")]]);
    const args = ["files", path, ...(view === "diff" ? ["--diff"] : [])];
    const { stdout, stderr } = await runCli(args, { NO_COLOR: "1" }, { isTerminal: true });
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("the diff", () => {
  test("folds what the session and its sub-agents did into one change", async () => {
    const name = `${FOLDER}/a.ts`;
    const { path } = fileLibrary(
      [[edit(name, "2", "3", "2\n")], [edit(name, "3", "4", "3\n")]],
      [edit(name, "1", "2", "1\n")],
    );
    const { stdout, stderr } = await runCli(["files", path, "--diff"]);
    expect(stdout).toBe("diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-1\n+4\n");
    expect(stderr).toBe("");
  });

  test("masks secrets and says so, unless they are to be seen", async () => {
    const { path } = fileLibrary([[write(`${FOLDER}/env`, `key = "${tokenOf("tool data")}"\n`)]]);
    const masked = await runCli(["files", path, "--diff"]);
    expect(masked.stdout).toContain("[REDACTED:github-token:1]");
    expect(masked.stdout).not.toContain(tokenOf("tool data"));
    expect(masked.stderr).toContain("# env: a secret is masked");
    const revealed = await runCli(["files", path, "--diff", "--reveal"]);
    expect(revealed.stdout).toContain(`+key = "${tokenOf("tool data")}"`);
    expect(revealed.stderr).toBe("");
  });

  test("gives edits one after the other where the whole is not known", async () => {
    const name = `${FOLDER}/a.ts`;
    const structuredPatch = [{ oldStart: 4, oldLines: 1, newStart: 4, newLines: 1, lines: ["-a", "+b"] }];
    const { path } = fileLibrary([
      [{ ...edit(name, "a", "b"), noted: { filePath: name, structuredPatch } }, edit(name, "c", "d")],
    ]);
    const { stdout, stderr } = await runCli(["files", path, "--diff"]);
    expect(stdout).toBe("diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -4,1 +4,1 @@\n-a\n+b\n");
    expect(stderr).toContain("# a.ts: its content is only partly known");
    expect(stderr).toContain("# a.ts: an edit in turn 1 is left out");
  });

  test("names files outside the session's folder from the root, and says so", async () => {
    const { stdout, stderr } = await runCli(["files", fileLibrary([[write("/etc/../etc/motd", "hi")]]).path, "--diff"]);
    expect(stdout).toContain("+++ b/etc/motd\n@@ -0,0 +1,1 @@\n+hi\n\\ No newline at end of file\n");
    expect(stderr).toBe(`# 1 file outside ${FOLDER}: named from the root (patch -p1 -d /)\n`);
  });

  test("tells when something else changed a file in between", async () => {
    const name = `${FOLDER}/a.ts`;
    const { path } = fileLibrary([[edit(name, "1", "2", "1\n")], [edit(name, "2", "3", "2 formatted\n")]]);
    const { stdout, stderr } = await runCli(["files", path, "--diff"]);
    expect(stdout).toContain("-1\n+3 formatted\n");
    expect(stderr).toBe("# a.ts: something else changed it before turn 2; the diff holds that too\n");
  });

  test("tells when a command perhaps moved a file that it holds", async () => {
    const { path } = fileLibrary([[write(`${FOLDER}/a.ts`, "1\n"), bash("git mv a.ts b.ts")]]);
    const { stdout, stderr } = await runCli(["files", path, "--diff"]);
    expect(stdout).toContain("+++ b/a.ts\n");
    expect(stderr).toBe("# a.ts: a command in turn 1 may have moved it; the diff leaves that out\n");
  });
});
