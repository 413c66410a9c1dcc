#!/usr/bin/env node
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder } from "./cache-folder.mjs";
import { generateLibrary, generateLongSession } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { dataFolder } from "./library-index.mjs";
import { percentile } from "./percentile.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

/**
 * @typedef {import("./target-table.mjs").TargetRow} TargetRow
 * @typedef {{ ask(path: string): Promise<{ ms: number, answer: any }>, close(): Promise<void> }} Page
 */

const BIN = resolve(import.meta.dirname, "../dist/bin.js");
const LONG_ID = "20000000-0000-4000-8000-000000000000";
const TYPED_WORDS = 30;
const POLL_MS = 100;

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
    for (const text of keystrokes(vocabularyOf(library).words)) {
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

/** Words as they are typed, from their second letter on. @param {readonly string[]} words */
function keystrokes(words) {
  const step = Math.max(1, Math.floor(words.length / TYPED_WORDS));
  return words
    .filter((_, at) => at % step === 0)
    .flatMap((word) => Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at + 2)));
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

function longLibrary() {
  const root = join(cacheFolder(), "bench", "long-library");
  const path = join(root, "projects", "-home-dev-long", `${LONG_ID}.jsonl`);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(generateLongSession(), path);
  }
  return root;
}

/** @template Answers @param {string} library @param {string} data @param {(page: Page) => Promise<Answers>} use */
async function withPage(library, data, use) {
  const page = await openPage(library, data);
  try {
    return await use(page);
  } finally {
    await page.close();
  }
}

/** Once its index is up to date. @param {string} library @param {string} data @returns {Promise<Page>} */
async function openPage(library, data) {
  mkdirSync(data, { recursive: true });
  const child = spawn(process.execPath, [BIN, "open", "--no-open", "--port", "0"], {
    env: environment(library, data),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout, "data");
  const address = new URL(String(printed).trim());
  const headers = { "x-turnlog-token": address.searchParams.get("token") ?? "" };
  /** @type {Page["ask"]} */
  const ask = async (path) => {
    const started = performance.now();
    const request = () => fetch(new URL(path, address), { headers });
    const response = await request().catch(request); // a kept connection may be closed just when it is used again
    const text = await response.text();
    const ms = performance.now() - started;
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return { ms, answer: JSON.parse(text) };
  };
  while ((await ask("/api/start")).answer.index.state !== "ready") await sleep(POLL_MS);
  return {
    ask,
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** @param {string} library @param {string} data */
function environment(library, data) {
  return { ...process.env, CLAUDE_CONFIG_DIR: library, TURNLOG_DATA_DIR: data, HOME: data };
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchPageServer()));
