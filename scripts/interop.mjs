// Makes new sessions of recorded ones and resumes them in real clients against a mock API. See docs/interop.md.
//   npm run interop -- [--sessions quirks|all|<id,…>] [--clients 2.1.325,…] [--edits clone,…] [--minutes 30] [--fresh]
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { blocksOf, findRefusals } from "./interop/api-rules.mjs";
import { cacheFolder, clientCommand, resumeOnce } from "./interop/clients.mjs";
import { EDITS, QUIRKS, USUAL_EDITS } from "./interop/edits.mjs";
import { startMockApi } from "./interop/mock-api.mjs";
import { writeReport } from "./interop/report.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const TURNLOG = join(ROOT, "dist", "bin.js");
const CORPUS = join(ROOT, "test", "corpus");
const PROMPT = "interop check";
const TIMEOUT_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", default: "all" },
    clients: { type: "string", default: "2.1.325,2.1.45,2.0.50" },
    edits: { type: "string" },
    minutes: { type: "string", default: "600" },
    fresh: { type: "boolean", default: false },
  },
});
const RESULTS = join(cacheFolder(), "interop-results.json");
const build = hashBuild();
const results = options.fresh || !existsSync(RESULTS) ? {} : JSON.parse(readFileSync(RESULTS, "utf8"));
const clients = options.clients.split(",").map((version) => ({ version, command: clientCommand(version) }));
const deadline = Date.now() + Number(options.minutes) * 60_000;
const work = mkdtempSync(join(tmpdir(), "turnlog-interop-"));
const commands = turnlog(["--help"]).stdout;
let isCutShort = false;
try {
  for (const session of chooseSessions()) await checkSession(session);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const current = Object.values(results).filter((result) => result.build === build);
writeReport(join(ROOT, "docs", "interop.md"), current);
const failed = current.filter(({ problem }) => problem !== null);
console.log(
  `${current.length} checks, ${failed.length} failed${isCutShort ? "; the time is over, run again to go on" : ""}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Quirks first, so that a run that is cut short has seen them. */
function chooseSessions() {
  const all = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && !/agent-|history\.jsonl/.test(path))
    .map((path) => ({ path: join(CORPUS, path), name: nameOf(path) }));
  const quirks = all.filter(({ name }) => name in QUIRKS);
  if (options.sessions === "quirks") return quirks;
  if (options.sessions !== "all") return all.filter(({ name }) => options.sessions.split(",").includes(name));
  return [...quirks, ...all.filter(({ name }) => !(name in QUIRKS))];
}

function nameOf(path) {
  const name = basename(path, ".jsonl");
  return /^[0-9a-f]{8}-/.test(name) ? name.slice(0, 8) : name;
}

async function checkSession({ path, name }) {
  const shown = turnlog(["show", path, "--json", "--reveal"]);
  const session = shown.status === 0 ? JSON.parse(shown.stdout) : undefined;
  if (!session || session.turns.length === 0) return;
  for (const edit of EDITS.filter((it) => isWanted(it, name))) {
    const args = edit.args(session);
    if (!args) continue;
    const open = clients.filter(({ version }) => results[keyOf(name, edit, version)]?.build !== build);
    if (open.length === 0) continue;
    if (Date.now() > deadline) {
      isCutShort = true;
      return;
    }
    await Promise.all(open.map((client) => checkEdit({ path, name, edit, args, client })));
    writeFileSync(RESULTS, JSON.stringify(results));
  }
}

function isWanted({ name, args }, session) {
  const [command] = args({ turns: [1, 2], branches: { dead: [{ turns: 1, leaf: "leaf" }] } });
  if (!new RegExp(`^  ${command}\\b`, "m").test(commands)) return false;
  if (options.edits) return options.edits.split(",").includes(name);
  return session in QUIRKS || USUAL_EDITS.includes(name);
}

function keyOf(session, edit, version) {
  return `${session} / ${edit.name} / ${version}`;
}

/** A folder for each check: the client's home with the new session in it, and an empty project. */
async function checkEdit({ path, name, edit, args, client }) {
  const home = mkdtempSync(join(work, "home-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const id = randomUUID();
  const file = join(home, ".claude", "projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const [command, ...rest] = args;
  const edited = turnlog([command, path, ...rest, "-o", file]);
  const result =
    edited.status === 0
      ? await resume({ home, cwd, id, file, client })
      : { problem: `not made: ${edited.stderr.trim()}` };
  const { problem, messages = 0, missing = 0 } = result;
  results[keyOf(name, edit, client.version)] = {
    session: name,
    edit: edit.name,
    client: client.version,
    build,
    problem,
    messages,
    missing,
  };
  console.log(
    `${problem === null ? "ok  " : "FAIL"} ${keyOf(name, edit, client.version)}${problem === null ? "" : `: ${problem}`}`,
  );
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

async function resume({ home, cwd, id, file, client }) {
  const expected = expectedWords(file);
  const kept = `${file}.before`;
  copyFileSync(file, kept);
  const api = await startMockApi();
  const { code, output } = await resumeOnce({
    ...client,
    home,
    cwd,
    url: api.url,
    id,
    prompt: PROMPT,
    timeoutMs: TIMEOUT_MS,
  });
  api.close();
  const request = api.requests.find(({ messages = [] }) =>
    messages.some((message) => textOf(message).includes(PROMPT)),
  );
  if (!request) return { problem: `no request: ${output.trim().slice(0, 200) || `exit code ${code}`}` };
  const [refusal] = findRefusals(request);
  const said = squeeze(request.messages.map(textOf).join("\n"));
  const missing = expected.filter((words) => !said.includes(words));
  const messages = request.messages.length;
  if (refusal) return { problem: refusal, messages };
  if (code !== 0) return { problem: `exit code ${code}`, messages };
  if (missing.length > 0)
    return { problem: `${missing.length} of ${expected.length} prompts are not sent: "${missing[0]}"`, messages };
  const isIntact = readFileSync(file).subarray(0, readFileSync(kept).length).equals(readFileSync(kept));
  return { problem: isIntact ? null : "the client changed what was there", messages };
}

/** The beginnings of the prompts that a client must send: those since the last compaction. */
function expectedWords(file) {
  const exported = turnlog(["export", file, "--format", "api", "--no-redact"]);
  const json = JSON.parse(exported.stdout);
  const sent = squeeze((Array.isArray(json) ? json : json.messages).map(textOf).join("\n"));
  const { turns } = JSON.parse(turnlog(["show", file, "--json", "--reveal"]).stdout);
  const words = turns.filter(({ kind }) => kind === "prompt").map(({ prompt }) => squeeze(prompt).slice(0, 40));
  return words.filter((text) => text !== "" && sent.includes(text));
}

function textOf(message) {
  return blocksOf(message)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

function turnlog(args) {
  const env = {
    ...process.env,
    TURNLOG_DATA_DIR: join(work, "data"),
    CLAUDE_CONFIG_DIR: join(work, "none"),
    NO_COLOR: "1",
  };
  return spawnSync(process.execPath, [TURNLOG, ...args], { encoding: "utf8", env, maxBuffer: 1 << 30 });
}

function hashBuild() {
  const files = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  const hash = createHash("sha1");
  for (const file of files.toSorted()) hash.update(readFileSync(join(ROOT, "dist", file)));
  return hash.digest("hex").slice(0, 12);
}
