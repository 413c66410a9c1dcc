import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";

const BIN = resolve(import.meta.dirname, "../../dist/bin.js");
const SESSIONS = 40;
const idOf = (at: number) => `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`;

beforeAll(() => {
  if (!existsSync(BIN)) throw new Error("run `npm run build` first");
});

interface World {
  readonly root: string;
  readonly data: string;
  readonly env: Record<string, string | undefined>;
}

const worlds: World[] = [];

/** 4 MB: more than a command indexes itself. The processes that are started here end with their work, or are ended below. */
function createWorld(): World {
  const files = Array.from({ length: SESSIONS }, (_, at) => [`projects/-srv/${idOf(at)}.jsonl`, sessionText(at)]);
  const root = temporaryFolder(Object.fromEntries(files));
  const data = temporaryFolder();
  const { CI: _ci, ...others } = process.env;
  const world = { root, data, env: { ...others, CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data } };
  worlds.push(world);
  return world;
}

function sessionText(at: number): string {
  const time = (second: number) => new Date(Date.UTC(2026, 4, 1, at % 24, at, second)).toISOString();
  const usage = { input_tokens: 10, output_tokens: 100 };
  const answer = { id: `m${at}`, role: "assistant", model: "claude-haiku-4-5", content: `needle${at}`, usage };
  const base = { cwd: "/srv", sessionId: idOf(at) };
  const rows = [
    {
      ...base,
      type: "user",
      uuid: `u${at}`,
      parentUuid: null,
      timestamp: time(1),
      message: { role: "user", content: `task ${at} ${"word ".repeat(20_000)}` },
    },
    { ...base, type: "assistant", uuid: `a${at}`, parentUuid: `u${at}`, timestamp: time(2), message: answer },
    { type: "custom-title", customTitle: `title ${at}`, sessionId: idOf(at) },
  ];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(world: World & { readonly limitKb?: number }, ...args: string[]): Promise<Outcome> {
  // No file may become longer, as on a disk that is full.
  const limited = ["-c", `ulimit -f ${(world.limitKb ?? 0) * 2}; exec "$0" "$@"`, process.execPath, BIN, ...args];
  const child: ChildProcess =
    world.limitKb === undefined
      ? spawn(process.execPath, [BIN, ...args], { env: world.env })
      : spawn("sh", limited, { env: world.env });
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (text) => {
    stdout += text;
  });
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  return new Promise((done) => child.once("close", (code) => done({ code, stdout, stderr })));
}

const jsonOf = async (world: World, ...args: string[]) => JSON.parse((await run(world, ...args, "--json")).stdout);

function builderOf({ data }: World): number | undefined {
  try {
    const lock = JSON.parse(readFileSync(join(data, "locks", "index.lock"), "utf8"));
    const isBuilder = lock.purpose === "indexing in the background" && isRunning(lock.process.pid);
    return isBuilder ? lock.process.pid : undefined;
  } catch {
    return undefined;
  }
}

/** A process that ended may wait for its parent. */
function isRunning(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ") Z";
  return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
}

async function untilBuilt(world: World): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await jsonOf(world, "index", "status")).toMatchObject({
        background: null,
        missing: { catalog: 0, texts: 0 },
      }),
    { timeout: 50_000, interval: 200 },
  );
}

afterEach(async () => {
  for (const world of worlds.splice(0)) {
    await run(world, "index", "stop");
    await vi.waitFor(() => expect(builderOf(world)).toBeUndefined(), { timeout: 30_000 });
  }
});

test("a first command answers at once, and a process builds the index and ends", async () => {
  const world = createWorld();
  const first = await jsonOf(world, "list", "--limit", "3");
  expect(first.map(({ title }: { title: string }) => title)).toEqual(["title 23", "title 22", "title 21"]);
  await untilBuilt(world);
  expect(await jsonOf(world, "list", "--limit", "3")).toEqual(first);
  expect((await jsonOf(world, "stats")).complete).toBe(true);
  expect((await jsonOf(world, "search", "needle7")).sessions).toHaveLength(1);
});

test("ten commands at once on an empty data folder all answer, and one process builds", async () => {
  const world = createWorld();
  const commands = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? ["list", "--limit", "2"] : ["stats"]));
  const outcomes = await Promise.all(commands.map((args) => run(world, ...args, "--json")));
  expect(outcomes.map(({ code }) => code)).toEqual(Array(10).fill(0));
  expect(new Set(outcomes.filter((_, at) => at % 2 === 0).map(({ stdout }) => stdout)).size).toBe(1);
  await untilBuilt(world);
});

test("what was built stays when the process is killed, and the next command starts another", async () => {
  const world = createWorld();
  await run(world, "list", "--limit", "1");
  await vi.waitFor(() => expect(builderOf(world)).toBeDefined(), { timeout: 20_000, interval: 5 });
  const pid = builderOf(world) ?? 0;
  await vi.waitFor(() => expect(hasReport(world)).toBe(true), { timeout: 20_000, interval: 2 });
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
  const failure = "the process was killed, or crashed";
  expect(await jsonOf(world, "index", "status")).toMatchObject({ background: null, failure });
  expect((await run(world, "index", "status")).stdout).toContain(`indexing in the background failed: ${failure}\n`);
  const { checks } = await jsonOf(world, "doctor");
  expect(checks).toContainEqual(expect.objectContaining({ name: "index", state: "warning" }));
  const { stdout, stderr } = await run(world, "list", "--limit", "2", "--json");
  expect(JSON.parse(stdout)).toHaveLength(2);
  expect(stderr).toBe(`indexing in the background failed: ${failure}; it is tried again\n`);
  expect((await jsonOf(world, "stats")).totals.messages).toBe(SESSIONS);
  await untilBuilt(world);
  expect(await jsonOf(world, "list")).toHaveLength(SESSIONS);
  expect(await jsonOf(world, "index", "status")).not.toHaveProperty("failure");
});

const hasReport = ({ data }: World) => existsSync(join(data, "locks", "index-progress.json"));

test("the process ends when its data folder is removed, and does not make it again", async () => {
  const world = createWorld();
  await run(world, "list", "--limit", "1");
  await vi.waitFor(() => expect(builderOf(world)).toBeDefined(), { timeout: 20_000, interval: 5 });
  const pid = builderOf(world) ?? 0;
  process.kill(pid, "SIGSTOP");
  rmSync(world.data, { recursive: true });
  await sleep(600); // a report of its progress is due then
  process.kill(pid, "SIGCONT");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  expect(existsSync(join(world.data, "locks"))).toBe(false);
});

test("--wait builds the index itself, and answers completely", async () => {
  const world = createWorld();
  const stats = await jsonOf(world, "stats", "--wait");
  expect(stats).toMatchObject({ complete: true, totals: { turns: SESSIONS, messages: SESSIONS } });
  expect(builderOf(world)).toBeUndefined();
  expect(await jsonOf(world, "index", "status")).toMatchObject({ missing: { catalog: 0, texts: 0 }, background: null });
});

test.each([
  ["CI is set", (world: World) => ({ ...world, env: { ...world.env, CI: "true" } })],
  [
    "the settings say no",
    (world: World) => {
      writeFileSync(join(world.data, "config.json"), JSON.stringify({ index: { background: false } }));
      return world;
    },
  ],
])("no process is started where %s", async (_, prepare) => {
  const world = prepare(createWorld());
  expect(await jsonOf(world, "list", "--limit", "2")).toHaveLength(2);
  await sleep(1500);
  expect(existsSync(join(world.data, "index.db"))).toBe(false);
});

test("nor with --no-index", async () => {
  const world = createWorld();
  expect(await jsonOf(world, "list", "--limit", "2", "--no-index")).toHaveLength(2);
  await sleep(1500);
  expect(existsSync(join(world.data, "index.db"))).toBe(false);
});

test("index stop ends the process, and says so where there is none", async () => {
  const world = createWorld();
  await run(world, "list", "--limit", "1");
  await vi.waitFor(() => expect(builderOf(world)).toBeDefined(), { timeout: 20_000, interval: 5 });
  const pid = builderOf(world) ?? 0;
  process.kill(pid, "SIGSTOP"); // it may be done before the command has started
  const stopped = await run(world, "index", "stop");
  process.kill(pid, "SIGCONT");
  expect(stopped.code).toBe(0);
  expect(stopped.stderr).toMatch(/^stopped; .* the next command .* starts it again\n.*config.json.* turns it off\n$/);
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  expect(await jsonOf(world, "index", "status")).not.toHaveProperty("failure");
  expect((await run(world, "index", "stop")).stderr).toBe("nothing is indexing in the background\n");
});

test("a data folder that cannot be written does not keep commands from answering, and one line says why", async () => {
  const world = createWorld();
  rmSync(world.data, { recursive: true });
  writeFileSync(world.data, "not a folder");
  chmodSync(world.data, 0o400);
  const { code, stdout, stderr } = await run(world, "list", "--limit", "2", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(2);
  expect(stderr).toMatch(
    /^cannot create the data folder .*: nothing is indexed, the session files are read instead\n$/,
  );
  const waited = await run(world, "list", "--wait", "--json");
  expect(JSON.parse(waited.stdout)).toHaveLength(SESSIONS);
  expect(waited.stderr.split("\n")).toHaveLength(2);
  rmSync(world.data);
});

test("a session that is shown by its title starts the process too", async () => {
  const world = createWorld();
  expect((await jsonOf(world, "show", "title 9")).session.id).toBe(idOf(9));
  await untilBuilt(world);
});

test("one that is shown by its id starts none", async () => {
  const world = createWorld();
  expect((await jsonOf(world, "show", idOf(9))).session.id).toBe(idOf(9));
  await sleep(1500);
  expect(existsSync(join(world.data, "index.db"))).toBe(false);
});

const answersOf = async (world: World) => {
  const list = await run(world, "list", "--json");
  const stats = await run(world, "stats", "--json");
  const found = await run(world, "search", "needle7", "--json");
  return {
    sessions: JSON.parse(list.stdout).length,
    messages: JSON.parse(stats.stdout).totals.messages,
    found: JSON.parse(found.stdout).sessions.length,
    notes: [list, stats, found].map(({ stderr }) => stderr).join(""),
  };
};

test("an index that is damaged while the process builds is made anew, and commands answer from the sessions", async () => {
  const world = createWorld();
  await run(world, "index", "sync");
  for (let at = SESSIONS; at < 2 * SESSIONS; at++) {
    writeFileSync(join(world.root, `projects/-srv/${idOf(at)}.jsonl`), sessionText(at));
  }
  await run(world, "list", "--limit", "1");
  await vi.waitFor(() => expect(builderOf(world)).toBeDefined(), { timeout: 20_000, interval: 5 });
  const damaged = readFileSync(join(world.data, "index.db")).fill(0xa5, 100);
  writeFileSync(join(world.data, "index.db"), damaged);
  const { notes, ...answers } = await answersOf(world);
  expect(answers).toEqual({ sessions: 2 * SESSIONS, messages: 2 * SESSIONS, found: 1 });
  expect(notes.split("\n").filter((line) => /index/.test(line) && !/damaged|background/.test(line))).toEqual([]);
  await vi.waitFor(() => expect(builderOf(world)).toBeUndefined(), { timeout: 50_000 });
  await run(world, "list", "--limit", "1");
  await untilBuilt(world);
  expect(await answersOf(world)).toEqual({ ...answers, notes: "" });
});

test("with a full disk commands answer from the sessions, one line says why, and the process ends", async () => {
  const world = createWorld();
  const limited = { ...world, limitKb: 256 };
  const { notes, ...answers } = await answersOf(limited);
  expect(answers).toEqual({ sessions: SESSIONS, messages: SESSIONS, found: 1 });
  expect(notes.split("\n").filter((line) => /disk|written/.test(line)).length).toBeLessThanOrEqual(3);
  await vi.waitFor(() => expect(builderOf(world)).toBeUndefined(), { timeout: 30_000 });
  await vi.waitFor(
    async () =>
      expect((await jsonOf(world, "index", "status")).failure).toMatch(/^the index cannot be written \(.*\)$/),
    { timeout: 30_000 },
  );
  const waited = await run(limited, "list", "--wait", "--json");
  expect(JSON.parse(waited.stdout)).toHaveLength(SESSIONS);
  expect(waited.stderr).toMatch(/^the index cannot be written \(.*\); reading the session files instead\n$/);
});

test("a session is found by its title in the catalog, also while it grows", async () => {
  const world = createWorld();
  await run(world, "list", "--limit", "1", "--wait");
  rmSync(join(world.root, `projects/-srv/${idOf(5)}.jsonl`));
  writeFileSync(
    join(world.root, `projects/-srv/${idOf(5)}.jsonl`),
    sessionText(5).replace('"title 5"', '"another title"'),
  );
  expect((await jsonOf(world, "show", "title 9")).session.id).toBe(idOf(9));
  expect((await jsonOf(world, "show", "another title")).session.id).toBe(idOf(5));
  expect((await run(world, "show", "title 5")).code).toBe(1);
});
