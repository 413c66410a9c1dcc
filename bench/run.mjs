#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { benchLibraryIndex } from "./library-index.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPrune } from "./prune.mjs";
import { benchScanTotals } from "./scan-totals.mjs";
import { toMarkdown } from "./target-table.mjs";

const README = resolve(import.meta.dirname, "README.md");
const RESULTS = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

const scan = await benchScanTotals();
const memory = await benchMemory();
const index = await benchLibraryIndex();
const prune = await benchPrune();
const table = toMarkdown([...scan.rows, ...index, ...memory.rows, ...prune]);
console.log(table);
writeFileSync(
  README,
  readFileSync(README, "utf8").replace(RESULTS, (_, start, end) => `${start}${table}\n${end}`),
);
