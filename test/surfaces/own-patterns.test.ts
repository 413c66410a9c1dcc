import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { serveApp } from "../server/served-app.js";
import { plantWord } from "./planted-session.js";
import { ownPatterns, SURFACES } from "./surfaces.js";

const WORD = "zebra-4711";
const PATTERNS = { codename: "zebra-[0-9]+" };

/** What never shows a word of the session, with patterns or without. */
const WORDLESS = ["redact --dry-run", "scan"];

describe("what the user's own patterns name is not seen", () => {
  test.each(Object.entries(SURFACES))("by %s", async (_, surface) => {
    expect(await surface(plantWord(WORD), ownPatterns(PATTERNS))).not.toContain(WORD);
  });

  test.each(Object.entries(SURFACES).filter(([name]) => !WORDLESS.includes(name)))(
    "although %s shows it without them",
    async (_, surface) => {
      expect(await surface(plantWord(WORD), {})).toContain(WORD);
    },
  );
});

test("a scan finds it, by the name of the pattern", async () => {
  const { root, id } = plantWord(WORD);
  const data = temporaryFolder({ "config.json": JSON.stringify(ownPatterns(PATTERNS)) });
  const { stdout } = await runCli(["scan", id], { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data });
  expect(stdout).toContain("codename");
});

test("a relative path in config.json is relative to the data folder, in an option to the working folder", async () => {
  const { root, id } = plantWord(WORD);
  const settings = { "config.json": JSON.stringify({ redact: { patternsFile: "mine.json" } }) };
  const data = temporaryFolder({ ...settings, "mine.json": JSON.stringify(PATTERNS) });
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data };
  expect((await runCli(["show", id], env)).stdout).not.toContain(WORD);
  const args = ["export", id, "--format", "md", "--redact-patterns", "mine.json"];
  const plain = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  expect((await runCli(args, plain, { cwd: data })).stdout).not.toContain(WORD);
});

test("patterns that cannot be read stop what would show more than the user wants", async () => {
  const { root, id } = plantWord(WORD);
  const data = temporaryFolder({ "config.json": JSON.stringify({ redact: { patternsFile: "gone.json" } }) });
  const { stdout, stderr, exitCode } = await runCli(["show", id], { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data });
  expect(stdout).toBe("");
  expect(stderr).toMatch(
    /cannot read the redaction patterns in .*gone\.json\n {2}check redact\.patternsFile in config\.json/,
  );
  expect(exitCode).toBe(1);
});

test("the web UI follows a change of the patterns while it runs", async () => {
  const { root, id } = plantWord(WORD);
  const { json, data } = await serveApp({ configDir: root });
  const shown = async () => JSON.stringify([await json(`/api/sessions/${id}/turns`), await json("/api/sessions")]);
  expect(await shown()).toContain(WORD);
  writeFileSync(join(data, "mine.json"), JSON.stringify(PATTERNS));
  writeFileSync(join(data, "config.json"), JSON.stringify({ redact: { patternsFile: "mine.json" } }));
  const { sessions } = await json<{ sessions: { title: string; project: string }[] }>("/api/sessions");
  expect(sessions.map(({ title }) => title).join()).not.toContain(WORD);
  expect(JSON.stringify(await json(`/api/sessions/${id}/turns`))).not.toContain(WORD);
});
