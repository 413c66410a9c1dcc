#!/usr/bin/env node
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cacheFolder } from "./cache-folder.mjs";
import { printAsForeigner } from "./client-shapes.mjs";
import { isMain } from "./is-main.mjs";
import { openLineFile } from "./line-file.mjs";
import { createRandom } from "./random.mjs";
import { createSampleText } from "./sample-text.mjs";
import { writeSession } from "./write-session.mjs";

/**
 * @typedef {import("./client-shapes.mjs").Origin} Origin
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {{ cwd: string, folder: string, text: import("./sample-text.mjs").SampleText }} Project
 */

const MB = 1_000_000;
const MODELS = ["claude-opus-5-5", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"];
const OWN_SHARE = 0.6; // the rest is sub-agents, forks, first turns of tiny sessions and characters of more than one byte
const LARGEST_FORKED_BYTES = 3 * MB;
const DAY_MS = 86_400_000;
const NEWEST = Date.UTC(2026, 10, 1);
const AGE_DAYS = 1000;

/** Years of sessions, most of them small, a few many times as large; the folder serves as CLAUDE_CONFIG_DIR. @returns {string} */
export function generateLibrary({ bytes = 1000 * MB, sessions = 10_000, seed = 1 } = {}) {
  return inCache(`library-${bytes}-${sessions}-${seed}`, (root) => {
    const random = createRandom(seed);
    const weights = Array.from({ length: sessions }, () => random.skewed(1, 1.5));
    const scale = (bytes * OWN_SHARE) / weights.reduce((sum, weight) => sum + weight, 0);
    for (const part of shareOut(random, weights, Math.max(4, Math.round(sessions / 25)))) {
      const project = createProject(random, root);
      for (const weight of part) writeLibrarySession(random, project, weight * scale);
    }
  });
}

/** Some projects have many sessions, most a few; each at least one. @param {Random} random @param {readonly number[]} weights @param {number} projects */
function shareOut(random, weights, projects) {
  const parts = Array.from({ length: projects }, () => /** @type {number[]} */ ([]));
  for (const [at, weight] of weights.entries()) {
    parts[at < projects ? at : Math.floor(projects * random.next() ** 2)]?.push(weight);
  }
  return parts;
}

/** One long session. @returns {string} The path of its file. */
export function generateLongSession({ bytes = 200 * MB, seed = 2 } = {}) {
  const root = inCache(`session-${bytes}-${seed}`, (folder) => {
    const random = createRandom(seed);
    const out = openLineFile(join(folder, "session.jsonl"));
    const plan = planSession(random, createProject(random, folder), "2.1.325");
    writeSession({ ...plan, targetBytes: bytes, writeRecord: out.record });
    out.close();
  });
  return join(root, "session.jsonl");
}

/** A session of two megabytes in which one tool result is a single huge line. @returns {string} The path of its file. */
export function generateLongLine({ bytes = 100 * MB, seed = 3 } = {}) {
  const root = inCache(`line-${bytes}-${seed}`, (folder) => {
    const random = createRandom(seed);
    const out = openLineFile(join(folder, "session.jsonl"));
    const project = createProject(random, folder);
    const plan = { ...planSession(random, project, "2.1.45"), targetBytes: MB, writeRecord: out.record };
    writeSession(plan);
    writeHugeResult(out, project, plan.origin, bytes);
    writeSession(plan);
    out.close();
  });
  return join(root, "session.jsonl");
}

/** Built beside its place and then moved there: an interrupted run leaves nothing that looks complete. @param {string} name @param {(folder: string) => void} build */
function inCache(name, build) {
  const folder = join(cacheFolder(), "bench", name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  build(unfinished);
  renameSync(unfinished, folder);
  return folder;
}

/** @param {Random} random @param {string} root @returns {Project} */
function createProject(random, root) {
  const text = createSampleText(random);
  const cwd = `/home/dev/${text.word()}/${text.word()}-${random.hex(3)}`;
  return { cwd, folder: join(root, "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-")), text };
}

/** @param {Random} random @param {Project} project @param {number} targetBytes */
function writeLibrarySession(random, project, targetBytes) {
  const ageDays = AGE_DAYS * random.next() ** 1.5;
  const plan = planSession(random, project, versionOfAge(ageDays), NEWEST - Math.round(ageDays * DAY_MS));
  const { sessionId } = plan.origin;
  const out = openLineFile(join(project.folder, `${sessionId}.jsonl`));
  const print = random.chance(0.03) ? printAsForeigner.bind(null, random) : JSON.stringify;
  const isForked = targetBytes < LARGEST_FORKED_BYTES && random.chance(0.05);
  /** @type {string[]} */
  const copied = [];
  /** @param {object} record */
  const writeRecord = (record) => {
    const line = print(record);
    if (isForked) copied.push(line);
    return out.line(line);
  };
  const openAgent = agentOpener(project, plan.origin);
  const endedAt = writeSession({ ...plan, targetBytes, writeRecord, openAgent });
  out.close(endedAt);
  if (isForked) writeFork(project, copied, { from: sessionId, to: random.uuid(), at: endedAt + DAY_MS });
}

/** The newest client wrote the last fifth. @param {number} ageDays */
function versionOfAge(ageDays) {
  if (ageDays < AGE_DAYS / 10) return "2.1.325";
  return ageDays < AGE_DAYS / 2 ? "2.1.45" : "2.0.50";
}

/** @param {Random} random @param {Project} project @param {import("./client-shapes.mjs").ClientVersion} version */
function planSession(random, { cwd, text }, version, startedAt = NEWEST) {
  const origin = { version, sessionId: random.uuid(), cwd };
  return { origin, random, text, model: random.pick(MODELS), startedAt };
}

/** 2.0.50 puts agents beside sessions, later clients below them. @param {Project} project @param {Origin} origin */
function agentOpener({ folder }, { version, sessionId }) {
  const place = version === "2.0.50" ? folder : join(folder, sessionId, "subagents");
  return (/** @type {string} */ agentId) => openLineFile(join(place, `agent-${agentId}.jsonl`));
}

/** A fork repeats the history, message ids included, under a new session id. @param {Project} project @param {string[]} lines @param {{ from: string, to: string, at: number }} fork */
function writeFork({ folder }, lines, { from, to, at }) {
  const out = openLineFile(join(folder, `${to}.jsonl`));
  for (const line of lines) out.line(line.replaceAll(from, to));
  out.close(at);
}

/** The text is written in pieces, because it may exceed what one string can hold. @param {import("./line-file.mjs").LineFile} out @param {Project} project @param {Origin} origin @param {number} bytes */
function writeHugeResult(out, { text }, origin, bytes) {
  const gap = "@@";
  const content = [{ tool_use_id: "toolu_huge", type: "tool_result", content: gap }];
  const body = {
    type: "user",
    message: { role: "user", content },
    uuid: "huge",
    timestamp: "2026-05-01T09:00:00.000Z",
  };
  const envelope = { parentUuid: null, isSidechain: false, userType: "external", ...origin };
  const [before = "", after = ""] = JSON.stringify({ ...envelope, ...body }).split(gap);
  out.piece(before);
  for (let written = 0; written < bytes; ) written += out.piece(JSON.stringify(text.lines("log", MB)).slice(1, -1));
  out.line(after);
}

if (isMain(import.meta.url)) {
  const number = /** @type {const} */ ({ type: "string" });
  const { values } = parseArgs({
    options: { kind: { type: "string", default: "library" }, bytes: number, sessions: number, seed: number },
  });
  const { kind, ...given } = values;
  const sizes = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
  const generators = { library: generateLibrary, session: generateLongSession, line: generateLongLine };
  console.log(generators[/** @type {keyof typeof generators} */ (kind)](sizes));
}
