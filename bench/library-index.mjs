#!/usr/bin/env node
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleInternals } from "./bundle-internals.mjs";
import { cacheFolder } from "./cache-folder.mjs";
import { findNode24 } from "./find-node24.mjs";
import { generateLibrary } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { benchCommands } from "./library-commands.mjs";
import { makeLive } from "./make-live.mjs";
import { measure } from "./measure.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/** @typedef {import("./target-table.mjs").TargetRow} TargetRow */

const BIN = resolve(import.meta.dirname, "../dist/bin.js");
const IDLE_SECONDS = 61; // old folders are looked at once in a minute
const LIVE_SESSIONS = 20;
const PREFIX_MS = 100;
const QUERY_MS = 10;

/** The index of 1 GB and 10,000 sessions: building, asking, appending, watching. @returns {Promise<TargetRow[]>} */
export async function benchLibraryIndex() {
  const library = generateLibrary();
  makeLive(library, LIVE_SESSIONS);
  const internals = await bundleInternals();
  const folder = dataFolder();
  rmSync(folder, { recursive: true, force: true });
  const idle = runScript("idle-watch.mjs", [internals, library, String(IDLE_SECONDS)]);
  /** @type {TargetRow[]} */
  const rows = [];
  for (const node of [process.execPath, findNode24()]) {
    if (node === undefined) continue;
    const data = join(folder, node === process.execPath ? "own" : "node24");
    mkdirSync(data, { recursive: true });
    rows.push(...(await buildRows(node, library, data)), ...(await queryRows(node, internals, library, data)));
  }
  const data = join(folder, "own");
  rows.push(...(await benchCommands(library, data)));
  rows.push(...(await appendRows(internals, library, data, join(folder, "live"))));
  const { share } = await idle;
  rows.push(limitRow("watching while nothing happens", share * 100, 1, "% of a core"));
  return rows;
}

/** Where the indexes stay until the next run: `own` is that of this Node. */
export function dataFolder() {
  return join(cacheFolder(), "bench", "data");
}

/** @param {string} node @param {string} library @param {string} data */
async function buildRows(node, library, data) {
  const env = { CLAUDE_CONFIG_DIR: library, TURNLOG_DATA_DIR: data, HOME: data };
  const [built] = await measure([{ name: "build", command: node, args: [BIN, "index", "sync", "--json"], env }], 1);
  if (built?.exitCode !== 0) throw new Error(`the index could not be built: ${built?.stdout}`);
  const { engine, sourceBytes } = JSON.parse(built.stdout);
  const name = `index of ${(sourceBytes / 1e9).toFixed(2)} GB (${engine} SQLite)`;
  return [
    limitRow(`${name}: building`, built.cpuMs / 1000 / (sourceBytes / 1e9), 25, "CPU s per GB"),
    limitRow(`${name}: peak memory`, built.peakRssMb, 300, "MB RSS"),
    limitRow(`${name}: size`, statSync(join(data, "index.db")).size / sourceBytes, 0.35, "x raw"),
  ];
}

/** @param {string} node @param {string} internals @param {string} library @param {string} data */
async function queryRows(node, internals, library, data) {
  const { engine, figures } = await runScript("query-times.mjs", [internals, library, data], node);
  return figures.map((/** @type {{ name: string, p50: number, p95: number }} */ { name, p50, p95 }) =>
    limitRow(
      `search in process (${engine} SQLite): ${name}, p95`,
      p95,
      name === "prefix" ? PREFIX_MS : QUERY_MS,
      "CPU ms",
      `p50 ${p50.toFixed(1)} ms`,
    ),
  );
}

/** @param {string} internals @param {string} library @param {string} data @param {string} live */
async function appendRows(internals, library, data, live) {
  const times = await runScript("append-times.mjs", [internals, library, data, live]);
  return [
    limitRow(
      "20 new records of a live session into the index, p95",
      times.appendP95,
      5,
      "CPU ms",
      `p50 ${times.appendP50.toFixed(1)} ms`,
    ),
  ];
}

/** @param {string} script @param {readonly string[]} args */
async function runScript(script, args, node = process.execPath) {
  const competitor = { name: script, command: node, args: [resolve(import.meta.dirname, script), ...args] };
  const [run] = await measure([competitor], 1);
  if (run?.exitCode !== 0) throw new Error(`${script} failed`);
  return JSON.parse(run.stdout);
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchLibraryIndex()));
