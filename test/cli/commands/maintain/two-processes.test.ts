import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answer, prompt, resultFor, toolUses, writeLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { contentsOf, freshContents, openTestIndex } from "../../../library/sync/index-contents.js";

const BIN = resolve(import.meta.dirname, "..", "..", "..", "..", "dist", "bin.js");

async function run(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { stdout, stderr, exitCode };
}

/** Enough to index that several processes meet. Copies of one session are found once. */
function writeLibrary(): string {
  const lines = Array.from({ length: 100 }, (_, at) => [
    prompt(`needle ${at}`),
    toolUses(`t${at}`),
    resultFor(`t${at}`, "some output in many words ".repeat(100)),
    answer("done"),
  ]);
  const content = `${writeLines(lines.flat()).join("\n")}\n`;
  const names = Array.from(
    { length: 10 },
    (_, at) => `projects/-p${at % 3}/0000000${at}-0000-4000-8000-000000000000.jsonl`,
  );
  return temporaryFolder(Object.fromEntries(names.map((name) => [name, content])));
}

test("several turnlogs that find no index all answer, and leave one that is right", async () => {
  const root = writeLibrary();
  const dataFolder = temporaryFolder();
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: dataFolder };
  const search = ["search", "needle", "--in", "prompts", "--limit", "2000", "--json", "--wait"];
  const results = await Promise.all([run(search, env), run(search, env), run(["list", "--json"], env)]);
  for (const { exitCode, stderr } of results) {
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^(another turnlog is [^\n]*\n|the index is locked [^\n]*\n)?$/);
  }
  const [first, second, list] = results.map(({ stdout }) => JSON.parse(stdout));
  expect([first.totalHits, second.totalHits, list.length]).toEqual([1000, 1000, 10]);
  expect((await run(["index", "sync"], env)).exitCode).toBe(0);
  expect(contentsOf(openTestIndex(dataFolder))).toEqual(await freshContents(root));
});
