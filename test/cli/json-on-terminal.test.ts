import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, prompt, writeLines } from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runCli } from "./run-cli.js";

const ID = "4f1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
/** Starts a control sequence in eight bits, turns the direction of text, ends lines for some, hides words. */
const HOSTILE = "a\u009b31mb\u202ec\u2066d\u2028e\u{e0041}f\u0085g\u200bh";
const UNSAFE =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

const COMMANDS = [
  ["list", "--json"],
  ["search", "please", "--json"],
  ["show", ID, "--json"],
  ["show", ID, "--events", "--json"],
  ["follow", ID, "--json", "--turns", "9", "--until-idle", "0.2"],
  ["export", ID, "--format", "json"],
  ["export", ID, "--format", "jsonl"],
  ["export", ID, "--format", "api"],
  ["stats", "--by", "session", "--json"],
  ["stats", "--explain", ID, "--json"],
  ["files", ID, "--json"],
  ["diff", ID, ID, "--json"],
  ["delete", ID, "--dry-run", "--force", "--json"],
];

function plant() {
  const lines = writeLines([prompt(`please ${HOSTILE}`), answer(`here ${HOSTILE}`)]);
  const title = JSON.stringify({ type: "custom-title", customTitle: `title ${HOSTILE}`, sessionId: ID });
  const root = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${title}\n${lines.join("\n")}\n` });
  return { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
}

/** One value, or one in each line. */
function parseAll(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

describe.each(COMMANDS.map((args) => ({ args })))("$args", ({ args }) => {
  test("prints on a terminal no character that could control it, and the same values", async () => {
    const env = plant();
    const piped = (await runCli(args, env)).stdout;
    const shown = (await runCli(args, env, { isTerminal: true })).stdout;
    expect(shown).not.toMatch(UNSAFE);
    expect(parseAll(shown)).toEqual(parseAll(piped));
  });
});

test.each([
  ["show", ID, "--json"],
  ["export", ID, "--format", "api"],
  ["list", "--json"],
])("what is piped keeps its characters: %s %s", async (...args) => {
  expect((await runCli(args, plant())).stdout).toContain(HOSTILE);
});

test("JSON is printed by one function only", () => {
  const cli = join(import.meta.dirname, "..", "..", "src", "cli");
  const writers = readdirSync(cli, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => /JSON\.stringify|toJsonText/.test(readFileSync(path, "utf8")))
    .map((path) => relative(cli, path).replaceAll("\\", "/"));
  // The other one writes a file: the history of prompts.
  expect(writers.sort()).toEqual(["chat/prompt-history.ts", "terminal/printed-json.ts"]);
});
