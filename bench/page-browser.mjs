#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { appendFileSync, copyFileSync, cpSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { cacheFolder } from "./cache-folder.mjs";
import { isMain } from "./is-main.mjs";
import { indexedData, largeLibrary, manySessions } from "./libraries.mjs";
import { percentile } from "./percentile.mjs";
import { keystrokes, LONG_ID, longLibrary, withPage } from "./served-page.mjs";
import { sessionFiles } from "./session-files.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/**
 * @typedef {import("playwright-core").Page} Tab
 * @typedef {import("./target-table.mjs").TargetRow} TargetRow
 * @typedef {{ address: URL, folder: string }} Place
 */

const LOADS = 7;
const WRITES = 25;
const BETWEEN_WRITES_MS = 700;
const SCROLLS = 60;
const TYPED = 80;
const LIVE_ID = "00000000-0000-4000-a000-000000000000";
const LIVE_BYTES = 400_000;

/** The page as somebody sees it, in Chromium: a session of 200 MB; a search box; a session that is being written, beside 10,000 others. @returns {Promise<TargetRow[]>} */
export async function benchPageBrowser() {
  const folder = join(cacheFolder(), "bench", "browser-data");
  rmSync(folder, { recursive: true, force: true });
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    const long = await withPage(longLibrary(), join(folder, "long"), async ({ address, ask }) => {
      await ask(`/api/sessions/${LONG_ID}/turns?to=1`); // once it has been read ahead
      return readLongSession(tab, address);
    });
    const large = largeLibrary();
    const typed = await withPage(large.root, indexedData(large, "page"), ({ address }) =>
      typeWords(tab, address, large),
    );
    const many = manySessions();
    const live = join(folder, "live");
    const path = copyLiveSession(large.root, live);
    cpSync(indexedData(many, "many"), join(folder, "many"), { recursive: true });
    const grown = await withPage(`${many.root},${live}`, join(folder, "many"), ({ address }) =>
      watchGrowth(tab, address, path),
    );
    return [...long, typed, grown];
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env["TURNLOG_CHROMIUM"] ?? "/usr/bin/chromium",
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--enable-precise-memory-info"],
  });
}

/** @param {Tab} tab @param {URL} address */
async function readLongSession(tab, address) {
  await tab.goto(address.href);
  await tab.waitForSelector("a[href^='/s/']");
  await tab.addInitScript(noteFirstTurn);
  /** @type {number[]} */
  const firsts = [];
  /** @type {number[]} */
  const jumps = [];
  for (let load = 0; load < LOADS; load++) {
    await tab.goto(new URL(`/s/${LONG_ID}`, address).href);
    firsts.push(Number(await (await tab.waitForFunction(() => Reflect.get(globalThis, "firstTurnAt"))).jsonValue()));
    await sleep(1000);
    jumps.push(await tab.evaluate(pressEnd));
  }
  const heap = await scrollThrough(tab);
  return [
    timeRow("page in Chromium: first turns of a 200 MB session, from opening its address", firsts, 300),
    timeRow("page in Chromium: last turn of a 200 MB session, from the key", jumps, 300),
    limitRow("page in Chromium: heap while scrolling through a 200 MB session", heap, 200, "MB"),
  ];
}

/** Runs in the page: when the first turn is painted, in ms since the address was opened. */
export function noteFirstTurn() {
  const look = () => {
    if (document.querySelector(".turn:not(.pending)"))
      requestAnimationFrame(() => Object.assign(globalThis, { firstTurnAt: performance.now() }));
    else requestAnimationFrame(look);
  };
  look();
}

/** Runs in the page: how long it takes until the end is painted. */
async function pressEnd() {
  const began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
  const isThere = () => {
    const slots = [...document.querySelectorAll(".turns .slot")];
    return Number(slots.at(-1)?.getAttribute("data-key")) > 1000 && !document.querySelector(".turn.pending");
  };
  do await new Promise(requestAnimationFrame);
  while (!isThere());
  return performance.now() - began;
}

/** The most that was in use. @param {Tab} tab */
async function scrollThrough(tab) {
  let most = 0;
  for (let step = 0; step <= SCROLLS; step++) {
    await tab.evaluate((share) => {
      const box = document.querySelector(".turns");
      if (box) box.scrollTop = box.scrollHeight * share;
    }, step / SCROLLS);
    await sleep(150);
    const bytes = await tab.evaluate(() => Reflect.get(performance, "memory").usedJSHeapSize);
    most = Math.max(most, bytes / 1e6);
  }
  return most;
}

/** @param {Tab} tab @param {URL} address @param {import("./libraries.mjs").Library} library */
async function typeWords(tab, address, library) {
  const texts = keystrokes(library.root);
  await tab.goto(address.href);
  await tab.waitForSelector("a[href^='/s/']");
  const step = Math.max(1, Math.floor(texts.length / TYPED));
  /** @type {number[]} */
  const times = [];
  for (const text of texts.filter((_, at) => at % step === 0)) times.push(await tab.evaluate(typeInto, text));
  return timeRow(`page in Chromium: search of ${library.size}, from the keystroke to its hits`, times, 50, 0.95);
}

/** Runs in the page: from what is typed to the frame that shows what was found. @param {string} text */
export async function typeInto(text) {
  const input = document.querySelector("input");
  if (!input) throw new Error("no search box");
  const began = performance.now();
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  do await new Promise(requestAnimationFrame);
  while (!document.querySelector(".results:not(.stale)"));
  const took = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 100)); // as fast as people type
  return took;
}

/** @param {Tab} tab @param {URL} address @param {string} path */
async function watchGrowth(tab, address, path) {
  await tab.goto(address.href); // with its token
  await tab.waitForSelector("a[href^='/s/']");
  await tab.goto(new URL(`/s/${LIVE_ID}`, address).href);
  await tab.waitForSelector(".turn:not(.pending)");
  const write = startWriting(path);
  await tab.keyboard.press("End"); // who is at the end follows
  write("the first one");
  await tab.waitForSelector(".following");
  /** @type {number[]} */
  const times = [];
  for (let number = 0; number < WRITES; number++) {
    await sleep(BETWEEN_WRITES_MS);
    const words = `answer-${number}-of-${WRITES}`;
    const seen = tab.evaluate(waitForWords, words);
    const written = write(words);
    times.push((await seen) - written);
  }
  return timeRow("page in Chromium: a session that grows, beside 10,000 others, from the write", times, 300, 1);
}

/** Runs in the page: when the words are painted, in ms since the epoch. @param {string} words */
async function waitForWords(words) {
  do await new Promise(requestAnimationFrame);
  while (!document.querySelector(".turns")?.textContent?.includes(words));
  return Date.now();
}

/** A prompt and an answer at a time. @param {string} path */
function startWriting(path) {
  /** @type {string | null} */
  let parentUuid = null;
  const shared = { isSidechain: false, cwd: "/home/dev/live", sessionId: LIVE_ID, version: "2.1.325" };
  /** @param {string} type @param {object} message */
  const record = (type, message) => {
    const uuid = randomUUID();
    const line = { parentUuid, ...shared, type, message, uuid, timestamp: new Date().toISOString() };
    parentUuid = uuid;
    return `${JSON.stringify(line)}\n`;
  };
  /** Gives the time of the write. @param {string} words */
  return (words) => {
    const answer = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model: "claude-opus-4-5" };
    const content = [{ type: "text", text: words }];
    const prompt = record("user", { role: "user", content: "go on" });
    appendFileSync(path, prompt + record("assistant", { ...answer, content, stop_reason: "end_turn" }));
    return Date.now();
  };
}

/** A session of usual size. @param {string} library @param {string} root */
function copyLiveSession(library, root) {
  const source = sessionFiles(library).find((name) => statSync(name).size > LIVE_BYTES && !name.includes("agent-"));
  if (source === undefined) throw new Error(`no session of ${LIVE_BYTES} bytes in ${library}`);
  const folder = join(root, "projects", "-home-dev-live");
  mkdirSync(folder, { recursive: true });
  copyFileSync(source, join(folder, `${LIVE_ID}.jsonl`));
  return join(folder, `${LIVE_ID}.jsonl`);
}

/** @param {string} what @param {readonly number[]} times @param {number} limit @param {number} [share] Which one counts: the median unless said. */
export function timeRow(what, times, limit, share = 0.5) {
  const [least, median, most] = [0, 0.5, 1].map((part) => Math.round(percentile(times, part)));
  const name = share === 0.5 ? "median" : share === 1 ? "longest" : `p${share * 100}`;
  const more = `${name} of ${times.length}: ${least} to ${most}, median ${median}`;
  return limitRow(what, percentile(times, share), limit, "ms", more);
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchPageBrowser()));
