import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { FILE_PLACES, plantLibrary, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const AGENTS = join(CORPUS, "../crafted/inline-sub-agents.jsonl");

async function exportDemo(...options: string[]): Promise<string> {
  const { stdout, exitCode } = await runCli(["export", "1126f362", "--format", "md", ...options], {
    CLAUDE_CONFIG_DIR: DEMO,
  });
  expect(exitCode).toBe(0);
  return stdout;
}

const headings = (markdown: string) => markdown.match(/^##? .*$/gm)?.slice(1);

describe("export --format md", () => {
  test("holds no secret of the session or its sub-agents", async () => {
    const { stdout } = await runCli(["export", plantLibrary().path, "--format", "md"]);
    expect(FILE_PLACES.filter((place) => stdout.includes(tokenOf(place)))).toEqual([]);
    expect(stdout).not.toContain(tokenOf("sub-agent"));
    expect(stdout).toContain("[REDACTED:github-token:");
  });

  test("--turns tells these turns alone", async () => {
    expect(headings(await exportDemo("--turns", "2-3"))).toEqual(["## Turn 2", "## Turn 3"]);
  });

  test("--tools brief tells calls in one line each, none not at all", async () => {
    const brief = await exportDemo("--tools", "brief", "--depth", "0", "--no-thinking");
    expect(brief).toMatch(/^✓ \*\*\w+\*\* `[^`]+` · [\d.]+ m?s$/m);
    expect(brief).not.toContain("<details>");
    expect(await exportDemo("--tools", "none")).not.toContain("**Bash**");
  });

  test("--depth 0 tells no sub-agents", async () => {
    const all = await runCli(["export", AGENTS, "--format", "md"]);
    const none = await runCli(["export", AGENTS, "--format", "md", "--depth", "0"]);
    expect(all.stdout.match(/Sub-agent <b>/g)).toHaveLength(2);
    expect(none.stdout).not.toContain("Sub-agent <b>");
  });

  test("lists pull requests, as links where the address is one", async () => {
    const link = (prUrl: string, prNumber: number) => ({ type: "pr-link", prUrl, prNumber, prRepository: "me/shop" });
    const prompt = { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "hi" } };
    const records = [prompt, link("https://github.com/me/shop/pull/7", 7), link("javascript:alert(1)", 8)];
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const path = join(temporaryFolder({ "session.jsonl": text }), "session.jsonl");
    const { stdout } = await runCli(["export", path, "--format", "md"]);
    expect(stdout).toContain("- Pull request: [me/shop#7](https://github.com/me/shop/pull/7)\n");
    expect(stdout).toContain("- Pull request: me/shop#8 javascript:alert(1)\n");
  });
});

describe("an option that does not go with the format is refused:", () => {
  test.each([
    { args: ["--format", "json", "--turns", "3"], says: "--turns cannot be used with --format json" },
    { args: ["--format", "jsonl", "--tools", "brief"], says: "--tools cannot be used with --format jsonl" },
    { args: ["--format", "api", "--no-thinking"], says: "--no-thinking cannot be used with --format api" },
    { args: ["--format", "md", "--speed", "2"], says: "--speed cannot be used with --format md" },
    { args: ["--format", "md", "--depth", "deep"], says: '--depth must be a whole number from 0 to 1000, not "deep"' },
    { args: ["--format", "md", "--tools", "some"], says: '--tools must be full, brief or none, not "some"' },
  ])("$args", async ({ args, says }) => {
    const { exitCode, stderr, stdout } = await runCli(["export", AGENTS, ...args]);
    expect(stderr).toMatch(/^turnlog: [^\n]+\n {2}[^\n]+\n$/);
    expect(stderr).toContain(says);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("a turn that is not there", async () => {
    const { exitCode, stderr } = await runCli(["export", AGENTS, "--format", "md", "--turns", "9"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("there is no turn 9");
  });
});

test.each([
  { args: [], has: /\*image\/png, .*: not in this export\*/, hasNot: /data:image/ },
  {
    args: ["--pictures", "embedded"],
    has: /!\[image\/png, [^\]]*\]\(data:image\/png;base64,iVBORw0KGgo/,
    hasNot: /not in this export/,
  },
  { args: ["--pictures", "none"], has: /Read/, hasNot: /image\/png/ },
])("pictures are named, embedded or left out: $args", async ({ args, has, hasNot }) => {
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
  const source = { type: "base64", media_type: "image/png", data };
  const message = (content: object[], role: string) => ({ type: role, message: { role, id: "m1", content } });
  const records = [
    message([{ type: "text", text: "look" }], "user"),
    message([{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "/a.png" } }], "assistant"),
    message([{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }], "user"),
  ];
  const lines = records.map((record, at) => ({
    ...record,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
  }));
  const folder = temporaryFolder({ "a.jsonl": lines.map((line) => `${JSON.stringify(line)}\n`).join("") });
  const { stdout } = await runCli(["export", join(folder, "a.jsonl"), "--format", "md", ...args]);
  expect(stdout).toMatch(has);
  expect(stdout).not.toMatch(hasNot);
});
