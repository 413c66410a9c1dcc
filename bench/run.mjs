#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { benchChat } from "./chat.mjs";
import { benchFirstUse } from "./first-use.mjs";
import { benchHtmlPages } from "./html-pages.mjs";
import { benchCommands } from "./library-commands.mjs";
import { benchLibraryIndex } from "./library-index.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPageBrowser } from "./page-browser.mjs";
import { benchFirstStart } from "./page-first-start.mjs";
import { benchPageServer } from "./page-server.mjs";
import { benchPrune } from "./prune.mjs";
import { failedRow, replaceTable, toMarkdown } from "./target-table.mjs";
import { benchTrace } from "./trace.mjs";

const README = resolve(import.meta.dirname, "README.md");

/** Each writes its table as soon as it is done; one that fails says so there and does not stop the others. */
const SECTIONS = {
  "first-use": benchFirstUse,
  "first-start": benchFirstStart,
  index: benchLibraryIndex,
  commands: benchCommands,
  "page-server": benchPageServer,
  page: benchPageBrowser,
  html: benchHtmlPages,
  memory: async () => (await benchMemory()).rows,
  traces: benchTrace,
  pruning: benchPrune,
  chat: benchChat,
};

const names = /** @type {(keyof typeof SECTIONS)[]} */ (Object.keys(SECTIONS));
const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const unknown = positionals.filter((name) => !names.some((known) => known === name));
if (unknown.length > 0) throw new Error(`no such section: ${unknown.join(", ")} (there are ${names.join(", ")})`);

for (const name of names) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`${new Date().toISOString().slice(11, 19)} ${name}`);
  const table = toMarkdown(await SECTIONS[name]().catch((error) => tellFailure(name, error)));
  console.log(`### ${name}\n${table}\n`);
  if (!values.quick) writeFileSync(README, replaceTable(readFileSync(README, "utf8"), names, name, table));
}

/** @param {string} name @param {unknown} error */
function tellFailure(name, error) {
  console.error(error);
  return [failedRow(name, error)];
}
