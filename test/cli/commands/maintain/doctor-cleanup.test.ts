import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const NAME = join("projects", "-home-dev-shop", "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f.jsonl");
const DAY_SECONDS = 86_400;

function library(daysAgo: number) {
  const root = temporaryFolder({ [NAME]: toLines(chain(prompt("one"), answer("1"))) });
  const time = Date.now() / 1000 - daysAgo * DAY_SECONDS;
  utimesSync(join(root, NAME), time, time);
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  return (...args: string[]) => runCli(args, env);
}

test("doctor warns of sessions that Claude Code deletes soon, until the archive keeps them", async () => {
  const run = library(27);
  expect((await run("doctor")).stdout).toContain("Claude Code deletes 1 session within 7 days");
  await run("archive", "on");
  expect((await run("doctor")).stdout).not.toContain("within 7 days");
});

test("doctor says nothing of sessions that stay for longer", async () => {
  expect((await library(1)("doctor")).stdout).not.toContain("within 7 days");
});
