import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

const handwritten = (name: string) => join(CORPUS, "handwritten", `${name}.jsonl`);

describe("verify", () => {
  test.each([
    { name: "c15_parallel_branch", exitCode: 0, verdict: /^0 errors, / },
    { name: "c10_garbage_middle", exitCode: 1, verdict: /^2 errors, / },
    { name: "c09_truncated_last_asst", exitCode: 1, verdict: /^1 error, / },
  ])("ends with $exitCode for $name", async ({ name, exitCode, verdict }) => {
    const result = await runCli(["verify", handwritten(name)]);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stdout.trimEnd().split("\n").at(-1)).toMatch(verdict);
  });

  test("names line, severity, problem and remedy", async () => {
    const { stdout } = await runCli(["verify", handwritten("c10_garbage_middle")]);
    expect(stdout).toMatch(/^error line \d+: .+ \[[a-z-]+\]\n {4}\S/m);
  });

  test("names the affected versions of Claude Code, where they were measured", async () => {
    const { stdout } = await runCli(["verify", handwritten("c07_pruned_unrepaired")]);
    expect(stdout).toContain("affects: 2.0.50, 2.1.45, Agent SDK\n");
  });

  test("tells of a session that lies in another project's folder", async () => {
    const folder = join(temporaryFolder(), "projects", "-srv-other");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f.jsonl");
    writeFileSync(file, toLines(chain(prompt("one", { cwd: "/srv/shop" }), answer("1"))));
    expect((await runCli(["verify", file])).stdout).toContain("not in the folder of /srv/shop");
  });

  test("as JSON has the fields of the contract", async () => {
    const { stdout, exitCode } = await runCli(["verify", handwritten("c10_garbage_middle"), "--json"]);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(["ok", "problems", "unlisted"]);
    expect(Object.keys(report.problems[0])).toEqual(["line", "code", "severity", "message", "fix", "versions"]);
    expect(report.ok).toBe(false);
    expect(exitCode).toBe(1);
  });
});

describe("verify --drift", () => {
  test("finds in the recorded sessions only the fields that were invented for it", async () => {
    const { stdout, exitCode } = await runCli(["verify", "--drift", CORPUS, "--json"]);
    const { drifts, files, unlisted } = JSON.parse(stdout);
    expect(new Set(drifts.map(({ name }: { name: string }) => name))).toEqual(new Set(["myTool", "forkedFrom"]));
    expect(files).toBeGreaterThan(100);
    expect(unlisted).toBe(0);
    expect(exitCode).toBe(0);
  });

  test("says so when nothing is unknown", async () => {
    const { stdout } = await runCli(["verify", "--drift", join(CORPUS, "2.1.45")]);
    expect(stdout).toMatch(/^nothing unknown in \d+ files\n$/);
  });

  test("names a record type that no client is known to write", async () => {
    const folder = temporaryFolder({ "a.jsonl": '{"type":"hologram","version":"9.9.9"}\n' });
    const { stdout } = await runCli(["verify", "--drift", folder]);
    expect(stdout).toContain("hologram");
    expect(stdout).toContain("since 9.9.9");
  });
});
