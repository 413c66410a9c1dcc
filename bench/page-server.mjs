#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { generateLibrary } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { dataFolder } from "./library-index.mjs";
import { percentile } from "./percentile.mjs";
import { BIN, environment, keystrokes, LONG_ID, longLibrary, withPage } from "./served-page.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/** @typedef {import("./target-table.mjs").TargetRow} TargetRow */

/** The API of the page over HTTP, with a warm index: a list of 10,000 sessions, a search box, a session of 200 MB. @returns {Promise<TargetRow[]>} */
export async function benchPageServer() {
  const folder = join(cacheFolder(), "bench", "page-data");
  rmSync(folder, { recursive: true, force: true });
  const rows = [
    ...(await benchList(generateLibrary(), join(dataFolder(), "own"))),
    ...(await benchLongSession(longLibrary(), join(folder, "long"))),
  ];
  rmSync(folder, { recursive: true });
  return rows;
}

/** @param {string} library @param {string} data */
async function benchList(library, data) {
  mkdirSync(data, { recursive: true });
  spawnSync(process.execPath, [BIN, "index", "sync"], { env: environment(library, data), stdio: "ignore" });
  const { first, again, stats, times } = await withPage(library, data, async ({ ask }) => {
    const lists = { first: await ask("/api/sessions"), again: await ask("/api/sessions?sort=cost&errors=1") };
    const answers = { ...lists, stats: await ask("/api/stats"), times: /** @type {number[]} */ ([]) };
    for (const text of keystrokes(library)) {
      answers.times.push((await ask(`/api/search?typing=1&q=${encodeURIComponent(text)}`)).ms);
    }
    return answers;
  });
  const sessions = first.answer.total.toLocaleString("en");
  return [
    limitRow(
      `page: first list of ${sessions} sessions`,
      first.ms,
      150,
      "ms",
      `sorted and filtered ${Math.round(again.ms)} ms`,
    ),
    limitRow(
      "page: search, one keystroke, p95",
      percentile(times, 0.95),
      50,
      "ms",
      `median ${Math.round(percentile(times, 0.5))} ms, statistics ${Math.round(stats.ms)} ms`,
    ),
  ];
}

/** @param {string} library @param {string} data */
async function benchLongSession(library, data) {
  const session = `/api/sessions/${LONG_ID}`;
  const { cold, first, last, outline } = await withPage(library, data, async ({ ask }) => ({
    cold: await ask(`${session}/turns?to=10`),
    first: await ask(`${session}/turns?to=10`),
    last: await ask(`${session}/turns?last=1`),
    outline: await ask(session),
  }));
  const more = `asked for while it is read ahead, ${(cold.ms / 1000).toFixed(1)} s; outline ${Math.round(outline.ms)} ms`;
  return [
    limitRow("page: first ten turns of a 200 MB session, indexed and read ahead", first.ms, 300, "ms", more),
    limitRow("page: last turn of a 200 MB session", last.ms, 300, "ms"),
  ];
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchPageServer()));
