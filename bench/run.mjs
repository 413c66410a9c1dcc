#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { benchHtmlPages } from "./html-pages.mjs";
import { benchLibraryIndex } from "./library-index.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPageServer } from "./page-server.mjs";
import { benchPrune } from "./prune.mjs";
import { benchScanTotals } from "./scan-totals.mjs";
import { toMarkdown } from "./target-table.mjs";
import { benchTrace } from "./trace.mjs";

const README = resolve(import.meta.dirname, "README.md");
const RESULTS = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

const scan = await benchScanTotals();
const memory = await benchMemory();
const index = await benchLibraryIndex();
const page = await benchPageServer();
const html = await benchHtmlPages();
const trace = await benchTrace();
const prune = await benchPrune();
const table = toMarkdown([...scan.rows, ...index, ...page, ...html, ...memory.rows, ...trace, ...prune]);
console.log(table);
writeFileSync(
  README,
  readFileSync(README, "utf8").replace(RESULTS, (_, start, end) => `${start}${table}\n${end}`),
);
