#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { benchChat } from "./chat.mjs";
import { benchHtmlPages } from "./html-pages.mjs";
import { benchLibraryIndex } from "./library-index.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPageBrowser } from "./page-browser.mjs";
import { benchPageServer } from "./page-server.mjs";
import { benchPrune } from "./prune.mjs";
import { failedRow, toMarkdown } from "./target-table.mjs";
import { benchTrace } from "./trace.mjs";

const README = resolve(import.meta.dirname, "README.md");
const RESULTS = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

/** Each leaves its rows in the table as soon as it is done; one that fails is told there and does not stop the others. */
const SECTIONS = {
  "index and commands": benchLibraryIndex,
  "page server": benchPageServer,
  "page in Chromium": benchPageBrowser,
  "HTML pages": benchHtmlPages,
  memory: async () => (await benchMemory()).rows,
  traces: benchTrace,
  pruning: benchPrune,
  chat: benchChat,
};

/** @type {import("./target-table.mjs").TargetRow[]} */
const rows = [];
for (const [name, bench] of Object.entries(SECTIONS)) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${name}`);
  rows.push(...(await bench().catch((error) => tellFailure(name, error))));
  const table = toMarkdown(rows);
  writeFileSync(
    README,
    readFileSync(README, "utf8").replace(RESULTS, (_, start, end) => `${start}${table}\n${end}`),
  );
}
console.log(toMarkdown(rows));

/** @param {string} name @param {unknown} error */
function tellFailure(name, error) {
  console.error(error);
  return [failedRow(name, error)];
}
