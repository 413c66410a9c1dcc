import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runCli } from "./run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "demo");
const demo = { CLAUDE_CONFIG_DIR: DEMO };

/** One line that says what is wrong, one that helps. */
const LINE_AND_HINT = /^turnlog: [^\n]+\n {2}[^\n]+\n$/;

describe("wrong usage ends with 2, one line and a hint", () => {
  test.each([
    { args: ["bogus"], says: "unknown command: bogus" },
    { args: ["shwo"], says: "unknown command: shwo" },
    { args: ["help", "bogus"], says: "unknown command: bogus" },
    { args: ["--bogus"], says: "unknown option '--bogus'" },
    { args: ["show", "--bogus", "last"], says: "unknown option '--bogus'" },
    { args: ["show"], says: "a session or --pr is missing" },
    { args: ["show", ""], says: "the session name is empty" },
    { args: ["show", "last", "last"], says: "too many arguments" },
    { args: ["show", "last", "--turns"], says: "option '--turns <range>' argument missing" },
    { args: ["show", "last", "--turns", "x"], says: '--turns must be a range of turns, not "x"' },
    { args: ["show", "last", "--turns", "7-3"], says: '--turns must be a range of turns, not "7-3"' },
    { args: ["show", "last", "--turns", "0"], says: '--turns must be a range of turns, not "0"' },
    { args: ["show", "last", "--turns", "-"], says: '--turns must be a range of turns, not "-"' },
    { args: ["show", "last", "--tools", "some"], says: '--tools must be full, brief or none, not "some"' },
    { args: ["show", "last", "--errors"], says: "--errors needs --events" },
    { args: ["show", "last", "--events", "--branch", "all"], says: "--events shows one branch" },
    { args: ["show", "last", "--inventory", "--turns", "3"], says: "option '--inventory' cannot be used with" },
    { args: ["show", "last", "--inventory", "--branch", "all"], says: "option '--inventory' cannot be used with" },
    { args: ["show", "last", "--inventory", "--events"], says: "option '--inventory' cannot be used with" },
    { args: ["show", "last", "--thinking", "--json"], says: "option '--thinking' cannot be used with" },
    { args: ["show", "last", "--tools", "full", "--json"], says: "option '--tools <how>' cannot be used with" },
    { args: ["list", "extra"], says: "too many arguments" },
    { args: ["list", "--limit", "0"], says: '--limit must be a number above 0, not "0"' },
    { args: ["list", "--since", "someday"], says: "not a time: someday" },
    { args: ["export", "last"], says: "required option '--format <format>' not specified" },
    { args: ["export", "last", "--format", "xml"], says: "unknown format: xml" },
    { args: ["export", "last", "--format", "toString"], says: "unknown format: toString" },
    { args: ["verify"], says: "no session given" },
    { args: ["scan", "--demo", "--config-dir", "."], says: "option '--demo' cannot be used with option '--config-dir" },
  ])("$args", async ({ args, says }) => {
    const { exitCode, stdout, stderr } = await runCli(args, demo);
    expect(stderr).toContain(`turnlog: ${says}`);
    expect(stderr).toMatch(LINE_AND_HINT);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });
});

const EVERY_READER = [["show"], ["show", "--inventory"], ["show", "--json"], ["verify"], ["scan"]].concat(
  ["jsonl", "json", "api"].map((format) => ["export", "--format", format]),
);

function expectClearError({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof runCli>>, says: string): void {
  expect(stderr).toContain(`turnlog: ${says}`);
  expect(stderr).toMatch(LINE_AND_HINT);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
}

describe.each(EVERY_READER.map((args) => ({ args })))("$args ends with 1, one line and a hint, for", ({ args }) => {
  test("a session that is not there", async () => {
    expectClearError(await runCli([...args, "0badc0de"], demo), 'no session is called "0badc0de"');
  });

  test("a file that is not there", async () => {
    expectClearError(await runCli([...args, "./gone.jsonl"], demo), "no such file: ./gone.jsonl");
  });

  test("a folder", async () => {
    const folder = temporaryFolder();
    expectClearError(await runCli([...args, folder], demo), `not a file: ${folder}`);
  });

  test.skipIf(process.platform === "win32")("a file that cannot be opened", async () => {
    const folder = temporaryFolder();
    symlinkSync("a.jsonl", join(folder, "a.jsonl")); // a link to itself: unreadable even for root
    expectClearError(await runCli([...args, join(folder, "a.jsonl")], demo), `${join(folder, "a.jsonl")}: too many`);
  });

  test("a name that several sessions share", async () => {
    const two = ["a", "b"].map((end) => [`projects/-home-dev/5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6${end}.jsonl`, "{}\n"]);
    const env = { CLAUDE_CONFIG_DIR: temporaryFolder(Object.fromEntries(two)) };
    expectClearError(await runCli([...args, "5b0c"], env), '"5b0c" names 2 sessions');
  });

  test("a library without sessions", async () => {
    const root = temporaryFolder();
    const result = await runCli([...args, "last", "--config-dir", root]);
    expectClearError(result, `no sessions in ${root}`);
    expect(result.stderr).toContain("--demo");
  });
});

describe("a request that nothing answers ends with 1, one line and a hint", () => {
  test.each([
    { args: ["show", "1a0a6e10", "--turns", "99"], says: "there is no turn 99" },
    { args: ["show", "1a0a6e10", "--branch", "0badc0de"], says: 'no branch ends at "0badc0de"' },
    { args: ["verify", "--drift", "./gone"], says: "no such folder: ./gone" },
    { args: ["list", "--config-dir", "/nowhere/at/all"], says: "no such folder: /nowhere/at/all" },
    { args: ["scan", "--config-dir", "/nowhere/at/all"], says: "no such folder: /nowhere/at/all" },
  ])("$args", async ({ args, says }) => {
    expectClearError(await runCli(args, demo), says);
  });
});

describe("broken settings end with 1, one line and a hint", () => {
  const exportWith = (options: string[], env = {}) =>
    runCli(["export", "1a0a6e10", "--format", "json", ...options], { ...demo, ...env });

  test.each([
    { config: "{ redact: ", says: "config.json is not JSON" },
    { config: '{ "redact": { "emails": "yes" } }', says: "config.json: redact.emails" },
    { config: "[]", says: "config.json: the whole file" },
  ])("config.json: $config", async ({ config, says }) => {
    const env = { TURNLOG_DATA_DIR: temporaryFolder({ "config.json": config }) };
    expectClearError(await exportWith([], env), says);
  });

  test.each([
    { patterns: "{ badge", says: "invalid redaction pattern: " },
    { patterns: '{ "badge": "(" }', says: "invalid redaction pattern: badge in " },
    { patterns: '{ "badge": "x*" }', says: "invalid redaction pattern: badge in " },
  ])("pattern file: $patterns", async ({ patterns, says }) => {
    const file = join(temporaryFolder(), "patterns.json");
    writeFileSync(file, patterns);
    expectClearError(await exportWith(["--redact-patterns", file]), says);
  });

  test("a pattern file that is not there", async () => {
    expectClearError(await exportWith(["--redact-patterns", "./gone.json"]), "cannot read the redaction patterns");
  });
});
