import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { findWalkCheckpoint } from "../../../src/library/sync/walk-checkpoint.js";
import { prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { openTestIndex } from "./index-contents.js";

const LIVE = "00000001-0000-4000-8000-000000000000";
const RESTING = "00000002-0000-4000-8000-000000000000";
const LINE = `${writeLines([prompt("hay")]).join("\n")}\n`;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const now = Date.now();

/** A library in which nothing was written for a minute, in one session not for ten days, and its index. */
async function restingLibrary() {
  const root = temporaryFolder({
    [`projects/-p/${LIVE}.jsonl`]: LINE,
    [`projects/-p/${RESTING}.jsonl`]: LINE,
    "history.jsonl": "{}\n",
  });
  const project = join(root, "projects", "-p");
  age(join(project, `${LIVE}.jsonl`), MINUTE);
  age(join(project, `${RESTING}.jsonl`), 10 * DAY);
  for (const path of [project, join(root, "projects"), join(root, "history.jsonl"), root]) age(path, MINUTE);
  const index = openTestIndex();
  await syncIndex(index, [root], { now });
  return {
    project,
    isUnchanged: (later = 1, maxAgeMs = 10_000) =>
      findWalkCheckpoint(index.db, [root], maxAgeMs, now + later) !== undefined,
    sync: (later = 1000) => syncIndex(index, [root], { now: now + later }),
  };
}

function age(path: string, ms: number): void {
  utimesSync(path, new Date(now - ms), new Date(now - ms));
}

test("a library in which nothing happened is known by its folders and recent sessions", async () => {
  const { isUnchanged } = await restingLibrary();
  expect(isUnchanged()).toBe(true);
});

test("a full walk is trusted for so long, and never one of the future", async () => {
  const { isUnchanged } = await restingLibrary();
  expect(isUnchanged(9999)).toBe(true);
  expect(isUnchanged(10_000)).toBe(false);
  expect(isUnchanged(-1)).toBe(false);
  expect(isUnchanged(1, 0)).toBe(false);
});

test.each<[string, (project: string) => void]>([
  ["an append to a recent session", (project) => appendFileSync(join(project, `${LIVE}.jsonl`), LINE)],
  ["a new session", (project) => writeFileSync(join(project, `${LIVE.replace("1", "3")}.jsonl`), LINE)],
  ["a session that goes", (project) => rmSync(join(project, `${RESTING}.jsonl`))],
  ["a prompt in the client's history", (project) => appendFileSync(join(project, "../../history.jsonl"), "{}\n")],
  ["a new project", (project) => mkdirSync(join(project, "..", "-q"))],
  ["a recent session's first sub-agent", (project) => mkdirSync(join(project, LIVE, "subagents"), { recursive: true })],
])("%s is noticed at once", async (_, change) => {
  const { project, isUnchanged } = await restingLibrary();
  change(project);
  expect(isUnchanged()).toBe(false);
});

test("an append to a session that rested for days waits for the next full walk, which finds it", async () => {
  const { project, isUnchanged, sync } = await restingLibrary();
  appendFileSync(join(project, `${RESTING}.jsonl`), LINE);
  expect(isUnchanged()).toBe(true);
  expect(await sync()).toMatchObject({ changed: 1 });
});

test("while something is being written, no walk is trusted", async () => {
  const { project, isUnchanged, sync } = await restingLibrary();
  appendFileSync(join(project, `${LIVE}.jsonl`), LINE);
  await sync();
  expect(isUnchanged(1001)).toBe(false);
});
