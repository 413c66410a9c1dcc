// Lets a real client go on with sessions that travelled: imported under another home and project, or moved with their project. See
// docs/interop.md.
//   node scripts/interop-travel.mjs [--clients 2.1.326,2.1.325,2.1.45]
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openPlace } from "./interop/chat/place.mjs";
import { clientCommand } from "./interop/clients.mjs";

const TURNLOG = resolve(import.meta.dirname, "../dist/bin.js");
const PROMPTS = ["[[one]] first", "[[two]] second"];
const FILES = ["a.txt", "b.txt"];
/** Files can be put back by these. */
const REWINDS = (version) => version !== "2.1.45";

const WAYS = {
  "import, not redacted": (there, here) => importInto(there, here, here.cwd, "--no-redact"),
  "import, redacted": (there, here) => importInto(there, here, here.cwd),
  "import, encrypted": (there, here) => importInto(there, here, here.cwd, "--encrypt"),
  "sync, then import": (there, here) => syncInto(there, here),
  "move --project": (there, here) => {
    const before = join(here.home, "before");
    importInto(there, here, before, "--no-redact");
    renameSync(before, here.cwd);
    turnlog(here, "move", "--project", before, here.cwd, "--yes", "--force");
  },
};

const { values: options } = parseArgs({
  options: { clients: { type: "string", default: "2.1.326,2.1.325,2.1.45" }, ways: { type: "string" } },
});
let checks = 0;
let failures = 0;
for (const version of options.clients.split(",")) {
  const client = { version, command: clientCommand(version) };
  const there = await record(client);
  try {
    for (const [name, travel] of Object.entries(WAYS)) {
      if (options.ways !== undefined && !name.startsWith(options.ways)) continue;
      await check(`${version}, ${name}`, () => goOn(client, there, travel));
    }
  } finally {
    there.place.close();
  }
}
console.log(`${checks} checks, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

async function check(label, run) {
  checks += 1;
  const problem = await run().catch((error) => error.message);
  if (problem !== null) failures += 1;
  console.log(problem === null ? `ok   ${label}` : `FAIL ${label}: ${problem}`);
}

/** A session of two prompts that changed two files, and what the files are after a rewind to each prompt. */
async function record(client) {
  const place = await openPlace();
  place.variables = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" };
  writeFileSync(join(place.cwd, "b.txt"), "beta\n");
  await place.client(client, PROMPTS[0]);
  const { id } = place; // 2.1.45 may leave another file beside it later
  await place.client(client, PROMPTS[1], "--resume", id);
  return { place, id, files: filesOf(place) };
}

async function goOn(client, there, travel) {
  const here = await openPlace();
  here.variables = there.place.variables;
  try {
    travel(there, here);
    const id = here.id;
    if (id !== there.id) return "it has another id";
    if (REWINDS(client.version)) {
      const problem = await rewindAll(client, here, there);
      if (problem) return problem;
    }
    const said = await here.client(client, "[[unread]] third", "--resume", id);
    const text = said.join("\n");
    const missing = [...PROMPTS, "ONE", "TWO"].find((word) => !text.includes(word));
    if (missing) return `the request does not hold ${missing}`;
    if (said.some((entry) => entry.startsWith("call ") && entry.includes(there.place.home)))
      return "a call in the request names the old folder";
    if (!text.includes(`${here.cwd}/a.txt`)) return "no call in the request names the new folder";
    // Only what the session has read may be written: the client knows it by its path.
    return filesOf(here)["a.txt"] === "UNREAD\n" ? null : `the tools do not know the files: ${said.at(-1)}`;
  } finally {
    here.close();
  }
}

async function rewindAll(client, here, there) {
  const wanted = { first: { "a.txt": "alpha\n", "b.txt": "beta\n" }, second: { "a.txt": "ONE\n", "b.txt": "beta\n" } };
  for (const [name, files] of Object.entries(wanted).reverse()) {
    const found = await here.undone(async () => {
      await here.rewind(client, promptNamed(here, name));
      return filesOf(here);
    });
    for (const [file, content] of Object.entries(there.files)) writeFileSync(join(here.cwd, file), content);
    if (JSON.stringify(found) !== JSON.stringify(files))
      return `a rewind to the ${name} prompt gives ${JSON.stringify(found)}`;
  }
  // As they were when they were read, also by their time.
  for (const file of FILES) cpSync(join(there.place.cwd, file), join(here.cwd, file), { preserveTimestamps: true });
  return undefined;
}

function promptNamed({ file }, name) {
  const records = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return records.find(({ type, message }) => type === "user" && JSON.stringify(message).includes(`]] ${name}`)).uuid;
}

function importInto({ place: there, id }, here, project, ...more) {
  const file = join(there.home, "session.tar.gz");
  turnlog(there, "bundle", id, "-o", file, "--force", ...more);
  mkdirSync(project, { recursive: true });
  for (const name of readdirSync(there.cwd))
    cpSync(join(there.cwd, name), join(project, name), { recursive: true, preserveTimestamps: true });
  if (project !== here.cwd && existsSync(here.cwd)) renameSync(here.cwd, join(here.home, "empty"));
  turnlog(here, "import", file, "--project", project, "--yes");
}

/** Through a folder that both machines reach. */
function syncInto({ place: there, id }, here) {
  const shared = join(here.home, "shared");
  mkdirSync(shared);
  turnlog(there, "sync", shared, "--name", "there");
  turnlog(here, "sync", shared, "--name", "here");
  for (const name of readdirSync(there.cwd))
    cpSync(join(there.cwd, name), join(here.cwd, name), { recursive: true, preserveTimestamps: true });
  turnlog(here, "import", id, "--project", here.cwd, "--yes");
}

function turnlog({ home, cwd }, ...args) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    TURNLOG_DATA_DIR: join(home, "turnlog"),
    TURNLOG_PASSPHRASE: "interop",
  };
  const { status, stderr } = spawnSync(process.execPath, [TURNLOG, ...args], {
    cwd: existsSync(cwd) ? cwd : home,
    encoding: "utf8",
    env,
  });
  if (status !== 0) throw new Error(`turnlog ${args[0]}: ${stderr.trim().split("\n")[0]}`);
}

function filesOf({ cwd }) {
  const read = (name) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : null);
  return Object.fromEntries(FILES.map((name) => [name, read(name)]));
}
