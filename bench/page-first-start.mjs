#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { rareWord } from "./first-use.mjs";
import { isMain } from "./is-main.mjs";
import { BIN, commandEnv, dataFolder, isQuick, largeLibrary } from "./libraries.mjs";
import { launchBrowser, noteFirstTurn, typeInto } from "./page-browser.mjs";
import { percentile } from "./percentile.mjs";
import { withStartedPage } from "./served-page.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/**
 * @typedef {import("playwright-core").Page} Tab
 * @typedef {{ listed: number, opened: number, rare: number, common: number, indexed: number }} FirstStart Times in s; `indexed` is the share of the bytes at the end.
 */

const STARTS = isQuick ? 1 : 3;

/** The web UI in Chromium with an empty data folder, while the index is built. @returns {Promise<import("./target-table.mjs").TargetRow[]>} */
export async function benchFirstStart() {
  const { root, size, sessions } = largeLibrary();
  const browser = await launchBrowser();
  /** @type {FirstStart[]} */
  const starts = [];
  const ids = listedIds(root);
  try {
    for (let start = 0; start < STARTS; start++) {
      const context = await browser.newContext({ viewport: { width: 1500, height: 950 } });
      starts.push(await startOnce(await context.newPage(), root, ids));
      await context.close();
    }
  } finally {
    await browser.close();
  }
  const where = `(${size} in ${sessions} sessions)`;
  const indexed = starts.map((start) => `${Math.floor(start.indexed * 100)} %`).join(", ");
  /** @param {string} what @param {"listed" | "opened" | "rare" | "common"} name @param {number} limit */
  const row = (what, name, limit) => {
    const times = starts.map((start) => start[name]);
    const [median, most] = [percentile(times, 0.5), percentile(times, 1)];
    const more = `median of ${times.length}, longest ${most.toFixed(2)} s; indexed at the end: ${indexed}`;
    return limitRow(`first start of the web UI ${where}: ${what}`, median, limit, "s", more);
  };
  return [
    row("newest session listed, after the page opens", "listed", 1),
    row("an old session opened, from its address to its first turn", "opened", 1),
    row("search of a rare word, from the keystroke", "rare", 1.5),
    row("search of a common word, from the keystroke", "common", 1.5),
  ];
}

/** @param {Tab} tab @param {string} library @param {{ newest: string, oldest: string }} ids @returns {Promise<FirstStart>} */
async function startOnce(tab, library, { newest, oldest }) {
  const data = dataFolder("first-start");
  rmSync(data, { recursive: true, force: true });
  const word = rareWord(library);
  await tab.addInitScript(noteFirstTurn);
  try {
    return await withStartedPage(library, data, async ({ address, ask }) => {
      await tab.goto(address.href, { waitUntil: "commit" });
      const listed = await tab.evaluate(waitForRow, newest);
      const common = await tab.evaluate(typeInto, "and");
      const rare = await tab.evaluate(typeInto, word);
      await tab.goto(new URL(`/s/${oldest}`, address).href, { waitUntil: "commit" });
      const first = await tab.waitForFunction(() => Reflect.get(globalThis, "firstTurnAt"));
      const opened = Number(await first.jsonValue());
      const { state, bytes, bytesDone } = (await ask("/api/start")).answer.index;
      const indexed = state === "ready" ? 1 : bytesDone / Math.max(1, bytes);
      return { listed: listed / 1000, opened: opened / 1000, rare: rare / 1000, common: common / 1000, indexed };
    });
  } finally {
    const env = { ...process.env, ...commandEnv(library, data) };
    spawnSync(process.execPath, [BIN, "index", "stop"], { env, stdio: "ignore" });
    rmSync(data, { recursive: true, force: true });
  }
}

/** Runs in the page: when the row of a session is painted, in ms since the address was opened. @param {string} id */
async function waitForRow(id) {
  while (!document.querySelector(`.row a[href^='/s/${id}']`)) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now();
}

/** The first and the last of `turnlog list`. @param {string} library */
function listedIds(library) {
  const data = dataFolder("first-start");
  const env = { ...process.env, ...commandEnv(library, data) };
  const run = spawnSync(process.execPath, [BIN, "list", "--json"], { env, encoding: "utf8", maxBuffer: 1 << 28 });
  const sessions = /** @type {{ id: string, turns: number }[]} */ (JSON.parse(run.stdout)).filter((it) => it.turns > 0);
  return { newest: sessions[0]?.id ?? "", oldest: sessions.at(-1)?.id ?? "" };
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchFirstStart()));
