import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { isTemporaryName } from "../../src/store/temporary.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { APPENDED, type ForeignChange, runFaulty } from "./faulty-process.js";
import { oldLibrary } from "./old-library.js";
import { PLANTED_ID } from "./planted-library.js";
import { runCli } from "./run-cli.js";

const TRANSCRIPT = join("projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
const OTHER_ID = "1126f362-19d7-4b7d-a116-4f3a548b2dd2";
const ELSEWHERE = ["move", PLANTED_ID, "/home/dev/elsewhere", "--force"];

/** Stands for a folder of the user that is nowhere near the sessions. */
const OUT = "<out>";
const exportAs = (format: string) => ["export", PLANTED_ID, "--format", format, "-o", `${OUT}/session.${format}`];

/** With the number of changes after which each ends by itself, or a few more: so the kills fall on all of them. */
const COMMANDS: readonly { readonly command: readonly string[]; readonly changes: number }[] = [
  { command: ["clone", PLANTED_ID], changes: 95 },
  { command: ["prune", PLANTED_ID, "--preset", "extreme"], changes: 95 },
  { command: ["fork", PLANTED_ID, "--at", "1"], changes: 95 },
  { command: ["redact", PLANTED_ID], changes: 90 },
  { command: ["archive", "on"], changes: 160 },
  { command: ["delete", PLANTED_ID, "--force"], changes: 35 },
  { command: ["restore", PLANTED_ID], changes: 62 },
  { command: ELSEWHERE, changes: 40 },
  { command: [...ELSEWHERE, "--rewrite-cwd"], changes: 56 },
  { command: ["move", "--project", "/home/dev/shop", "/home/dev/elsewhere", "--yes", "--force"], changes: 90 },
  { command: ["compress", PLANTED_ID], changes: 95 },
  { command: ["repair", PLANTED_ID, "--write"], changes: 95 },
  { command: ["merge", PLANTED_ID, "--from", OTHER_ID], changes: 95 },
  ...["html", "md", "json", "jsonl"].map((format) => ({ command: exportAs(format), changes: 40 })),
  { command: exportAs("cast"), changes: 120 },
  { command: ["bundle", PLANTED_ID, "-o", `${OUT}/session.tar.gz`], changes: 60 },
  { command: ["import", `${OUT}/given.tar.gz`, "--project", "/home/dev/import", "--yes"], changes: 90 },
  { command: ["sync", `${OUT}`, "--name", "laptop"], changes: 150 },
  { command: ["title", PLANTED_ID, "Other words"], changes: 32 },
  { command: ["index", "sync"], changes: 24 },
  { command: ["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes", "--no-check"], changes: 26 },
  { command: ["source", "add", "other", OUT], changes: 15 },
];

const KINDS: readonly ForeignChange["kind"][] = ["appended", "rewritten", "truncated", "replaced", "removed"];
const LAST_MOMENT = 700;

export interface Round {
  readonly command: readonly string[];
  readonly killAt: number;
  /** What another program does to the transcript, and when. */
  readonly change: Pick<ForeignChange, "kind" | "at"> | undefined;
}

/** Everything about a round follows from its seed; the commands take turns. */
export function planRound(seed: number): Round {
  const next = randomFrom(seed);
  const below = (end: number) => Math.floor(next() * end);
  const { command = [], changes = 1 } = COMMANDS[seed % COMMANDS.length] ?? {};
  const killAt = 1 + below(changes);
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
  /** What a copy that is said to be whole does not have. */
  readonly missing: readonly string[];
}

/** Kills a command while another program changes its source, starts again, and looks for everything that was there. */
export async function runRound({ command, killAt, change }: Round): Promise<RoundEnd> {
  const { root, env: folders } = oldLibrary();
  const env = { ...folders, TMPDIR: temporaryFolder() };
  const transcript = neutral(readFileSync(join(root, TRANSCRIPT), "latin1"));
  const names = new Set(namesBelow(root)); // a file under any other name is as good as lost
  if (command[0] === "restore") await runCli(["delete", PLANTED_ID, "--force"], env);
  const before = filesBelow(root, env.TURNLOG_DATA_DIR);
  const report = join(temporaryFolder(), "report.json");
  const fault = change ? { change: { ...change, path: join(root, TRANSCRIPT), report } } : {};
  const out = temporaryFolder({ "session.html.tmp": "the user's own" });
  // Redacted, so that it is another session than the one that is here.
  if (command[0] === "import") await runCli(["bundle", PLANTED_ID, "-o", join(out, "given.tar.gz")], env);
  await runFaulty(
    command.map((part) => part.replace(OUT, out)),
    env,
    { killAt, ...fault },
  );
  await runFaulty(["list", "--no-index"], env, {});
  if (command[0] === "archive") await runCli(["archive", "on"], env); // completes what was cut short
  const after = filesBelow(root, env.TURNLOG_DATA_DIR);
  const ended = readReport(report);
  const expected = expect(before, transcript, ended);
  const isNamed = (name: string) => !name.startsWith("projects") || names.has(basename(name));
  const held = [...after].filter(([name]) => isNamed(name)).map(([, content]) => content);
  // A clone is made of the source as it was, or as the other program left it before it was read.
  const sources = command[0] === "clone" ? [before.get(TRANSCRIPT), ended?.after].flatMap((it) => it ?? []) : [];
  const lost = [...expected].filter(([, content]) => !held.some((other) => other.startsWith(content)));
  const halved = [...after].filter(([path, content]) => isHalved(path, content, before, sources));
  const left = [root, env.TURNLOG_DATA_DIR, env.TMPDIR, out].flatMap(namesBelow).filter(isLeft);
  if (!existsSync(join(out, "session.html.tmp"))) left.push("the user's own file is gone");
  const missing = [
    ...(command[0] === "archive" ? notArchived(expected, after) : []),
    ...(command[0] === "clone" ? filesNotCloned(before, after) : []),
    ...(command[0] === "import" ? filesNotImported(before, after) : []),
    ...(command[0] === "clone" || command[0] === "prune" ? notSaid(ended ? [] : promptsIn(before), before, after) : []),
  ];
  return { lost: lost.map(([path]) => path), halved: halved.map(([path]) => path), left, missing };
}

/** A temporary file, or the lock or note of a process that ended. */
function isLeft(name: string): boolean {
  return isTemporaryName(name) || name.endsWith(".lock") || /^\d+(-[0-9a-f]{1,6}){5}$/.test(name);
}

const LEFT_BY_OTHER = "as the other program left it";
const AGENTS_BESIDE = "projects/-home-dev-shop/agent-";
const SIDE_FOLDER = `${TRANSCRIPT.slice(0, -".jsonl".length)}/`;

type Files = ReadonlyMap<string, string>;

/** The archive has the transcript and all files of its folder, as they are now; nothing where there is no transcript any more. */
function notArchived(expected: Files, after: Files): string[] {
  if (!after.has(TRANSCRIPT)) return [];
  const packed = [...after].filter(([name]) => name.startsWith("archive")).map(([, content]) => content);
  const beside = [SIDE_FOLDER, AGENTS_BESIDE, `file-history/${PLANTED_ID}/`];
  const isOwn = (name: string) =>
    name === TRANSCRIPT || name === LEFT_BY_OTHER || beside.some((start) => name.startsWith(start));
  const own = [...expected].filter(([name]) => isOwn(name));
  return own.filter(([, content]) => !packed.some((copy) => copy.startsWith(content))).map(([name]) => name);
}

function newSessions(before: Files, after: Files): [string, string][] {
  return [...after].filter(([name]) => isSessionName(name) && !before.has(name) && !name.includes(PLANTED_ID));
}

/** A clone has as many files beside it as its source. */
function filesNotCloned(before: Files, after: Files): string[] {
  const countIn = (folder: string, files: Files) => [...files.keys()].filter((name) => name.startsWith(folder)).length;
  const made = newSessions(before, after).map(([name]) => `${name.slice(0, -".jsonl".length)}/`);
  const expected = countIn(SIDE_FOLDER, before) + countIn(AGENTS_BESIDE, before); // the latter go into the folder, too
  return made.filter((folder) => countIn(folder, after) < expected);
}

/** A session is there with the files beside it, or neither is. */
function filesNotImported(before: Files, after: Files): string[] {
  const isNew = (name: string) => name.startsWith("projects/-home-dev-import/") && !before.has(name);
  const made = [...after.keys()].filter(isNew);
  const [transcripts, beside] = [made.filter(isSessionName), made.filter((name) => !isSessionName(name))];
  return transcripts.length > 0 === beside.length > 0 ? [] : made;
}

/** A new session has every prompt of its source. */
function notSaid(prompts: readonly string[], before: Files, after: Files): string[] {
  return newSessions(before, after).flatMap(([name, content]) =>
    prompts.filter((text) => !content.includes(text)).map((text) => `${name}: ${text}`),
  );
}

/** As they are in JSON, without quotes. */
function promptsIn(files: Files): string[] {
  const rows = (files.get(TRANSCRIPT) ?? "")
    .split("\n")
    .filter(isJson)
    .map((line) => JSON.parse(line));
  return rows.flatMap(({ type, message }) =>
    type === "user" && typeof message.content === "string" ? JSON.stringify(message.content).slice(1, -1) : [],
  );
}

function isSessionName(name: string): boolean {
  return name.startsWith("projects") && /\/[0-9a-f-]{36}\.jsonl$/.test(name);
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
function expect(
  before: ReadonlyMap<string, string>,
  transcript: string,
  report: Report | undefined,
): Map<string, string> {
  const expected = new Map(before);
  if (!report) return expected;
  // Also where it was just restored from.
  if (report.existed) for (const [name, content] of before) if (content === transcript) expected.delete(name);
  if (report.after !== null) expected.set(LEFT_BY_OTHER, neutral(report.after));
  return expected;
}

/** The contents of all files by name: as they are, and unpacked from the archive. Two places of a project count as one. */
function filesBelow(root: string, dataDir: string): Map<string, string> {
  const contents = new Map<string, string>();
  for (const folder of [root, join(dataDir, "trash"), join(dataDir, "archive")]) {
    for (const path of pathsBelow(folder)) {
      if (isTemporaryName(path) || path.endsWith("manifest.json")) continue;
      if (folder.endsWith("trash") && !isListed(path)) continue;
      const bytes = readFileSync(path);
      const name = folder === root ? relative(root, path) : relative(dataDir, path);
      contents.set(name, neutral(path.endsWith(".gz") ? unpacked(bytes) : bytes.toString("latin1")));
    }
  }
  return contents;
}

/** What no manifest names, `restore` does not find. */
function isListed(path: string): boolean {
  const manifest = join(dirname(path), "manifest.json");
  if (!existsSync(manifest)) return false;
  const { items } = JSON.parse(readFileSync(manifest, "utf8")) as { items: { stored: string | null }[] };
  return items.some(({ stored }) => stored === basename(path));
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
  return isCut || (isSessionName(path) && sources.length > 0 && linesOf(content) < Math.min(...sources.map(linesOf)));
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
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
