import fs, { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { readSpool, type SpooledEvent, spoolEvent } from "../../../src/trace/hook/spool.js";
import { type WorkOptions, work } from "../../../src/trace/hook/work.js";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { type LiveSession, liveSession } from "../live-session.js";
import { type Receiver, startReceiver } from "../receiver.js";
import { runBuilt } from "../run-built.js";

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const MINUTE_MS = 60_000;
const SILENT = { exitCode: 0, stdout: "", stderr: "" };

function spool(dir: string, transcript: string, more: { event?: string; cwd?: string; at?: number } = {}): void {
  const { event = "Stop", cwd = null, at = Date.now() } = more;
  spoolEvent(dir, { event, transcript, size: 0, wordsHash: null, at, cwd, traceParent: null });
}

async function runWorker(dir: string, { endpoint }: Receiver, more: Partial<WorkOptions> = {}): Promise<void> {
  const target = resolveTarget({ name: "t", kind: "otlp", endpoint });
  await work({
    dir,
    targets: [target],
    createRedactor: () => createRedactor({ level: "mask" }),
    patienceMs: 0,
    ...more,
  });
}

function session(turns = 1, words = "ask "): LiveSession {
  const live = liveSession(join(temporaryFolder(), "projects", "p"), ID);
  for (let turn = 0; turn < turns; turn++)
    live.append(live.nextTurn(0).lines.map((line) => line.replace("ask ", words)));
  return live;
}

/** The data folder and Claude Code's folder of a session, with one target. */
function installed({ path }: LiveSession, { endpoint }: Receiver, more: object = {}) {
  const target = { name: "t", kind: "otlp", endpoint, ...more };
  const dir = temporaryFolder({ "config.json": JSON.stringify({ trace: { targets: [target] } }) });
  const env = { TURNLOG_DATA_DIR: dir, CLAUDE_CONFIG_DIR: join(path, "..", "..", "..") };
  return { dir, env, trace: (...args: readonly string[]) => runCli(["trace", ...args], env) };
}

/** Bytes that `run` reads from files through `readSync`, with which sessions are read. */
async function countRead(run: () => Promise<void>): Promise<number> {
  const { readSync } = fs;
  const results: number[] = [];
  fs.readSync = (...args: unknown[]) => {
    const read = Reflect.apply(readSync, fs, args);
    results.push(read);
    return read;
  };
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  }
  return results.reduce((sum, bytes) => sum + bytes, 0);
}

const hookInput = (path: string) => JSON.stringify({ session_id: ID, hook_event_name: "Stop", transcript_path: path });

test("a paused target is asked once in a while, and goes on by itself where its key is accepted again", async () => {
  const [dir, receiver, live] = [temporaryFolder(), await startReceiver(), session()];
  receiver.treat(() => "401");
  let clock = Date.now();
  const now = () => clock;
  spool(dir, live.path);
  for (let minute = 0; minute < 120; minute++) {
    await runWorker(dir, receiver, { now });
    clock += MINUTE_MS;
  }
  // Every minute at first, every quarter of an hour at last.
  expect(receiver.requests.length).toBeGreaterThan(8);
  expect(receiver.requests.length).toBeLessThan(40);
  receiver.treat(() => "accept");
  clock += 15 * MINUTE_MS;
  await runWorker(dir, receiver, { now });
  expect(receiver.stored()).toHaveLength(2);
});

test("hook --sync ends when its turn has arrived", async () => {
  const [receiver, live] = [await startReceiver(), session()];
  const { env, dir } = installed(live, receiver);
  expect(await runBuilt(["hook", "--sync"], env, hookInput(live.path))).toEqual(SILENT);
  expect(receiver.stored()).toHaveLength(2);
  expect(readdirSync(join(dir, "spool"))).toEqual([]);
});

test.each([
  [true, "a child of the span that TRACEPARENT names"],
  [false, "a trace of its own, whatever TRACEPARENT says"],
])("with --attach %s a turn is %s", async (attach, _) => {
  const [receiver, live] = [await startReceiver(), session()];
  const { env } = installed(live, receiver, { attach });
  const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];
  await runBuilt(["hook", "--sync"], { ...env, TRACEPARENT: `00-${traceId}-${spanId}-01` }, hookInput(live.path));
  const [root, generation] = receiver.stored();
  expect([root?.traceId === traceId, root?.parentSpanId === spanId]).toEqual([attach, attach]);
  expect(generation).toMatchObject({ traceId: root?.traceId, parentSpanId: root?.spanId });
});

test("an event that another worker took away meanwhile is left out of the spool", () => {
  const dir = temporaryFolder();
  spool(dir, "/a.jsonl");
  spool(dir, "/b.jsonl");
  const [first] = readSpool(dir);
  rmSync(first?.file ?? "");
  // It is listed, but not there when it is read.
  symlinkSync(join(dir, "nowhere"), first?.file ?? "");
  expect(readSpool(dir)).toHaveLength(1);
});

test("an event that ended workers before is handled after all others", async () => {
  const [dir, receiver, live] = [temporaryFolder(), await startReceiver(), session()];
  const project = temporaryFolder();
  const [bad, good] = [liveSession(project, OTHER).path, live.path];
  spool(dir, bad, { at: 1 });
  // As a worker that was killed leaves it.
  const [{ file }] = readSpool(dir) as [SpooledEvent];
  await withOutbox(dir, (outbox) => outbox.tryEvent(basename(file)));
  spool(dir, good);
  await runWorker(dir, receiver);
  const log = readFileSync(join(dir, "log", "trace.log"), "utf8");
  expect(log.indexOf(good)).toBeLessThan(log.indexOf(bad));
  expect(receiver.stored()).toHaveLength(2);
  expect(readSpool(dir)).toEqual([]);
});

test("the first hook after send --all reads only what is new", async () => {
  const [receiver, live] = [await startReceiver(), session(40, "long ".repeat(10_000))];
  const { trace, dir } = installed(live, receiver);
  expect((await trace("send", "--all")).stdout).toContain("80 spans sent");
  live.append(live.nextTurn(0).lines);
  spool(dir, live.path);
  const bytes = await countRead(() => runWorker(dir, receiver));
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(statSync(live.path).size / 20);
  expect(receiver.stored()).toHaveLength(82);
});

test("what ends while tracing is off for its project is sent by no hook and no send, to no target, only by resend", async () => {
  const [receiver, live] = [await startReceiver(), session()];
  const { env, trace, dir } = installed(live, receiver);
  const sync = () => runBuilt(["hook", "--sync"], env, hookInput(live.path));
  expect((await trace("off", "--project", "/srv/shop")).stdout).toContain("not by `trace send --all` either");
  await sync();
  await trace("on", "--project", "/srv/shop");
  live.append(live.nextTurn(0).lines);
  await sync();
  expect(receiver.stored().map(({ name }) => name)).toEqual(["Turn 2", "claude-sonnet-4-5"]);
  expect((await trace("send", "--all")).stdout).toBe("t: 0 spans sent\n");
  expect(readSpool(dir)).toEqual([]);
  expect((await trace("resend", "--until", "2026-01-01T00:00:03Z", "--yes")).stdout).toBe("t: 2 spans sent\n");
  const later = await startReceiver();
  await trace("install", "--otlp", later.endpoint, "--name", "later", "--metrics", "--yes");
  expect((await trace("send", "--all")).stdout).toMatch(/later: 2 spans and \d data points sent/);
  expect(later.stored().map(({ name }) => name)).toEqual(["Turn 2", "claude-sonnet-4-5"]);
});

test("an event whose session can never be read keeps none from being sent, and is given up after a week", async () => {
  const [dir, receiver, live] = [temporaryFolder(), await startReceiver(), session()];
  const folder = join(temporaryFolder(), `${OTHER}.jsonl`);
  mkdirSync(folder);
  const start = Date.now();
  spool(dir, folder, { event: "SubagentStop", at: start });
  spool(dir, live.path);
  await runWorker(dir, receiver);
  expect(receiver.stored()).toHaveLength(2);
  for (let tries = 2; tries < 20; tries++) await runWorker(dir, receiver);
  expect(readSpool(dir)).toHaveLength(1);
  await runWorker(dir, receiver, { now: () => start + 8 * 24 * 60 * MINUTE_MS });
  expect(readSpool(dir)).toEqual([]);
});
