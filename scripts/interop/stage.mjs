// Where new sessions are made, by the built turnlog: each once, whatever number of clients then takes it.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { listSessions } from "./sessions.mjs";

const TURNLOG = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
/** The session whose turns are merged into others. */
const OTHER_NAME = "3867a695";

export function openStage(work) {
  const once = new Map();
  const keep = (key, start) => {
    if (!once.has(key)) once.set(key, start());
    return once.get(key);
  };
  return {
    /** The session as `show --json` tells it, and what the edits need besides; undefined where it has no turns. */
    tell: (session) => keep(`tell ${session.path}`, () => tellSession(session, work)),
    /** `{ file, moved }` of the new session and the folder that has a new path in it, or `{ problem }`; neither: there was nothing to do. */
    make: (session, name, args) => keep(`make ${session.path} ${name}`, () => makeEdit(session, name, args, work)),
    /** The session as it was recorded, under the id that its edits have. */
    source: (session) =>
      keep(`source ${session.path}`, async () => placeSource(session, join(work, session.name, "source"))),
  };
}

async function tellSession({ path }, work) {
  const session = await showSession([path], work);
  if (!session || session.turns.length === 0) return undefined;
  const leaf = session.branches.dead.findLast(({ turns }) => turns > 0)?.leaf;
  const branch = leaf && (await showSession([path, "--branch", leaf], work));
  const dead = branch ? { leaf, turns: branch.turns, own: ownTurns(branch, session) } : undefined;
  const other = await tellOther(path, work);
  return { turns: session.turns, compactions: session.compactions, dead, other, tokens: await tokensOf(path, work) };
}

/** Those that the session does not have itself, not even as a copy. */
function ownTurns(branch, session) {
  const shared = new Set(session.turns.flatMap(({ uuid, messages }) => [uuid, ...messages.map(({ id }) => id)]));
  return branch.turns.filter(
    ({ uuid, messages }) => !shared.has(uuid) && !messages.some(({ id }) => id !== null && shared.has(id)),
  );
}

async function showSession(args, work) {
  const shown = await turnlog(["show", ...args, "--json", "--reveal"], work);
  return shown.code === 0 ? JSON.parse(shown.stdout) : undefined;
}

/** Any session with calls but the one that it is merged into. */
async function tellOther(path, work) {
  const other = listSessions().find(
    (session) => session.name === (path.includes(OTHER_NAME) ? "080f0bd4" : OTHER_NAME),
  );
  const { turns } = await showSession([other.path], work);
  return { path: other.path, turns };
}

/** Before pruning, and when all is pruned that can be. */
async function tokensOf(path, work) {
  const args = ["prune", path, "--preset", "extreme", "--images", "--dry-run", "--json"];
  const { code, stdout } = await turnlog(args, work);
  if (code !== 0) return { before: 0, after: 0 };
  const { tokensBefore: before, tokensAfter: after } = JSON.parse(stdout);
  return { before, after };
}

async function makeEdit(session, name, args, work) {
  const folder = join(work, session.name, name.replace(/[^a-z0-9]+/gi, "-"));
  if (args[0] === "move") return moveCopy(session, folder, args, work);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${idOf(session)}.jsonl`);
  const [command, ...rest] = args;
  const { code, stderr } = await turnlog([command, session.path, ...rest, "-o", file], work);
  if (code === 0) return { file };
  return NOTHING_TO_DO.test(stderr) ? {} : { problem: `not made: ${stderr.trim()}` };
}

const NOTHING_TO_DO =
  /there is nothing to (?:prune|shorten|merge|bring back)|messages before the compaction are no longer there|when all tools, thinking and images are gone/;

/** A move happens where clients keep their sessions. */
async function moveCopy(session, folder, [command, ...rest], work) {
  const root = join(folder, "root");
  placeSource(session, join(root, "projects", "-home-dev-before"));
  const args = [command, idOf(session), "/home/dev/after", ...rest, "--force", "--json", "--config-dir", root];
  const { code, stdout, stderr } = await turnlog(args, work);
  const file = join(root, "projects", "-home-dev-after", `${idOf(session)}.jsonl`);
  return code === 0 ? { file, moved: JSON.parse(stdout).cwd } : { problem: `not moved: ${stderr.trim()}` };
}

function placeSource(session, folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${idOf(session)}.jsonl`);
  cpSync(session.path, file);
  const side = session.path.replace(/\.jsonl$/, "");
  if (existsSync(side)) cpSync(side, file.replace(/\.jsonl$/, ""), { recursive: true });
  return file;
}

/** The same for every edit of a session, so that equal results are resumed once. */
function idOf({ name }) {
  const hex = createHash("sha256").update(`turnlog interop ${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function turnlog(args, work) {
  const env = {
    ...process.env,
    TURNLOG_DATA_DIR: join(work, "data"),
    CLAUDE_CONFIG_DIR: join(work, "none"),
    NO_COLOR: "1",
  };
  return new Promise((done) => {
    const child = spawn(process.execPath, [TURNLOG, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    const told = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (told.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (told.stderr += text));
    child.once("close", (code) => done({ code, ...told }));
  });
}
