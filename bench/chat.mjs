#!/usr/bin/env node
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { generateLongSession } from "./generate-library.mjs";
import { installAgentSdk } from "./install-peers.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { limitRow, memoryRow, toMarkdown } from "./target-table.mjs";

const MB = 1_000_000;
const TURNS = 500;
const ROUNDS = 3;
const SESSION_BYTES = 170 * MB; // 59,615 records
const ID = "11111111-2222-4333-8444-555555555555";

/** What turnlog adds to a turn, and going on with a long session, all in processor time. */
export async function benchChat() {
  return [...(await benchTurns()), await benchResume()];
}

async function benchTurns() {
  const script = resolve(import.meta.dirname, "chat-turns.mjs");
  const [run] = await measure([{ name: "turns", command: process.execPath, args: [script, String(TURNS)] }], 1);
  if (run?.exitCode !== 0) throw new Error("the turns failed");
  const { cpuP50, cpuP95, wallP50, lineMicros } = JSON.parse(run.stdout);
  const more = `p95 ${cpuP95.toFixed(1)} ms; by the clock, with its syncs, p50 ${wallP50.toFixed(1)} ms`;
  return [
    limitRow("chat: a turn of two requests outside of API and tools, p50 in CPU time", cpuP50, 10, "ms", more),
    limitRow("chat: a line appended, p50 in CPU time", lineMicros, 100, "µs"),
    memoryRow(`chat: ${TURNS} turns`, 220, run),
  ];
}

async function benchResume() {
  const home = mkdtempSync(join(tmpdir(), "turnlog-bench-resume-"));
  mkdirSync(join(home, "projects", "bench"), { recursive: true });
  copyFileSync(generateLongSession({ bytes: SESSION_BYTES }), join(home, "projects", "bench", `${ID}.jsonl`));
  const script = resolve(import.meta.dirname, "chat-resume.mjs");
  const competitor = (/** @type {string} */ name, /** @type {string[]} */ ...more) => ({
    name,
    command: process.execPath,
    args: [script, home, ID, ...more],
  });
  /** @type {number[][]} */
  const times = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await measure([competitor("ours"), competitor("theirs", installAgentSdk())], 1);
    for (const [at, { stdout }] of runs.entries()) times[at]?.push(Number(stdout));
  }
  rmSync(home, { recursive: true });
  const [ours = 0, theirs = 0] = times.map((all) => Math.min(...all) / 1000);
  const ratio = ours / theirs;
  return {
    what: "chat: going on with a session of 59,615 records (170 MB) against the Agent SDK's `getSessionMessages`, CPU",
    target: "<= 0.5 x",
    measured: `${ours.toFixed(2)} s against ${theirs.toFixed(2)} s`,
    ratio: `${ratio.toFixed(2)} x`,
    reached: ratio <= 0.5,
  };
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchChat()));
