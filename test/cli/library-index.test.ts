import { expect, test } from "vitest";
import { withIndex } from "../../src/cli/library-index.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { type CliWorld, captureWorld } from "./run-cli.js";

/** More than a command indexes before it answers. */
const MUCH = `${JSON.stringify({ type: "user", uuid: "u", message: { role: "user", content: "x".repeat(3_000_000) } })}\n`;

/** What a command that answers from the files is told, in CI, where nothing is built in the background. */
async function isHurried(content: string, world: CliWorld, options: { wait?: boolean } = {}): Promise<boolean> {
  const root = temporaryFolder({ "projects/-srv/0a000000-0000-4000-8000-000000000000.jsonl": content });
  const { io } = captureWorld({ CI: "1", TURNLOG_DATA_DIR: temporaryFolder() }, world);
  return withIndex(
    io,
    [root],
    { answersWithout: true, ...options },
    (_index, _sync, _behind, hurried) => hurried ?? false,
  );
}

test("a person at a terminal gets an answer soon, even where nothing builds the index", async () => {
  expect(await isHurried(MUCH, { isTerminal: true })).toBe(true);
});

test("a script gets all of it", async () => {
  expect(await isHurried(MUCH, { isTerminal: false })).toBe(false);
});

test("whoever waits gets all of it", async () => {
  expect(await isHurried(MUCH, { isTerminal: true }, { wait: true })).toBe(false);
});

test("so does a person where little is missing", async () => {
  expect(await isHurried("", { isTerminal: true })).toBe(false);
});
