// Resumes a session in a real client, once: what it asked of the API is kept by the bytes of the session and the client.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { cacheFolder, resumeOnce } from "./clients.mjs";
import { startMockApi } from "./mock-api.mjs";

const PROMPT = "interop check";
const TIMEOUT_MS = 90_000;
const KEPT = join(cacheFolder(), "interop");
/** What the client met: another mock, another exchange. */
const SETTING = ["api-rules.mjs", "clients.mjs", "mock-api.mjs", "resume.mjs"];

/** `{ code, output, messages, appended }`: what the client said, sent and wrote; `messages` is null when it sent nothing. */
export async function resume(file, client, work) {
  const kept = join(KEPT, `${digestOf(file)}-${client.version}.json.gz`);
  if (existsSync(kept)) return JSON.parse(gunzipSync(readFileSync(kept)).toString("utf8"));
  const exchange = await exchangeOnce(file, client, work);
  mkdirSync(KEPT, { recursive: true });
  const draft = `${kept}.${process.pid}.tmp`;
  writeFileSync(draft, gzipSync(JSON.stringify(exchange)));
  renameSync(draft, kept); // a run may be killed at any moment
  return exchange;
}

/** The same for the same session wherever it lies. */
function digestOf(file) {
  const hash = createHash("sha256");
  for (const name of SETTING) hash.update(readFileSync(join(import.meta.dirname, name)));
  hash.update(basename(file));
  for (const path of [file, ...sideFiles(file)]) {
    hash.update(readFileSync(path, "latin1").replaceAll(dirname(file), ""), "latin1");
  }
  return hash.digest("hex").slice(0, 32);
}

function sideFiles(file) {
  const folder = file.replace(/\.jsonl$/, "");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
}

/** In a home of its own with the session in it, in an empty project. */
async function exchangeOnce(file, client, work) {
  const home = mkdtempSync(join(work, "home-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const id = basename(file, ".jsonl");
  const placed = join(home, ".claude", "projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`);
  mkdirSync(dirname(placed), { recursive: true });
  cpSync(file, placed);
  if (sideFiles(file).length > 0)
    cpSync(file.replace(/\.jsonl$/, ""), placed.replace(/\.jsonl$/, ""), { recursive: true });
  const api = await startMockApi();
  const run = { ...client, home, cwd, url: api.url, id, prompt: PROMPT, timeoutMs: TIMEOUT_MS };
  const { code, output } = await resumeOnce(run);
  api.close();
  const request = api.requests.find(({ messages = [] }) => JSON.stringify(messages).includes(PROMPT));
  const isEmpty = request?.messages.filter(({ role }) => role !== "system").length === 1;
  const appended = findDamage(readFileSync(file), readFileSync(placed), isEmpty);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  return { code, output: output.trim().slice(0, 300), messages: request?.messages ?? null, appended };
}

/**
 * What the client wrote must begin on a line of its own and hang on what is there; what was there must stay. Where it sent nothing of
 * the session, it may begin anew.
 */
function findDamage(before, after, isEmpty) {
  if (!after.subarray(0, before.length).equals(before)) return "the client changed what was there";
  const rows = toRows(before);
  const added = toRows(after.subarray(before.length));
  if (added === undefined || rows === undefined) return added === undefined ? "appended lines cannot be read" : null;
  const uuids = new Set([...rows, ...added].flatMap(({ uuid }) => uuid ?? []));
  const lost = added.find(({ parentUuid }) => typeof parentUuid === "string" && !uuids.has(parentUuid));
  if (lost) return `an appended record hangs on ${lost.parentUuid}, which is not there`;
  const isTalk = ({ type, isSidechain }) => (type === "user" || type === "assistant") && !isSidechain;
  const root = added.find((row) => isTalk(row) && row.parentUuid === null);
  return root && rows.some(isTalk) && !isEmpty
    ? "the client did not go on from the end, but appended a new root"
    : null;
}

function toRows(bytes) {
  try {
    const lines = bytes.toString("utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  } catch {
    return undefined;
  }
}
