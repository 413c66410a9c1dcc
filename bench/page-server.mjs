#!/usr/bin/env node
import { rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { isMain } from "./is-main.mjs";
import { indexedData, largeLibrary, manySessions } from "./libraries.mjs";
import { percentile } from "./percentile.mjs";
import { keystrokes, LONG_ID, longLibrary, withPage } from "./served-page.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/** @typedef {import("./target-table.mjs").TargetRow} TargetRow */

/** The API of the page over HTTP, with a warm index: a list of 10,000 sessions, a search box, a session of 200 MB. @returns {Promise<TargetRow[]>} */
export async function benchPageServer() {
  const folder = join(cacheFolder(), "bench", "page-data");
  rmSync(folder, { recursive: true, force: true });
  const rows = [
    await benchList(),
    await benchKeystrokes(),
    ...(await benchLongSession(longLibrary(), join(folder, "long"))),
  ];
  rmSync(folder, { recursive: true });
  return rows;
}

async function benchList() {
  const many = manySessions();
  const { first, again, stats } = await withPage(many.root, indexedData(many, "many"), async ({ ask }) => ({
    first: await ask("/api/sessions"),
    again: await ask("/api/sessions?sort=cost&errors=1"),
    stats: await ask("/api/stats"),
  }));
  const more = `sorted and filtered ${Math.round(again.ms)} ms, statistics ${Math.round(stats.ms)} ms`;
  return limitRow(`page: first list of ${many.sessions} sessions`, first.ms, 150, "ms", more);
}

async function benchKeystrokes() {
  const large = largeLibrary();
  const times = await withPage(large.root, indexedData(large, "page"), async ({ ask }) => {
    const list = [];
    for (const text of keystrokes(large.root)) {
      list.push((await ask(`/api/search?typing=1&q=${encodeURIComponent(text)}`)).ms);
    }
    return list;
  });
  const more = `median ${Math.round(percentile(times, 0.5))} ms`;
  return limitRow(`page: search of ${large.size}, one keystroke, p95`, percentile(times, 0.95), 50, "ms", more);
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
