import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/registry.js";
import { runCli } from "./run-cli.js";

const DEMO = { CLAUDE_CONFIG_DIR: resolve("demo") };

async function suggest(...words: string[]): Promise<string[]> {
  const { stdout, stderr } = await runCli(["completion", "suggest", ["turnlog", ...words, "."].join("\n")], DEMO);
  expect(stderr).toBe("");
  return [...stdout.matchAll(/^(.+)\t/gm)].map(([, word]) => word ?? "");
}

test("the first word is any command, or help", async () => {
  expect(await suggest("")).toEqual([...COMMANDS.map(({ name }) => name), "help"]);
  expect(await suggest("he")).toEqual(["help"]);
  expect(await suggest("help", "di")).toEqual(["diff"]);
});

test("after a command come its options, as its help has them", async () => {
  const options = await suggest("prune", "last", "-");
  const { stdout: help } = await runCli(["help", "prune"]);
  expect(options).toContain("--to-tokens");
  expect(options).toEqual([...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag));
});

test("an option with a list of values is followed by one of them, and other values are left to the shell", async () => {
  expect(await suggest("prune", "--preset", "")).toEqual(["light", "normal", "heavy", "extreme", "none"]);
  expect(await suggest("prune", "--output", "")).toEqual([]);
  expect(await suggest("import", "")).toEqual([]);
});

test("sub-commands come with their own options", async () => {
  expect(await suggest("archive", "re")).toEqual(["restore"]);
  expect(await suggest("archive", "restore", "--f")).toEqual(["--former"]);
  expect(await suggest("archive", "status", "--f")).toEqual([]);
});

test("a session is suggested by its short id, and by the whole one when more was typed", async () => {
  const listed = JSON.parse((await runCli(["list", "--json"], DEMO)).stdout);
  const ids = listed.map(({ id }: { id: string }) => id);
  expect(await suggest("show", "")).toEqual(["last", ...ids.map((id: string) => id.slice(0, 8))]);
  expect(await suggest("diff", "last", ids[0].slice(0, 10))).toEqual([ids[0]]);
});

test("an unknown command, and lines that no shell sends, suggest nothing", async () => {
  expect(await suggest("lisst", "")).toEqual([]);
  expect(await runCli(["completion", "suggest", ""])).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: "" });
});

test("an option that was typed before is no option of the completion itself", async () => {
  expect(await suggest("list", "--help", "--fav")).toEqual(["--favourites"]);
});

test("a title is explained without what would control the terminal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnlog-completion-"));
  const prompt = { type: "user", uuid: "u", parentUuid: null, sessionId: "s", timestamp: "2026-01-01T00:00:00Z" };
  const message = { role: "user", content: "red\u001b[31m \u001b]0;owned\u0007 and\ttwo\nlines" };
  writeFileSync(
    join(folder, "11111111-2222-4333-8444-555555555555.jsonl"),
    `${JSON.stringify({ ...prompt, message })}\n`,
  );
  const { stdout } = await runCli(["completion", "suggest", "turnlog\nshow\n1\n."], { CLAUDE_CONFIG_DIR: folder });
  expect(stdout).toBe("11111111\tred ␛]0;owned␇ and two\n");
});

test("bash completes with the script", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnlog-completion-"));
  writeFileSync(
    join(folder, "turnlog"),
    `#!/bin/sh\nprintf '%s' "$3" > ${folder}/asked\nprintf 'one\\ta b\\ntwo\\t\\n'\n`,
  );
  chmodSync(join(folder, "turnlog"), 0o755);
  const { stdout: script } = await runCli(["completion", "bash"]);
  const line = `${script}\nCOMP_WORDS=(turnlog show --turns "a b" ""); COMP_CWORD=4; _turnlog; printf '<%s>' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  expect(execFileSync("bash", ["--norc", "-c", line], { encoding: "utf8", env })).toBe("<one><two>");
  expect(execFileSync("cat", [join(folder, "asked")], { encoding: "utf8" })).toBe("turnlog\nshow\n--turns\na b\n\n.");
});

test("the manual page has every command with its help, and nothing in it is taken for a command of man", async () => {
  const { stdout: page } = await runCli(["help", "--man"]);
  const sections = [...page.matchAll(/^\.SS turnlog (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(COMMANDS.map(({ name }) => name));
  expect(page).toContain(".SS turnlog archive restore");
  expect(page).toContain("\\-\\-to\\-tokens <n>");
  const macros = new Set([...page.matchAll(/^['.]\w*/gm)].map(([macro]) => macro));
  expect([...macros].sort()).toEqual([".B", ".BR", ".I", ".PP", ".SH", ".SS", ".TH", ".fi", ".nf"]);
});
