import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { isTemporaryName } from "../../src/store/temporary.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { APPENDED, type ForeignChange, runFaulty } from "./faulty-process.js";
import { oldLibrary } from "./old-library.js";
import { PLANTED_ID } from "./planted-library.js";
import { runCli } from "./run-cli.js";

const TRANSCRIPT = join("projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
const ELSEWHERE = ["move", PLANTED_ID, "/home/dev/elsewhere", "--force"];

const COMMANDS: readonly (readonly string[])[] = [
  ["clone", PLANTED_ID],
  ["prune", PLANTED_ID, "--preset", "extreme"],
  ["fork", PLANTED_ID, "--at", "1"],
  ["redact", PLANTED_ID],
  ["archive", "on"],
  ["delete", PLANTED_ID, "--force"],
  ["restore", PLANTED_ID],
  ELSEWHERE,
  [...ELSEWHERE, "--rewrite-cwd"],
];

const KINDS: readonly ForeignChange["kind"][] = ["appended", "rewritten", "truncated", "replaced", "removed"];
/** Beyond the last of them the process ends by itself. */
const LAST_CHANGE = 90;
const LAST_MOMENT = 700;

export interface Round {
  readonly command: readonly string[];
  readonly killAt: number;
  /** What another program does to the transcript, and when. */
  readonly change: Pick<ForeignChange, "kind" | "at"> | undefined;
}

/** Everything about a round follows from its seed. */
export function planRound(seed: number): Round {
  const next = randomFrom(seed);
  const below = (end: number) => Math.floor(next() * end);
  const command = COMMANDS[below(COMMANDS.length)] ?? [];
  const killAt = 1 + below(LAST_CHANGE);
  const kind = KINDS[below(KINDS.length * 2)];
  return { command, killAt, change: kind && { kind, at: 1 + below(LAST_MOMENT) } };
}

export interface RoundEnd {
  /** Files whose bytes are nowhere any more. */
  readonly lost: readonly string[];
  /** Transcripts under a final name that are not whole. */
  readonly halved: readonly string[];
  /** Temporary files after the next start. */
  readonly left: readonly string[];
}

/** Kills a command while another program changes its source, starts again, and looks for everything that was there. */
export async function runRound({ command, killAt, change }: Round): Promise<RoundEnd> {
  const { root, env: folders } = oldLibrary();
  const env = { ...folders, TMPDIR: temporaryFolder() };
  if (command[0] === "restore") await runCli(["delete", PLANTED_ID, "--force"], env);
  const before = filesBelow(root, env.TURNLOG_DATA_DIR);
  const report = join(temporaryFolder(), "report.json");
  const fault = change ? { change: { ...change, path: join(root, TRANSCRIPT), report } } : {};
  await runFaulty(command, env, { killAt, ...fault });
  await runFaulty(["list", "--no-index"], env, {});
  await runCli(["delete", "--list"], env); // the trash is cleaned by those who open it
  const after = filesBelow(root, env.TURNLOG_DATA_DIR);
  const ended = readReport(report);
  const expected = expect(before, ended);
  const held = [...after.values()];
  // A clone is made of the source as it was, or as the other program left it before it was read.
  const sources = command[0] === "clone" ? [before.get(TRANSCRIPT), ended?.after].flatMap((it) => it ?? []) : [];
  const lost = [...expected].filter(([, content]) => !held.some((other) => other.startsWith(content)));
  const halved = [...after].filter(([path, content]) => isHalved(path, content, before, sources));
  const left = [root, env.TURNLOG_DATA_DIR, env.TMPDIR].flatMap(namesBelow).filter((name) => isTemporaryName(name));
  return { lost: lost.map(([path]) => path), halved: halved.map(([path]) => path), left };
}

interface Report {
  readonly existed: boolean;
  readonly after: string | null;
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined; // the process ended first
  }
}

/** What must be somewhere: everything, with the transcript as the other program left it. */
function expect(before: ReadonlyMap<string, string>, report: Report | undefined): Map<string, string> {
  const expected = new Map(before);
  if (!report) return expected;
  if (report.existed) expected.delete(TRANSCRIPT);
  if (report.after !== null) expected.set("as the other program left it", neutral(report.after));
  return expected;
}

/** The contents of all files by name: as they are, and unpacked from the archive. Two places of a project count as one. */
function filesBelow(root: string, dataDir: string): Map<string, string> {
  const contents = new Map<string, string>();
  for (const folder of [root, join(dataDir, "trash"), join(dataDir, "archive")]) {
    for (const path of pathsBelow(folder)) {
      if (isTemporaryName(path) || path.endsWith("manifest.json")) continue;
      const bytes = readFileSync(path);
      const name = folder === root ? relative(root, path) : relative(dataDir, path);
      contents.set(name, neutral(path.endsWith(".gz") ? unpacked(bytes) : bytes.toString("latin1")));
    }
  }
  return contents;
}

function unpacked(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString("latin1");
  } catch {
    return ""; // a torn end, which the next run of the archive cuts off
  }
}

function neutral(content: string): string {
  return content
    .replaceAll("/home/dev/elsewhere", "/home/dev/shop")
    .replaceAll("-home-dev-elsewhere", "-home-dev-shop");
}

function isHalved(
  path: string,
  content: string,
  before: ReadonlyMap<string, string>,
  sources: readonly string[],
): boolean {
  if (!path.startsWith("projects") || !path.endsWith(".jsonl") || before.has(path)) return false;
  if (path.includes(PLANTED_ID) || content === APPENDED) return false; // moved, or written by the other program
  const isCut = !content.endsWith("\n") || content.split("\n").some((line) => line !== "" && !isJson(line));
  const isSession = /\/[0-9a-f-]{36}\.jsonl$/.test(path);
  return isCut || (isSession && sources.length > 0 && linesOf(content) < Math.min(...sources.map(linesOf)));
}

const linesOf = (content: string) => content.split("\n").length;

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function namesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map(({ name }) => name);
}

function pathsBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return []; // nothing there yet
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
