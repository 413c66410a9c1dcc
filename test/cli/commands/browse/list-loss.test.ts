import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findComingLoss, newComingLoss } from "../../../../src/app/organize/coming-loss.js";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { captureWorld, runCli } from "../../run-cli.js";

const DAY_SECONDS = 86_400;
const WARNING = "`turnlog archive on` keeps them";

function nameOf(number: number): string {
  return join("projects", "-home-dev-shop", `7c1d2e3f-4a5b-4c6d-8e7f-${String(number).padStart(12, "0")}.jsonl`);
}

/** One session for each age in days. */
function library(...ages: readonly number[]) {
  const lines = toLines(chain(prompt("one"), answer("1")));
  const root = temporaryFolder(Object.fromEntries(ages.map((_, at) => [nameOf(at), lines])));
  for (const [at, age] of ages.entries()) {
    const time = Date.now() / 1000 - age * DAY_SECONDS;
    utimesSync(join(root, nameOf(at)), time, time);
  }
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  return { root, env, list: (...args: string[]) => runCli(["list", ...args], env, { isTerminal: true }) };
}

test("list says once a day how many sessions Claude Code deletes, when, and what keeps them", async () => {
  const { list } = library(27, 28, 3);
  const { stderr } = await list();
  expect(stderr).toMatch(/Claude Code deletes 2 sessions within 7 days, the first from \d{4}-\d\d-\d\d \d\d:\d\d/);
  expect(stderr).toContain(WARNING);
  expect((await list()).stderr).not.toContain(WARNING);
});

test("after a day it says it again", async () => {
  const { env, list } = library(27);
  await list();
  const yesterday = Date.now() / 1000 - DAY_SECONDS - 60;
  utimesSync(join(env.TURNLOG_DATA_DIR, "loss-checked"), yesterday, yesterday);
  expect((await list()).stderr).toContain(WARNING);
});

test("it says nothing to programs, in a pipe, of sessions that stay, and of those that the archive keeps", async () => {
  const { env, list } = library(27);
  expect((await list("--json")).stderr).not.toContain(WARNING);
  expect((await runCli(["list"], env)).stderr).not.toContain(WARNING);
  expect((await library(3).list()).stderr).not.toContain(WARNING);
  await runCli(["archive", "on"], env);
  expect((await list()).stderr).not.toContain(WARNING);
});

test("config.json turns it off", async () => {
  const { env, list } = library(27);
  writeFileSync(join(env.TURNLOG_DATA_DIR, "config.json"), '{ "archive": { "warn": false } }');
  expect((await list()).stderr).not.toContain(WARNING);
  expect(readdirSync(env.TURNLOG_DATA_DIR)).not.toContain("loss-checked");
});

test("of many sessions only a hundred are looked at, the oldest", async () => {
  const { env } = library(...Array.from({ length: 130 }, (_, at) => 24 + at / 100));
  const loss = await findComingLoss(captureWorld(env).io, {});
  expect(loss).toMatchObject({ sessions: 100, isAtLeast: true });
});

test("a second look on the same day does not even list the sessions' folders", async () => {
  const { root, env } = library(27);
  const { io } = captureWorld(env);
  expect(await newComingLoss(io, {})).not.toBeNull();
  expect(await newComingLoss(io, { configDir: root })).toBeNull();
  expect(await newComingLoss(io, { configDir: join(root, "missing") })).toBeNull(); // looking there would fail
});
