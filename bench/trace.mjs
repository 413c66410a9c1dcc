#!/usr/bin/env node
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { generateLibrary, generateLongSession } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { memoryRow, ratioRow, toMarkdown } from "./target-table.mjs";

const BIN = resolve(import.meta.dirname, "../dist/bin.js");
const MB = 1_000_000;
const HOOK_ROUNDS = 15;
const WORK_ROUNDS = 5;
const LIMIT_MB = 300;

/** The Stop hook of a long session, its worker, and the past of a whole library. */
export async function benchTrace({ libraryBytes = 100 * MB, sessions = 1000 } = {}) {
  const receiver = await startReceiver();
  const data = mkdtempSync(join(tmpdir(), "turnlog-bench-trace-"));
  const targets = [{ name: "otlp", kind: "otlp", endpoint: receiver.endpoint }];
  writeFileSync(join(data, "config.json"), JSON.stringify({ trace: { targets } }));
  const env = { TURNLOG_DATA_DIR: data };
  try {
    const hook = await benchHook(data, env);
    const work = await benchWork(data, env);
    const backfill = await benchBackfill(generateLibrary({ bytes: libraryBytes, sessions }), env, receiver);
    return [...hook, ...work, ...backfill];
  } finally {
    receiver.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** @param {string} data @param {Record<string, string>} env */
async function benchHook(data, env) {
  const input = join(data, "input.json");
  const transcript = generateLongSession({ bytes: 50 * MB, seed: 3 });
  writeFileSync(input, JSON.stringify({ hook_event_name: "Stop", transcript_path: transcript }));
  const piped = (/** @type {string} */ name, /** @type {string} */ program) => ({
    name,
    command: "sh",
    args: ["-c", `exec "${process.execPath}" ${program} < "${input}"`],
    env,
  });
  const [node, hook] = await measure([piped("node -e 0", "-e 0"), piped("hook", `"${BIN}" hook`)], HOOK_ROUNDS);
  await untilIdle(data);
  if (!node || !hook) return [];
  return [ratioRow("Stop hook of a 50 MB session against `node -e 0`", 2, hook, node)];
}

/** The worker again, when a turn of some 20 records was added to a long and to a short session. @param {string} data @param {Record<string, string>} env */
async function benchWork(data, env) {
  const times = [];
  for (const bytes of [50 * MB, 1 * MB]) times.push(await timeNewTurn(data, env, bytes));
  const [long, short] = times;
  if (!long || !short) return [];
  return [ratioRow("worker: a new turn of a 50 MB session against one of a 1 MB session", 1.5, long, short)];
}

/** @param {string} data @param {Record<string, string>} env @param {number} bytes */
async function timeNewTurn(data, env, bytes) {
  const path = join(data, `${bytes}.jsonl`);
  copyFileSync(generateLongSession({ bytes, seed: 3 }), path);
  const spool = (/** @type {number} */ at) =>
    writeFileSync(join(data, "spool", `${at}.json`), JSON.stringify({ event: "SessionEnd", transcript: path, at }));
  spool(0);
  const work = { name: "work", command: process.execPath, args: [BIN, "trace", "work", "--patience", "0"], env };
  await measure([work], 1);
  const rounds = [];
  for (let round = 1; round <= WORK_ROUNDS; round++) {
    writeFileSync(path, newTurn(round), { flag: "a" });
    spool(round);
    rounds.push(...(await measure([work], 1)));
  }
  return rounds.toSorted((a, b) => a.wallMs - b.wallMs)[WORK_ROUNDS >> 1];
}

/** @param {number} round */
function newTurn(round) {
  const timestamp = new Date(Date.UTC(2026, 10, 2) + round * 1000).toISOString();
  const lines = [{ type: "user", uuid: `turn-${round}`, timestamp, message: { role: "user", content: "Go on" } }];
  for (let at = 0; at < 19; at++) {
    const message = { id: `m-${round}-${at}`, role: "assistant", model: "claude-opus-5-5", content: "Done." };
    lines.push({ type: "assistant", uuid: `answer-${round}-${at}`, timestamp, message });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** @param {string} library @param {Record<string, string>} env @param {Awaited<ReturnType<typeof startReceiver>>} receiver */
async function benchBackfill(library, env, receiver) {
  const before = receiver.spans();
  const args = [BIN, "trace", "send", "--all", "--json"];
  const send = { name: "send", command: process.execPath, args, env: { ...env, CLAUDE_CONFIG_DIR: library } };
  const [ours] = await measure([send], 1);
  if (!ours) return [];
  const { turns } = JSON.parse(ours.stdout);
  const perSecond = Math.round(turns / (ours.wallMs / 1000));
  const what = `backfill of a library: ${turns} turns, ${receiver.spans() - before} spans, ${perSecond} turns a second`;
  return [memoryRow(what, LIMIT_MB, ours)];
}

/** Takes everything and keeps nothing but a count. */
async function startReceiver() {
  let spans = 0;
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    spans += gunzipSync(Buffer.concat(pieces)).toString("latin1").split('"startTimeUnixNano"').length - 1;
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans: () => spans,
    close: () => server.close(),
  };
}

/** Until the workers that hooks started have ended. @param {string} data */
async function untilIdle(data) {
  const isBusy = () =>
    existsSync(join(data, "locks", "trace.lock")) ||
    readdirSync(join(data, "spool")).some((name) => !name.startsWith("."));
  for (let quiet = 0; quiet < 5; quiet = isBusy() ? 0 : quiet + 1) await sleep(200);
}

if (isMain(import.meta.url)) {
  const large = process.argv.includes("--large") ? { libraryBytes: 1000 * MB, sessions: 10_000 } : {};
  console.log(toMarkdown(await benchTrace(large)));
}
