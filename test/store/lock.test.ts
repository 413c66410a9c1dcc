import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock, adviceAbout, tryLock } from "../../src/store/lock.js";
import { finish, startStoreProcess, startUnwatchedProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";
import { NO_HARD_LINKS, withoutHardLinks } from "./without-hard-links.js";

const PURPOSE = { purpose: "testing" };
const lockPath = () => join(tempDir(), "some.lock");

const HOLD = `
  const { tryLock } = await import(store + "/lock.js");
  if (!tryLock(process.env.LOCK, { purpose: "holding" })) throw new Error("not free");
  process.stdout.write("held");
  process.stdin.resume().once("end", () => process.exit(0));
`;

/** Another process that holds the lock until its stdin ends. */
async function startHolder(path: string): Promise<ChildProcess> {
  const child = startStoreProcess(HOLD, { LOCK: path });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout ?? child, "data");
  return child;
}

/** A holder whose end is noticed by nobody. */
async function startUnwatchedHolder(path: string): Promise<number> {
  const shell = startUnwatchedProcess(HOLD, { LOCK: path });
  onTestFinished(() => void shell.kill("SIGKILL"));
  const [pid] = await once(shell.stdout ?? shell, "data");
  await expect.poll(() => existsSync(path)).toBe(true);
  return Number(pid);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, "close");
}

async function failAtEnd(racer: ChildProcess): Promise<never> {
  let complaint = "";
  racer.stderr?.on("data", (chunk) => (complaint += chunk));
  await once(racer, "close");
  throw new Error(`a process ended early: ${complaint}`);
}

/** Four processes try each lock, one after the other, and keep what they get; returns what they got. */
async function raceForLocks(locks: readonly string[], prelude = ""): Promise<string[]> {
  const script = `${prelude}
    const { tryLock } = await import(store + "/lock.js");
    const locks = JSON.parse(process.env.LOCKS);
    process.stdout.write("ready");
    process.stdin.once("data", () => {
      const won = locks.flatMap((path, index) => tryLock(path, { purpose: "winning" }) ? [index] : []);
      process.stdout.write(JSON.stringify(won));
    });
    process.stdin.once("end", () => process.exit(0));
  `;
  const racers = Array.from({ length: 4 }, () => startStoreProcess(script, { LOCKS: JSON.stringify(locks) }));
  const hear = (racer: ChildProcess) => Promise.race([once(racer.stdout ?? racer, "data"), failAtEnd(racer)]);
  await Promise.all(racers.map(hear));
  const results = racers.map(hear);
  for (const racer of racers) racer.stdin?.write("go");
  const won: number[] = (await Promise.all(results)).flatMap(([text]) => JSON.parse(text));
  const ends = racers.map((racer) => once(racer, "close"));
  for (const racer of racers) racer.stdin?.end();
  await Promise.all(ends);
  return won.map((index) => locks[index] ?? "");
}

interface LockFile {
  process: { pid: number; start: string; boot: string; pidNamespace: string; host: string; machine: string };
  token: string;
  since: string;
}

/** A lock as another process might have left it. */
function leaveLock(path: string, changed: Partial<LockFile["process"]>, since?: string): LockFile {
  const lock = tryLock(path, PURPOSE);
  const content: LockFile = JSON.parse(readFileSync(path, "utf8"));
  lock?.release();
  const left = {
    ...content,
    process: { ...content.process, ...changed },
    since: since ?? content.since,
  };
  writeFileSync(path, JSON.stringify(left));
  return left;
}

/** The same where locks are folders. */
function leaveFolderOf(path: string, content: LockFile): void {
  writeFileSync(join(path, "owner.json"), JSON.stringify(content));
}

function leaveDeadLock(path: string): string {
  leaveLock(path, { start: "1" });
  return path;
}

const justNow = () => new Date().toISOString();
const beforeThisBoot = () => new Date(Date.now() - uptime() * 1000 - 60_000).toISOString();

/** Of a process that has certainly ended. */
const deadPid = () => spawnSync(process.execPath, ["--version"]).pid;

test("a lock is held by one, and free again after its release", () => {
  const path = lockPath();
  const lock = tryLock(path, PURPOSE);
  expect(tryLock(path, PURPOSE)).toBeUndefined();
  lock?.release();
  expect(existsSync(path)).toBe(false);
  expect(tryLock(path, PURPOSE)).toBeDefined();
});

test("a second release does not release the next owner's lock", () => {
  const path = lockPath();
  const first = tryLock(path, PURPOSE);
  first?.release();
  const second = tryLock(path, PURPOSE);
  first?.release();
  expect(tryLock(path, PURPOSE)).toBeUndefined();
  second?.release();
});

test("who waits gets the lock when it is released", async () => {
  const path = lockPath();
  const first = tryLock(path, PURPOSE);
  const waiting = acquireLock(path, PURPOSE);
  first?.release();
  const second = await waiting;
  expect(existsSync(path)).toBe(true);
  second.release();
});

test("a lock of a living process is not taken, and the error names it", async () => {
  const path = lockPath();
  const holder = await startHolder(path);
  await expect(acquireLock(path, { ...PURPOSE, timeoutMs: 30 })).rejects.toMatchObject({
    name: "UserError",
    code: "locked",
    message: expect.stringMatching(new RegExp(`^locked by process ${holder.pid} \\(holding, since 20.*Z\\)$`)),
    hint: expect.stringContaining(path),
  });
});

test("a process that exits releases its locks", async () => {
  const path = lockPath();
  const holder = await startHolder(path);
  holder.stdin?.end();
  await once(holder, "close");
  expect(existsSync(path)).toBe(false);
});

test.each(["SIGKILL", "SIGTERM"] as const)("the lock of a process ended by %s is taken over", async (signal) => {
  const path = lockPath();
  await end(await startHolder(path), signal);
  expect(existsSync(path)).toBe(true);
  expect(tryLock(path, PURPOSE)).toBeDefined();
});

test("who waits for a process that is killed gets its lock", async () => {
  const path = lockPath();
  const holder = await startHolder(path);
  const waiting = acquireLock(path, PURPOSE);
  await end(holder, "SIGKILL");
  (await waiting).release();
  expect(existsSync(path)).toBe(false);
});

test("a killed process that its parent has not noticed counts as dead", async () => {
  const path = lockPath();
  const pid = await startUnwatchedHolder(path);
  expect(tryLock(path, PURPOSE)).toBeUndefined();
  process.kill(pid, "SIGKILL");
  (await acquireLock(path, PURPOSE)).release();
  expect(process.kill(pid, 0)).toBe(true); // the zombie is still there
});

test.each([
  ["a process that is gone", () => ({ pid: deadPid() })],
  ["a pid that was given to another process", () => ({ start: "1" })],
  ["an earlier boot", () => ({ boot: "11111111-2222-3333-4444-555555555555" }), beforeThisBoot],
  ["an earlier boot in another container", () => ({ boot: "before", pidNamespace: "pid:[1]" }), beforeThisBoot],
  ["a process that is gone, before this machine got its name", () => ({ pid: deadPid(), host: "old-name" })],
])("a lock of %s is taken over", (_, changed, since = justNow) => {
  const path = lockPath();
  leaveLock(path, changed(), since());
  const lock = tryLock(path, PURPOSE);
  expect(lock).toBeDefined();
  expect(readdirSync(join(path, ".."))).toEqual(["some.lock"]);
  lock?.release();
});

test.each([
  ["this process", () => ({})],
  ["a process in another container, whose pid says nothing here", () => ({ pid: deadPid(), pidNamespace: "pid:[1]" })],
  ["a platform that tells neither start nor boot", () => ({ start: "", boot: "", pidNamespace: "" })],
  ["another machine with the same home", () => ({ pid: deadPid(), boot: "theirs", host: "nas" }), beforeThisBoot],
  ["a machine with the same name", () => ({ pid: deadPid(), boot: "theirs", machine: "abcdef" }), beforeThisBoot],
  ["a machine like this one that runs since its last start", () => ({ pid: deadPid(), boot: "theirs" })],
  ["another machine that tells no boot", () => ({ pid: deadPid(), boot: "", host: "nas" }), beforeThisBoot],
])("a lock of %s is not taken over", (_, changed, since = justNow) => {
  const path = lockPath();
  leaveLock(path, changed(), since());
  expect(tryLock(path, PURPOSE)).toBeUndefined();
});

test("a lock of another machine names it and says what to remove", async () => {
  const path = lockPath();
  leaveLock(path, { pid: 12, boot: "theirs", host: "nas" }, "2026-11-01T10:00:00.000Z");
  const who = "process 12 on nas (testing, since 2026-11-01T10:00:00.000Z)";
  expect(adviceAbout(path)).toBe(`; it is ${who}: if that has ended, remove ${path}`);
  await expect(acquireLock(path, { ...PURPOSE, timeoutMs: 1 })).rejects.toMatchObject({ message: `locked by ${who}` });
});

test("a lock of this machine needs no advice", () => {
  const path = lockPath();
  const lock = tryLock(path, PURPOSE);
  expect(JSON.parse(readFileSync(path, "utf8")).process.host).toBe(hostname());
  expect(adviceAbout(path)).toBe("");
  lock?.release();
  expect(adviceAbout(path)).toBe("");
});

test.each(["", "null", "{}", '{"token":"../../x","process":{"pid":1}}', "\0\0\0\0"])(
  "a lock file with the content %j, as after a power failure, is taken over",
  (content) => {
    const path = lockPath();
    writeFileSync(path, content);
    const lock = tryLock(path, PURPOSE);
    expect(lock).toBeDefined();
    lock?.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  },
);

test("where there is no /proc, ps tells when a process started", async () => {
  const path = lockPath();
  const tools = join(path, "..", "bin");
  mkdirSync(tools);
  writeFileSync(join(tools, "ps"), "#!/bin/sh\necho 'S    Sun Nov 15 10:00:00 2026'\n", { mode: 0o755 });
  const script = `
    Object.defineProperty(process, "platform", { value: "freebsd" });
    const { tryLock } = await import(store + "/lock.js");
    const { readFileSync, writeFileSync } = await import("node:fs");
    const first = tryLock(process.env.LOCK, { purpose: "asking ps" });
    const left = JSON.parse(readFileSync(process.env.LOCK, "utf8"));
    const second = tryLock(process.env.LOCK, { purpose: "too early" });
    writeFileSync(process.env.LOCK, JSON.stringify({ ...left, process: { ...left.process, start: "Mon Jan 1 00:00:00 2001" } }));
    const third = tryLock(process.env.LOCK, { purpose: "taking over" });
    const taken = [first, second, third].map((lock) => lock !== undefined);
    process.stdout.write(JSON.stringify({ start: left.process.start, taken }));
  `;
  const { stdout } = await finish(startStoreProcess(script, { LOCK: path, PATH: tools }));
  expect(JSON.parse(stdout)).toEqual({
    start: "Sun Nov 15 10:00:00 2026",
    taken: [true, false, true],
  });
});

test("a process that died while taking over does not stand in the way", () => {
  const path = lockPath();
  const stale = leaveLock(path, { start: "1" });
  leaveLock(`${path}.${stale.token}`, { start: "2" });
  expect(tryLock(path, PURPOSE)).toBeDefined();
  expect(readdirSync(join(path, ".."))).toEqual(["some.lock"]);
});

test.each(["", NO_HARD_LINKS])("processes killed inside a lock never let two in, nor lose it %#", async (prelude) => {
  const path = lockPath();
  const counter = join(path, "..", "counter");
  writeFileSync(counter, "0");
  leaveLock(path, { start: "1" });
  const script = `${prelude}
    const { readFileSync, writeFileSync } = await import("node:fs");
    const { acquireLock } = await import(store + "/lock.js");
    const { LOCK, COUNTER } = process.env;
    for (let round = 1; ; round++) {
      const lock = await acquireLock(LOCK, { purpose: "counting", timeoutMs: 50_000 });
      const count = Number(readFileSync(COUNTER, "utf8"));
      await new Promise((done) => setTimeout(done, 1));
      writeFileSync(COUNTER, String(count + 1));
      if (round === 10) process.kill(process.pid, "SIGKILL");
      lock.release();
    }
  `;
  const workers = Array.from({ length: 6 }, () => finish(startStoreProcess(script, { LOCK: path, COUNTER: counter })));
  expect((await Promise.all(workers)).map(({ signal }) => signal)).toEqual(workers.map(() => "SIGKILL"));
  expect(readFileSync(counter, "utf8")).toBe("60");
});

test.each(["", NO_HARD_LINKS])("of many who find the same dead owner's lock, one gets it %#", async (prelude) => {
  const dir = tempDir();
  const locks = Array.from({ length: 200 }, (_, index) => leaveDeadLock(join(dir, `${index}`)));
  const won = await raceForLocks(locks, prelude);
  expect(won.sort()).toEqual(locks.sort());
});

test.each(["EPERM", "ENOSYS", "ENOTSUP", "EMLINK", "EACCES"])(
  "without hard links (%s) a lock is held by one, taken over from the dead, and leaves nothing",
  (code) => {
    const path = lockPath();
    const dead = leaveLock(path, { start: "1" });
    withoutHardLinks(code);
    const lock = tryLock(path, PURPOSE);
    expect(lock).toBeDefined();
    expect(tryLock(path, PURPOSE)).toBeUndefined();
    expect(readdirSync(join(path, ".."))).toEqual(["some.lock"]);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    leaveFolderOf(path, dead);
    const second = tryLock(path, PURPOSE);
    expect(second).toBeDefined();
    lock?.release();
    expect(tryLock(path, PURPOSE)).toBeUndefined();
    second?.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  },
);

test.each(["ENOTDIR", "ENOTEMPTY", "EEXIST"])(
  "a lock whose name was taken until just now (%s) is somebody else's",
  (code) => {
    const path = lockPath();
    withoutHardLinks();
    const { renameSync } = fs;
    onTestFinished(() => setRename(renameSync));
    setRename(() => {
      throw Object.assign(new Error(`${code}: rename`), { code });
    });
    expect(tryLock(path, PURPOSE)).toBeUndefined();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  },
);

function setRename(rename: typeof fs.renameSync): void {
  fs.renameSync = rename;
  syncBuiltinESMExports();
}

test("without hard links a lock that is being released is free", () => {
  const path = lockPath();
  mkdirSync(path);
  withoutHardLinks();
  tryLock(path, PURPOSE)?.release();
  expect(existsSync(path)).toBe(false);
});

test("without hard links four processes share locks, each held by one", async () => {
  const dir = tempDir();
  const locks = Array.from({ length: 80 }, (_, index) => join(dir, `${index}`));
  expect((await raceForLocks(locks, NO_HARD_LINKS)).sort()).toEqual(locks.sort());
});
