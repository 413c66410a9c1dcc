/** Run by library-index.mjs: what new records of a live session cost. Arguments: internals, library, data folder, folder for the session. */
import { appendFileSync, copyFileSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "./percentile.mjs";
import { eachLine, sessionFiles } from "./session-files.mjs";

const APPENDS = 60;
const SYNCS = 5;
const RECORDS = 20;
const SESSION_BYTES = 400_000;
const [internals = "", library = "", dataFolder = "", liveRoot = ""] = process.argv.slice(2);
const { createIndexWriter, indexFile, openIndex, syncIndex, walkLibrary } = await import(internals);

const { path, lines } = copyLiveSession();
const index = openIndex(dataFolder);
const roots = [library, liveRoot];
await syncIndex(index, roots);
const [file] = walkLibrary([liveRoot]).files;

const appends = await timesOf(APPENDS, () => indexLiveFile());
const syncs = await timesOf(SYNCS, () => syncIndex(index, roots));
index.close();
console.log(
  JSON.stringify({
    appendP50: percentile(appends, 0.5),
    appendP95: percentile(appends, 0.95),
    syncP50: percentile(syncs, 0.5),
  }),
);

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

/** What a watcher that was told of the change does. */
function indexLiveFile() {
  const stats = statSync(path);
  const live = { ...file, size: stats.size, mtimeMs: stats.mtimeMs };
  index.db.transaction(() => {
    const row = readFileRow();
    for (const _ of indexFile(createIndexWriter(index.db), live, row, Date.now()));
  });
}

function readFileRow() {
  return index.db
    .prepare("SELECT id, path, size, mtime, inode, cursor, is_counted, problem FROM files WHERE path = ?")
    .get(path);
}

/** Each with its own new records, whose writing is not counted. @param {number} count @param {() => unknown} work */
async function timesOf(count, work) {
  const times = [];
  for (let at = 0; at < count; at++) {
    appendFileSync(path, newRecords());
    const started = process.cpuUsage();
    await work();
    times.push(cpuMs(started));
  }
  return times.slice(Math.min(5, count >> 2));
}

/** As those of the session, but not the same. */
function newRecords() {
  const from = Math.floor(Math.random() * Math.max(1, lines.length - RECORDS));
  const salt = Math.random().toString(16).slice(2, 10).padEnd(8, "0");
  return `${lines
    .slice(from, from + RECORDS)
    .join("\n")
    .replaceAll(/"(uuid|id)":"(msg_01|toolu_01)?.{8}/g, `"$1":"$2${salt}`)}\n`;
}

/** The time of the processor, because that of the clock counts what other programs do. @param {NodeJS.CpuUsage} started */
function cpuMs(started) {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
