import { execFileSync } from "node:child_process";
import { appendFileSync, type FSWatcher, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type FileChange, type Watch, type WatchOptions, watchRoots } from "../../../src/library/watch/watch-roots.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const SESSION = `projects/-a/${ID}.jsonl`;
const AGENT = `projects/-a/${ID}/subagents/agent-a1b2c3d.jsonl`;
const BY_WATCH_ALONE: WatchOptions = { gatherMs: 5, pollMs: 3_600_000 };
const WAIT = { timeout: 10_000, interval: 5 };

const failing: Watch = () => {
  throw Object.assign(new Error("ENOSPC: no watches left"), { code: "ENOSPC", syscall: "watch" });
};
const BY_POLL_ALONE: WatchOptions = { gatherMs: 5, pollMs: 50, watch: failing };

interface Watched {
  readonly root: string;
  path(name: string): string;
  write(name: string, text?: string): void;
  /** Waits for exactly these changes, in any order. */
  expectChanges(...changes: readonly string[]): Promise<void>;
  readonly problems: readonly string[];
}

function watched(files: Readonly<Record<string, string>>, options: WatchOptions, below = "."): Watched {
  const root = temporaryFolder(files);
  const seen = new Set<string>();
  const problems: string[] = [];
  const note = ({ path, kind, change }: FileChange) => seen.add(`${change} ${kind} ${relative(root, path)}`);
  const onProblem = (message: string) => problems.push(message);
  const watcher = watchRoots([join(root, below)], (changes) => changes.forEach(note), { ...options, onProblem });
  onTestFinished(() => watcher.close());
  return {
    root,
    problems,
    path: (name) => join(root, name),
    write: (name, text = "{}\n") => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    },
    expectChanges: async (...changes) => {
      await vi.waitFor(() => expect([...seen].sort()).toEqual([...changes].sort()), WAIT);
      seen.clear();
    },
  };
}

describe.each([
  { by: "the system", options: BY_WATCH_ALONE },
  { by: "looking from time to time", options: BY_POLL_ALONE },
])("what is told by $by", ({ options }) => {
  test("is an append, and nothing of what was there before", async () => {
    const { path, expectChanges } = watched({ [SESSION]: "{}\n", [AGENT]: "{}\n" }, options);
    appendFileSync(path(SESSION), "{}\n");
    await expectChanges(`appended session ${SESSION}`);
  });

  test("is a new session, and one that was removed", async () => {
    const { path, write, expectChanges } = watched({ [SESSION]: "{}\n" }, options);
    write(`projects/-a/${OTHER}.jsonl`);
    await expectChanges(`created session projects/-a/${OTHER}.jsonl`);
    rmSync(path(SESSION));
    await expectChanges(`gone session ${SESSION}`);
  });

  test("is a session that moved to another project", async () => {
    const { path, expectChanges } = watched({ [SESSION]: "{}\n", "projects/-b/memory.md": "" }, options);
    renameSync(path(SESSION), path(`projects/-b/${ID}.jsonl`));
    await expectChanges(`gone session ${SESSION}`, `created session projects/-b/${ID}.jsonl`);
  });

  test("is a file that was cut, or replaced by another", async () => {
    const { path, write, expectChanges } = watched({ [SESSION]: "{}\n{}\n" }, options);
    truncateSync(path(SESSION), 3);
    await expectChanges(`rewritten session ${SESSION}`);
    write("new", "{}\n{}\n{}\n");
    renameSync(path("new"), path(SESSION));
    await expectChanges(`rewritten session ${SESSION}`);
  });

  test("is a new project with all that is in it, then what is written there", async () => {
    const { path, write, expectChanges } = watched({ [SESSION]: "{}\n" }, options);
    write(`projects/-b/${OTHER}.jsonl`);
    await expectChanges(`created session projects/-b/${OTHER}.jsonl`);
    appendFileSync(path(`projects/-b/${OTHER}.jsonl`), "{}\n");
    await expectChanges(`appended session projects/-b/${OTHER}.jsonl`);
  });

  test("is a project that was renamed, or removed", async () => {
    const { path, expectChanges } = watched({ [SESSION]: "{}\n", [AGENT]: "{}\n" }, options);
    renameSync(path("projects/-a"), path("projects/-b"));
    const [session, agent] = [SESSION, AGENT].map((name) => name.replace("-a/", "-b/"));
    const moved = [`created session ${session}`, `created agent ${agent}`];
    await expectChanges(`gone session ${SESSION}`, `gone agent ${AGENT}`, ...moved);
    rmSync(path("projects/-b"), { recursive: true });
    await expectChanges(`gone session ${session}`, `gone agent ${agent}`);
  });

  test("is what sub-agents write, in folders that appear later too", async () => {
    const { path, write, expectChanges } = watched({ [SESSION]: "{}\n" }, options);
    write(AGENT);
    await expectChanges(`created agent ${AGENT}`);
    appendFileSync(path(AGENT), "{}\n");
    await expectChanges(`appended agent ${AGENT}`);
    const nested = `projects/-a/${ID}/subagents/workflows/w/agent-b.meta.json`;
    write(nested);
    await expectChanges(`created side ${nested}`);
  });

  test("is a title beside the session; other files are not", async () => {
    const { write, expectChanges } = watched({ [SESSION]: "{}\n" }, options);
    write("projects/-a/sessions-index.json");
    write("history.jsonl");
    write(`projects/-a/${ID}/custom-title.json`);
    await expectChanges(`created side projects/-a/${ID}/custom-title.json`);
  });

  test("is found in a plain folder, and in the folders in it", async () => {
    const { write, expectChanges } = watched({ "notes.txt": "" }, options);
    write(`${ID}.jsonl`);
    write(`copies/${OTHER}.jsonl`);
    await expectChanges(`created session ${ID}.jsonl`, `created session copies/${OTHER}.jsonl`);
  });
});

test("a root that appears later is watched from then on", async () => {
  const { path, write, expectChanges } = watched({}, { gatherMs: 5, pollMs: 50 }, "later");
  write(`later/${SESSION}`);
  await expectChanges(`created session later/${SESSION}`);
  rmSync(path("later"), { recursive: true });
  await expectChanges(`gone session later/${SESSION}`);
  write(`later/${SESSION}`);
  await expectChanges(`created session later/${SESSION}`);
});

test("sub-agents of a session that rested for long are told when it goes on", async () => {
  const { root } = watched({ [SESSION]: "{}\n", [AGENT]: "{}\n" }, BY_WATCH_ALONE);
  execFileSync("find", [root, "-exec", "touch", "-d", "2020-01-01", "{}", "+"]);
  const changes: string[] = [];
  const watcher = watchRoots([root], (found) => changes.push(...found.map(({ kind }) => kind)), BY_WATCH_ALONE);
  onTestFinished(() => watcher.close());
  appendFileSync(join(root, SESSION), "{}\n");
  await vi.waitFor(() => expect(changes).toEqual(["session"]), WAIT);
  appendFileSync(join(root, AGENT), "{}\n");
  await vi.waitFor(() => expect(changes).toEqual(["session", "agent"]), WAIT);
});

test("that watches ran out is told once, with what it means", async () => {
  const { problems } = watched({ [SESSION]: "", [`projects/-b/${OTHER}.jsonl`]: "" }, { watch: failing });
  expect(problems).toEqual([
    "some folders cannot be watched (ENOSPC: no watches left); changes in them are noticed within 10 s",
  ]);
});

test("beyond the number of watches that are allowed, folders are looked at from time to time", async () => {
  const options = { gatherMs: 5, pollMs: 50, maxWatches: 2 };
  const { path, problems, expectChanges } = watched({ [SESSION]: "{}\n" }, options);
  expect(problems).toHaveLength(1);
  appendFileSync(path(SESSION), "{}\n");
  await expectChanges(`appended session ${SESSION}`);
});

test("where one watch sees all that is below, its names lead to the files", async () => {
  const listeners: ((event: string, name: string | null) => void)[] = [];
  const watch: Watch = (_path, { recursive }, listener) => {
    expect(recursive).toBe(true);
    listeners.push(listener);
    return { close: () => undefined, on: () => ({}) as FSWatcher };
  };
  const { path, write, expectChanges } = watched(
    { [SESSION]: "{}\n" },
    { ...BY_WATCH_ALONE, platform: "darwin", watch },
  );
  expect(listeners).toHaveLength(1);
  appendFileSync(path(SESSION), "{}\n");
  listeners[0]?.("change", join(SESSION));
  await expectChanges(`appended session ${SESSION}`);
  write(AGENT);
  listeners[0]?.("rename", join(AGENT));
  await expectChanges(`created agent ${AGENT}`);
  appendFileSync(path(SESSION), "{}\n");
  listeners[0]?.("change", null);
  await expectChanges();
});

test("after close() nothing keeps the process alive", () => {
  const root = temporaryFolder({ [SESSION]: "{}\n" });
  const library = resolve(import.meta.dirname, "../../../dist/library.js");
  const script = `import { watchRoots } from ${JSON.stringify(library)};
    const watcher = watchRoots([${JSON.stringify(root)}], () => {});
    setTimeout(() => { watcher.close(); process.stdout.write("closed"); }, 50);`;
  const stdout = execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000 });
  expect(stdout.toString()).toBe("closed");
});
