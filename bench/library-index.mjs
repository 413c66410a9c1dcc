#!/usr/bin/env node
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleInternals } from "./bundle-internals.mjs";
import { isMain } from "./is-main.mjs";
import {
  BIN,
  commandEnv,
  dataFolder,
  indexedData,
  isQuick,
  largeLibrary,
  manySessions,
  nodePrograms,
} from "./libraries.mjs";
import { makeLive } from "./make-live.mjs";
import { measure } from "./measure.mjs";
import { withPage } from "./served-page.mjs";
import { limitRow, toMarkdown } from "./target-table.mjs";

/**
 * @typedef {import("./target-table.mjs").TargetRow} TargetRow
 * @typedef {import("./libraries.mjs").NodeProgram} NodeProgram
 */

const IDLE_MS = isQuick ? 2000 : 61_000; // old folders are looked at once in a minute
const LIVE_SESSIONS = 20;
const TICK_MS = 10; // of /proc
const GB = 1_000_000_000;

/** The index: building it, asking it, appending to it, and a web UI that nobody uses. @returns {Promise<TargetRow[]>} */
export async function benchLibraryIndex() {
  const internals = await bundleInternals();
  const many = manySessions();
  makeLive(many.root, LIVE_SESSIONS);
  const idle = idleRow(many.root, indexedData(many, "many"));
  /** @type {TargetRow[]} */
  const rows = [];
  for (const node of nodePrograms()) {
    rows.push(...(await buildRows(node, internals)), ...(await queryRows(node, internals)));
  }
  rows.push(await appendRow(internals));
  return [...rows, await idle];
}

/** `index sync` with an empty data folder does what the process in the background does; its two passes are timed in a process of their own. @param {NodeProgram} node @param {string} internals */
async function buildRows(node, internals) {
  const { root, size } = largeLibrary();
  const [scratch, data] = [dataFolder("passes"), dataFolder(node.name)];
  for (const folder of [scratch, data]) rmSync(folder, { recursive: true, force: true });
  const { catalogMs, textsMs } = await runScript("build-times.mjs", [internals, root, scratch], node.path);
  rmSync(scratch, { recursive: true });
  const args = [BIN, "index", "sync", "--json"];
  const [built] = await measure([{ name: "build", command: node.path, args, env: commandEnv(root, data) }], 1);
  if (built?.exitCode !== 0) throw new Error(`the index could not be built: ${built?.stdout}`);
  const { engine, sourceBytes, sizeBytes } = JSON.parse(built.stdout);
  const perGb = (/** @type {number} */ cpuMs) => cpuMs / 1000 / (sourceBytes / GB);
  const name = `(${node.name}, ${engine} SQLite, ${size})`;
  const whole = `\`index sync\` as a whole ${perGb(built.cpuMs).toFixed(0)}, in ${(built.wallMs / 1000).toFixed(0)} s`;
  return [
    limitRow(`catalog ${name}: building`, perGb(catalogMs), 5, "CPU s per GB"),
    limitRow(`text index ${name}: building`, perGb(textsMs), 22, "CPU s per GB", whole),
    limitRow(`index ${name}: size`, sizeBytes / sourceBytes, 0.2, "x raw"),
    limitRow(`index ${name}: peak memory`, built.peakRssMb, 320, "MB RSS"),
  ];
}

/** @param {NodeProgram} node @param {string} internals */
async function queryRows(node, internals) {
  const { root, size } = largeLibrary();
  const { figures } = await runScript("query-times.mjs", [internals, root, dataFolder(node.name)], node.path);
  return figures.map(
    (/** @type {{ name: string, limit: number, p50: number, p95: number, sessions: number }} */ figure) =>
      limitRow(
        `search in process (${node.name}, ${size}): ${figure.name}, p95`,
        figure.p95,
        figure.limit,
        "CPU ms",
        `p50 ${figure.p50.toFixed(1)} ms, up to ${figure.sessions} sessions`,
      ),
  );
}

/** @param {string} internals */
async function appendRow(internals) {
  const large = largeLibrary();
  const live = dataFolder("live session");
  rmSync(live, { recursive: true, force: true });
  const [own] = nodePrograms();
  const data = indexedData(large, own?.name ?? "");
  const { p50, p95, searchP50 } = await runScript("append-times.mjs", [internals, large.root, data, live]);
  const more = `p50 ${p50.toFixed(1)} ms; the search that finds them ${searchP50.toFixed(1)} ms`;
  return limitRow("20 new records of a live session until search finds them, p95", p95, 5, "CPU ms", more);
}

/** The process of the web UI, while nobody looks. Linux only. @param {string} library @param {string} data */
function idleRow(library, data) {
  return withPage(library, data, async ({ pid }) => {
    await sleep(isQuick ? 0 : 5000);
    const [began, before] = [performance.now(), cpuTicks(pid)];
    await sleep(IDLE_MS);
    const share = ((cpuTicks(pid) - before) * TICK_MS) / (performance.now() - began);
    return limitRow("web UI while nothing happens", share * 100, 1, "% of a core");
  });
}

/** User and system time: the 14th and 15th value, of which the second is a name in parentheses. @param {number | undefined} pid */
function cpuTicks(pid) {
  const values = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(values[11]) + Number(values[12]);
}

/** @param {string} script @param {readonly string[]} args */
async function runScript(script, args, node = process.execPath) {
  const competitor = { name: script, command: node, args: [resolve(import.meta.dirname, script), ...args] };
  const [run] = await measure([competitor], 1);
  if (run?.exitCode !== 0) throw new Error(`${script} failed`);
  return JSON.parse(run.stdout);
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchLibraryIndex()));
