import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type LiveOptions, type LiveSession, openLive } from "../../../src/library/live/look-at-live.js";
import { answer, call, type Draft, prompt, resultFor, textBlock, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveProcess, register } from "../running/live-process.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";
const NOW = Date.now();
const MINUTE = 60_000;
const DEAD = { pidDomain: null, procStart: "17" };

/** Writes a session of version 2.1.326, last written some minutes ago. */
function writeSession(root: string, id: string, drafts: readonly Draft[], minutesAgo = 0, more = ""): string {
  const path = join(root, "projects", "-home-dev-shop", `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const lines = writeLines(drafts).map((line) => JSON.stringify({ ...JSON.parse(line), version: "2.1.326" }));
  writeFileSync(path, `${[...lines, more].filter((line) => line !== "").join("\n")}\n`);
  const at = (NOW - minutesAgo * MINUTE) / 1000;
  utimesSync(path, at, at);
  return path;
}

function look(root: string, more: Partial<LiveOptions> = {}): LiveSession[] {
  const live = openLive({ roots: [root], now: () => NOW, ...more });
  onTestFinished(() => live.close());
  return live.look();
}

const ASKED = [prompt("run the tests"), call("t1", "Bash", { command: "npm test" })];
const ANSWERED = [prompt("hello"), answer("done")];

describe("a session whose process says what it does", () => {
  test("waits for a permission, and the call that needs it is told", () => {
    const root = temporaryFolder();
    writeSession(root, A, ASKED);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "waiting", waitingFor: "permission prompt", statusUpdatedAt: NOW - 5 });
    expect(look(root)).toMatchObject([
      { id: A, state: "waiting", waitsFor: "permission", detail: "Bash: npm test", since: NOW - 5, source: "registry" },
    ]);
    expect(look(root)[0]?.process).toEqual({ pid, isCertain: true, kind: "foreground", startedAt: null });
  });

  test("tells the question that it waits for", () => {
    const root = temporaryFolder();
    const questions = [{ question: "Which colour?", options: [] }];
    writeSession(root, A, [prompt("paint it"), call("t1", "AskUserQuestion", { questions })]);
    register(root, liveProcess(), { sessionId: A, status: "waiting", waitingFor: "input needed" });
    expect(look(root)).toMatchObject([{ waitsFor: "answer", detail: "AskUserQuestion: Which colour?" }]);
  });

  test.each([
    [{ status: "waiting", waitingFor: "input needed" }, "waiting", "answer"],
    [{ status: "waiting", waitingFor: "sandbox request" }, "waiting", "permission"],
    [{ status: "waiting", waitingFor: "dialog open" }, "waiting", "other"],
    [{ status: "idle" }, "waiting", "prompt"],
    [{ status: "busy" }, "working", null],
    [{ status: "shell" }, "working", null],
    [{}, "working", null],
  ] as const)("%j is %s for %s", (entry, state, waitsFor) => {
    const root = temporaryFolder();
    writeSession(root, A, ANSWERED);
    register(root, liveProcess(), { sessionId: A, ...entry });
    expect(look(root)).toMatchObject([{ state, waitsFor }]);
  });

  test("is stuck when nothing was written for long and no call runs", () => {
    const root = temporaryFolder();
    writeSession(root, A, [prompt("think about it")], 11);
    register(root, liveProcess(), { sessionId: A, status: "busy", statusUpdatedAt: NOW - 12 * MINUTE });
    expect(look(root)).toMatchObject([{ state: "stuck", detail: "no sign of life" }]);
  });

  test("is at work as long as a call runs, however long that takes", () => {
    const root = temporaryFolder();
    writeSession(root, A, ASKED, 55);
    register(root, liveProcess(), { sessionId: A, status: "busy", statusUpdatedAt: NOW - 55 * MINUTE });
    expect(look(root)).toMatchObject([{ state: "working", detail: "Bash: npm test" }]);
  });

  test("is stuck when its process was suspended", async () => {
    const root = temporaryFolder();
    writeSession(root, A, ANSWERED);
    const pid = liveProcess();
    process.kill(pid, "SIGSTOP");
    register(root, pid, { sessionId: A, status: "busy" });
    await vi.waitFor(() => expect(look(root)).toMatchObject([{ state: "stuck", detail: "suspended" }]));
  });

  test("is there before anything was written", () => {
    const root = temporaryFolder();
    register(root, liveProcess(), { sessionId: A, status: "idle" });
    expect(look(root)).toMatchObject([{ id: A, path: null, facts: null, state: "waiting", waitsFor: "prompt" }]);
  });

  test("is uncertain when it may run in another container", () => {
    const root = temporaryFolder();
    register(root, liveProcess(), { sessionId: A, status: "busy", procStart: "17", pidDomain: "linux:0:pid:[1]" });
    expect(look(root)).toMatchObject([{ process: { isCertain: false } }]);
  });
});

describe("a session without a process", () => {
  test("has finished when its turn is over", () => {
    const root = temporaryFolder({ "sessions/x": "" });
    writeSession(root, A, ANSWERED, 2);
    expect(look(root)).toMatchObject([{ id: A, state: "finished", source: "files", process: null }]);
  });

  test("has failed when it was killed in the middle of a turn", () => {
    const root = temporaryFolder();
    writeSession(root, A, ASKED, 2);
    register(root, liveProcess(), { sessionId: A, status: "busy", ...DEAD });
    expect(look(root)).toMatchObject([{ state: "failed", detail: "its process was killed", process: null }]);
  });

  test("is not told when it ended long ago", () => {
    const root = temporaryFolder();
    writeSession(root, A, ASKED, 20);
    register(root, liveProcess(), { sessionId: A, status: "waiting", ...DEAD });
    expect(look(root)).toEqual([]);
    expect(look(root, { recentMs: 30 * MINUTE })).toMatchObject([{ id: A, state: "failed" }]);
  });

  test("never counts as waiting for a person", () => {
    const root = temporaryFolder();
    writeSession(root, A, ASKED, 1);
    expect(look(root)).toMatchObject([{ state: "working", waitsFor: null, source: "files" }]);
  });
});

test("a background job tells what it needs, and how it ended", () => {
  const job = (more: object) =>
    JSON.stringify({ sessionId: A, tempo: "active", updatedAt: new Date(NOW).toISOString(), ...more });
  const stateOf = (more: object) => look(temporaryFolder({ "jobs/aaaaaaaa/state.json": job(more) }));
  expect(stateOf({ state: "working", tempo: "blocked", needs: "Which colour?" })).toMatchObject([
    { state: "waiting", waitsFor: "answer", detail: "Which colour?", source: "job" },
  ]);
  expect(stateOf({ state: "crashed" })).toMatchObject([{ state: "failed" }]);
  expect(stateOf({ state: "done" })).toMatchObject([{ state: "finished" }]);
  expect(stateOf({ state: "done", updatedAt: new Date(NOW - 60 * MINUTE).toISOString() })).toEqual([]);
});

test("what needs a person stands before what works, and that before what is idle", () => {
  const root = temporaryFolder();
  const ids = [1, 2, 3].map((n) => `cccccccc-0000-4000-8000-00000000000${n}`);
  const entries = [{ status: "idle" }, { status: "busy" }, { status: "waiting", waitingFor: "permission prompt" }];
  for (const [at, entry] of entries.entries()) register(root, liveProcess(), { sessionId: ids[at], ...entry });
  expect(look(root).map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
});

const MESSAGE = { type: "message", role: "assistant", model: "claude-opus-4-5", stop_reason: "end_turn" };

describe("what a session uses", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 100,
    cache_read_input_tokens: 40_000,
    cache_creation_input_tokens: 0,
  };
  const spent = (id: string) => ({
    type: "assistant",
    message: { ...MESSAGE, id, content: [textBlock("ok")], usage },
  });

  test("is its context, its cost, and the cost of the last five minutes by the minute", () => {
    const root = temporaryFolder();
    const path = writeSession(root, A, [prompt("go"), spent("m1"), prompt("again"), spent("m2")]);
    const minutesAgo = [60, 50, 4, 3];
    const lines = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line, at) => {
        const timestamp = new Date(NOW - (minutesAgo[at] ?? 0) * MINUTE).toISOString();
        return JSON.stringify({ ...JSON.parse(line), timestamp });
      });
    writeFileSync(path, `${lines.join("\n")}\n`);
    register(root, liveProcess(), { sessionId: A, status: "idle" });
    const [facts] = look(root).map((session) => session.facts);
    expect(facts?.contextTokens).toBe(40_010);
    expect(facts?.totalCostUsd).toBeGreaterThan(0);
    expect(facts?.costPerMinuteUsd).toBeCloseTo((facts?.totalCostUsd ?? 0) / 2 / 5, 10);
  });
});

test("a look reads only what was appended since the last one", () => {
  const root = temporaryFolder();
  const path = writeSession(root, A, ANSWERED);
  register(root, liveProcess(), { sessionId: A, status: "busy" });
  const live = openLive({ roots: [root] });
  onTestFinished(() => live.close());
  expect(live.look()[0]?.facts?.lastLine).toBe("done");
  const lines = writeLines([...ANSWERED, prompt("next"), call("t2", "Read", { file_path: "/a/b.ts" })]);
  appendFileSync(path, `${lines.slice(ANSWERED.length).join("\n")}\n`);
  expect(live.look()[0]?.facts).toMatchObject({ lastLine: "Read: /a/b.ts", isTurnOpen: true });
});

test("a session is known as soon as it is written", () => {
  const root = temporaryFolder();
  register(root, liveProcess(), { sessionId: A, status: "busy" });
  const live = openLive({ roots: [root] });
  onTestFinished(() => live.close());
  expect(live.look()).toMatchObject([{ path: null }]);
  const path = writeSession(root, A, ANSWERED);
  expect(live.look()).toMatchObject([{ path, facts: { lastLine: "done" } }]);
});

test("sub-agents at work are told by their task, those that are done are not", () => {
  const root = temporaryFolder();
  const path = writeSession(root, A, [prompt("go"), call("t1", "Agent", { prompt: "look" })]);
  const folder = join(path.slice(0, -".jsonl".length), "subagents");
  mkdirSync(folder, { recursive: true });
  const agent = (id: string, drafts: readonly Draft[], description: string) => {
    const lines = writeLines(drafts).map((line) =>
      JSON.stringify({ ...JSON.parse(line), agentId: id, isSidechain: true }),
    );
    writeFileSync(join(folder, `agent-${id}.jsonl`), `${lines.join("\n")}\n`);
    writeFileSync(join(folder, `agent-${id}.meta.json`), JSON.stringify({ agentType: "Explore", description }));
  };
  agent("a1", [prompt("look"), call("x1", "Grep", { pattern: "cart" })], "Find the cart");
  agent("a2", [prompt("look"), call("x2", "Grep", { pattern: "x" }), resultFor("x2"), answer("found")], "Done before");
  register(root, liveProcess(), { sessionId: A, status: "busy" });
  expect(look(root)[0]?.facts?.agents).toMatchObject([
    { agentId: "a1", type: "Explore", description: "Find the cart" },
  ]);
});

test("two sessions of one root are told apart", () => {
  const root = temporaryFolder();
  writeSession(root, A, ANSWERED);
  writeSession(root, B, ASKED);
  register(root, liveProcess(), { sessionId: A, status: "idle" });
  register(root, liveProcess(), { sessionId: B, status: "busy" });
  expect(look(root).map(({ id, state }) => [id, state])).toEqual([
    [B, "working"],
    [A, "waiting"],
  ]);
});
