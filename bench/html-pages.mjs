#!/usr/bin/env node
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { generateLongSession } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

const LIMIT_MB = 220;
const MB = 1_000_000;
const BIN = resolve(import.meta.dirname, "../dist/bin.js");

/** HTML of a session that fits into one page, and of one that becomes a folder of parts: memory, time and size. */
export async function benchHtmlPages() {
  const rows = [];
  for (const megabytes of [5, 200]) rows.push(await benchSession(megabytes));
  return rows;
}

/** @param {number} megabytes */
async function benchSession(megabytes) {
  const session = generateLongSession({ bytes: megabytes * MB });
  const folder = mkdtempSync(join(tmpdir(), "turnlog-html-bench-"));
  const args = [BIN, "export", session, "--format", "html", "--force", "-o", folder];
  const [measured] = await measure([{ name: "html", command: process.execPath, args }], 1);
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const pages = readdirSync(folder).length;
  rmSync(folder, { recursive: true });
  if (measured?.exitCode !== 0) throw new Error("the export failed");
  const size = `${(bytes / MB).toFixed(1)} MB in ${pages} ${pages === 1 ? "page" : "pages"}`;
  const more = `${(measured.cpuMs / 1000).toFixed(1)} CPU s, ${(measured.wallMs / 1000).toFixed(1)} s, ${size}`;
  const what = `\`turnlog export --format html\` of a ${megabytes} MB session`;
  return limitRow(what, measured.peakRssMb, LIMIT_MB, "MB RSS", more);
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchHtmlPages()));
