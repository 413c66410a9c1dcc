/** Run by library-index.mjs: what new records of a live session cost. Arguments: internals, library, data folder, folder for the session. */
import { randomUUID } from "node:crypto";
import { appendFileSync, copyFileSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cpuMsSince } from "./cpu-time.mjs";
import { percentile } from "./percentile.mjs";
import { eachLine, sessionFiles } from "./session-files.mjs";

const APPENDS = 60;
const WARM_UP = 5;
const RECORDS = 20;
const SESSION_BYTES = 400_000;
const [internals = "", library = "", dataFolder = "", liveRoot = ""] = process.argv.slice(2);
const { lockAndSync, NO_CHANGES, openIndex, searchLibrary } = await import(internals);

const { path, lines } = copyLiveSession();
let lastUuid = JSON.parse(lines.at(-1) ?? "{}").uuid;
const roots = [library, liveRoot];
const index = openIndex(dataFolder);
await sync();
/** @type {number[]} */
const appends = [];
/** @type {number[]} */
const searches = [];
for (let at = 0; at < APPENDS; at++) {
  const word = `appended${at}z`;
  appendFileSync(path, newRecords(word));
  const started = process.cpuUsage();
  await sync([path]);
  appends.push(cpuMsSince(started));
  const asked = process.cpuUsage();
  await find(word);
  searches.push(cpuMsSince(asked));
}
index.close();
const [times, searchTimes] = [appends.slice(WARM_UP), searches.slice(WARM_UP)];
console.log(
  JSON.stringify({
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    searchP50: percentile(searchTimes, 0.5),
  }),
);

/** What the web UI does when its watcher reports files that grew. @param {readonly string[]} [grown] */
async function sync(grown) {
  const done = await lockAndSync(index, dataFolder, roots, { grown, texts: "due", acceptsPartial: true });
  if (!done) throw new Error("another process is indexing");
}

/** @param {string} text */
async function find(text) {
  const request = { text, mode: "words", filter: {} };
  const { totalSessions } = await searchLibrary(index, roots, request, [], { perSession: 3, changes: NO_CHANGES });
  if (totalSessions !== 1) throw new Error(`${text} was found in ${totalSessions} sessions`);
}

/** A session of usual size, written a moment ago. */
function copyLiveSession() {
  const source = sessionFiles(library).find((name) => statSync(name).size > SESSION_BYTES && !name.includes("agent-"));
  if (source === undefined) throw new Error(`no session of ${SESSION_BYTES} bytes in ${library}`);
  const folder = join(liveRoot, "projects", "-live");
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, "00000000-0000-4000-a000-000000000000.jsonl");
  copyFileSync(source, copy);
  /** @type {string[]} */
  const texts = [];
  eachLine(source, (bytes, start, end) => texts.push(bytes.toString("utf8", start, end)));
  return { path: copy, lines: texts.filter((line) => line.includes('"uuid"')) };
}

/** As those of the session, one after the other as Claude Code appends them; the last is a prompt with a new word. @param {string} word */
function newRecords(word) {
  const from = Math.floor(Math.random() * Math.max(1, lines.length - RECORDS));
  const salt = Math.random().toString(16).slice(2, 10).padEnd(8, "0");
  const copies = lines
    .slice(from, from + RECORDS - 1)
    .map((line) => JSON.parse(line.replaceAll(/"(id|tool_use_id)":"(msg_01|toolu_01).{8}/g, `"$1":"$2${salt}`)));
  const message = { role: "user", content: `Look at ${word}.` };
  const prompt = { isSidechain: false, cwd: "/live", type: "user", message };
  return [...copies, prompt].map((record) => `${JSON.stringify(linked(record))}\n`).join("");
}

/** @param {object} record */
function linked(record) {
  const uuid = randomUUID();
  const next = { ...record, parentUuid: lastUuid, uuid, timestamp: new Date().toISOString() };
  lastUuid = uuid;
  return next;
}
