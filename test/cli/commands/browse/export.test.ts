import { existsSync, linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { verifySession } from "../../../../src/session/verify/verify-session.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { FILE_PLACES, PLANTED_ID, plantLibrary, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const demo = { CLAUDE_CONFIG_DIR: DEMO };

/** Through a file: the corpus holds bytes that are no text. */
async function exportBytes(file: string): Promise<Buffer> {
  const target = join(temporaryFolder(), "copy.jsonl");
  await runCli(["export", file, "--format", "jsonl", "--no-redact", "-o", target]);
  return readFileSync(target);
}

const linesOf = (text: string) => text.trimEnd().split("\n");
const leaked = (text: string) => FILE_PLACES.filter((place) => text.includes(tokenOf(place)));

describe("export --format jsonl", () => {
  test.each(corpusSessions())("--no-redact copies %s byte by byte", async (name) => {
    const file = join(CORPUS, name);
    expect((await exportBytes(file)).equals(readFileSync(file))).toBe(true);
  });

  test("keeps every line and its form, without the secrets", async () => {
    const { path } = plantLibrary();
    const { stdout } = await runCli(["export", path, "--format", "jsonl"]);
    const types = linesOf(stdout).map((line) => JSON.parse(line).type);
    expect(types).toEqual(["custom-title", "user", "assistant", "user", "attachment", "assistant"]);
    expect(leaked(stdout)).toEqual([]);
    expect(verifySession([Buffer.from(stdout)], `${PLANTED_ID}.jsonl`).problems).toEqual(
      verifySession([readFileSync(path)], `${PLANTED_ID}.jsonl`).problems,
    );
  });

  test("says on the side what was removed, by kind and place, and never what it was", async () => {
    const { stderr, exitCode } = await runCli(["export", plantLibrary().path, "--format", "jsonl"]);
    expect(linesOf(stderr)[0]).toMatch(/^redacted: .*6 github-token/);
    expect(stderr).toContain("  custom-title.customTitle: 1 github-token\n");
    expect(stderr).toContain("  user.toolUseResult: 1 github-token\n");
    expect(stderr).toContain("  attachment.attachment: 1 github-token\n");
    expect(leaked(stderr)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test("says that nothing was removed when --no-redact forbids it", async () => {
    const { stdout, stderr } = await runCli(["export", plantLibrary().path, "--format", "jsonl", "--no-redact"]);
    expect(leaked(stdout)).toEqual(FILE_PLACES);
    expect(stderr).toBe("not redacted: the output contains secrets, paths and names\n");
  });

  test("keeps broken lines", async () => {
    const file = join(CORPUS, "handwritten/c10_garbage_middle.jsonl");
    const { stdout } = await runCli(["export", file, "--format", "jsonl"]);
    expect(linesOf(stdout)).toHaveLength(linesOf(readFileSync(file, "utf8")).length);
  });
});

describe("export --format json", () => {
  test("is the contract, with the turns of sub-agents", async () => {
    const { stdout } = await runCli(["export", "1126f362", "--format", "json"], demo);
    const { schema, turns, subagents } = JSON.parse(stdout);
    expect(schema).toBe(1);
    expect(turns).toHaveLength(3);
    expect(subagents).toHaveLength(1);
    expect(subagents[0].turns[0].prompt).not.toBe("");
    expect(subagents[0].turns[0].messages.length).toBeGreaterThan(0);
  });

  test("tells the turns of a sub-agent whose records stand in the session file", async () => {
    const { stdout } = await runCli(["export", join(CORPUS, "../crafted/inline-sub-agents.jsonl"), "--format", "json"]);
    const prompts = JSON.parse(stdout).subagents.map(({ turns }: { turns: { prompt: string }[] }) => turns[0]?.prompt);
    expect(prompts).toEqual(["Read writer.ts and report.", "Read parser.ts and report."]);
  });

  test("holds no secret of the session or its sub-agents", async () => {
    const { stdout } = await runCli(["export", plantLibrary().path, "--format", "json"]);
    expect(leaked(stdout)).toEqual([]);
    expect(stdout).not.toContain(tokenOf("sub-agent"));
    expect(JSON.parse(stdout).subagents[0].turns[0].prompt).toMatch(/^Look for \[REDACTED:github-token:\d+\]$/);
  });
});

describe("export --format api", () => {
  test("is an array of messages in turn, without the secrets", async () => {
    const { stdout } = await runCli(["export", plantLibrary().path, "--format", "api"]);
    const messages: { role: string }[] = JSON.parse(stdout);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(leaked(stdout)).toEqual([]);
  });

  test("tells what had to be mended", async () => {
    const { stdout, stderr } = await runCli([
      "export",
      join(CORPUS, "handwritten/c11_orphan_tool_use.jsonl"),
      "--format",
      "api",
    ]);
    expect(stderr).toContain("repaired: 1 orphan-call (line 3)\n");
    expect(JSON.parse(stdout).at(-1).content[0]).toMatchObject({ type: "tool_result", tool_use_id: "toolu_001" });
  });

  test("of a session in which nobody spoke is an empty array", async () => {
    const file = join(CORPUS, "handwritten/c22_empty_file.jsonl");
    expect((await runCli(["export", file, "--format", "api"])).stdout).toBe("[]\n");
  });
});

describe("export -o", () => {
  const exportTo = (target: string, ...options: string[]) =>
    runCli(["export", "1126f362", "--format", "json", "-o", target, ...options], demo);

  test("writes a file and leaves standard output alone", async () => {
    const target = join(temporaryFolder(), "session.json");
    const { stdout } = await exportTo(target);
    expect(stdout).toBe("");
    expect(JSON.parse(readFileSync(target, "utf8")).session.id).toMatch(/^1126f362/);
  });

  test("refuses a file that exists, until --force", async () => {
    const target = join(temporaryFolder({ "session.json": "mine" }), "session.json");
    const refused = await exportTo(target);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: `turnlog: ${target} already exists\n  add --force to overwrite it\n`,
    });
    expect(readFileSync(target, "utf8")).toBe("mine");
    await exportTo(target, "--force");
    expect(JSON.parse(readFileSync(target, "utf8")).schema).toBe(1);
  });

  test("into a folder that is missing is a clear error, and leaves nothing behind", async () => {
    const folder = join(temporaryFolder(), "missing");
    const { exitCode, stderr } = await exportTo(join(folder, "session.json"));
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`turnlog: no such folder: ${folder}\n  create it first\n`);
    expect(existsSync(folder)).toBe(false);
  });

  test("onto a folder says that it is one", async () => {
    const folder = temporaryFolder();
    const { exitCode, stderr } = await exportTo(folder, "--force");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`turnlog: ${folder} is a folder\n  add a file name`);
  });

  test.skipIf(process.platform !== "linux")("where nobody may write names the file, not its draft", async () => {
    const { exitCode, stderr } = await exportTo("/proc/session.json");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^turnlog: cannot write \/proc\/session\.json \([A-Z]+\)\n {2}[^\n]+\n$/);
  });
});

describe("export -o never writes to sessions, even with --force:", () => {
  const exportPlanted = (path: string, target: string) =>
    runCli(["export", path, "--format", "jsonl", "-o", target, "--force"]);

  async function expectRefused(path: string, target: string, says: string): Promise<void> {
    const before = readFileSync(path);
    const { exitCode, stderr } = await exportPlanted(path, target);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^turnlog: [^\n]+\n {2}[^\n]+\n$/);
    expect(readFileSync(path).equals(before)).toBe(true);
  }

  test("the session itself", async () => {
    const { path } = plantLibrary();
    await expectRefused(path, path, "is the session itself");
  });

  test("the session by another name", async () => {
    const { path } = plantLibrary();
    const link = join(temporaryFolder(), "copy.jsonl");
    linkSync(path, link);
    await expectRefused(path, link, "is the session itself");
  });

  test("a new file beside the session", async () => {
    const { path } = plantLibrary();
    const target = join(dirname(path), "copy.jsonl");
    await expectRefused(path, target, "where sessions are read from");
    expect(existsSync(target)).toBe(false);
  });

  test("a file in the client's folder, through a link", async () => {
    const { path, root } = plantLibrary();
    const link = join(temporaryFolder(), "linked");
    symlinkSync(root, link);
    await expectRefused(path, join(link, "copy.jsonl"), "where sessions are read from");
  });

  test("a file in another folder that sessions are read from", async () => {
    const { path } = plantLibrary();
    const other = temporaryFolder();
    const args = ["export", path, "--format", "jsonl", "-o", join(other, "a.jsonl"), "--config-dir", other];
    expect((await runCli(args)).stderr).toContain(`is inside ${other}, where sessions are read from`);
  });
});

describe("what else to redact", () => {
  const sayB4711 = () =>
    temporaryFolder({
      "a.jsonl": `${JSON.stringify({ type: "user", uuid: "u1", message: { content: "B-4711 of ann@corp.example" } })}\n`,
    });
  const exportA = async (folder: string, options: string[], env = {}) =>
    (await runCli(["export", join(folder, "a.jsonl"), "--format", "jsonl", ...options], env)).stdout;

  test("is said by --redact-patterns and --redact-emails", async () => {
    const folder = sayB4711();
    const patterns = join(folder, "patterns.json");
    writeFileSync(patterns, JSON.stringify({ badge: "B-\\d+" }));
    const stdout = await exportA(folder, ["--redact-patterns", patterns, "--redact-emails"]);
    expect(JSON.parse(stdout).message.content).toBe("[REDACTED:badge:1] of [REDACTED:email:1]");
  });

  test("or by config.json", async () => {
    const folder = sayB4711();
    const env = { TURNLOG_DATA_DIR: temporaryFolder({ "config.json": '{ "redact": { "emails": true } }' }) };
    expect(JSON.parse(await exportA(folder, [], env)).message.content).toBe("B-4711 of [REDACTED:email:1]");
  });
});
