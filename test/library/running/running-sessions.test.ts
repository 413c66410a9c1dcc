import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { liveSince, openRunningSessions } from "../../../src/library/running/running-sessions.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveProcess, register } from "./live-process.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const SINCE = 1_794_967_236_688;
const DEAD_PID = 0x3fff_fff0;

const sessionIn = (root: string, id = A) => ({ id, root, path: join(root, "projects", "-p", `${id}.jsonl`) });
const find = (root: string) => openRunningSessions().find(sessionIn(root));

describe("a session is in use", () => {
  test("while the process that the registry names runs, and says what it does", () => {
    const root = temporaryFolder();
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "waiting", waitingFor: "permission prompt", statusUpdatedAt: SINCE });
    expect(find(root)).toEqual({
      kind: "client",
      pid,
      sessionId: A,
      isCertain: true,
      clientKind: "interactive",
      status: "waiting",
      waitingFor: "permission prompt",
      since: SINCE,
      startedAt: null,
    });
  });

  test("not when the number of the process was given to another one", () => {
    const root = temporaryFolder();
    register(root, liveProcess(), { sessionId: A, procStart: "17" });
    expect(find(root)).toBeUndefined();
  });

  test("not when the process was killed", () => {
    const root = temporaryFolder({ "sessions/x": "" });
    register(root, process.pid, { sessionId: A });
    const entry = { sessionId: A, procStart: "17", pidDomain: null };
    writeFileSync(join(root, "sessions", `${process.pid}.json`), JSON.stringify({ ...entry }));
    writeFileSync(join(root, "sessions", `${DEAD_PID}.json`), JSON.stringify({ ...entry }));
    expect(find(root)).toBeUndefined();
  });

  test("perhaps, when the process is one of another machine or container", () => {
    const root = temporaryFolder();
    register(root, liveProcess(), { sessionId: A, procStart: "17", pidDomain: "linux:0:pid:[1]", status: "idle" });
    expect(find(root)).toMatchObject({ kind: "client", isCertain: false, status: "idle" });
  });

  test("by no other session than the one that is named", () => {
    const root = temporaryFolder();
    register(root, liveProcess(), { sessionId: "bbbbbbbb-0000-4000-8000-000000000002" });
    expect(find(root)).toBeUndefined();
  });

  test("while its background job has not ended", () => {
    const state = { state: "working", tempo: "blocked", needs: "answer: Which colour?", sessionId: A };
    const updatedAt = new Date(SINCE).toISOString();
    const root = temporaryFolder({ "jobs/aaaaaaaa/state.json": JSON.stringify({ ...state, updatedAt }) });
    expect(find(root)).toEqual({ kind: "job", jobId: "aaaaaaaa", needs: "answer: Which colour?", since: SINCE });
    const ended = temporaryFolder({ "jobs/aaaaaaaa/state.json": JSON.stringify({ ...state, state: "stopped" }) });
    expect(find(ended)).toBeUndefined();
  });
});

test("an entry that cannot be read is a process that may be Claude Code", () => {
  const root = temporaryFolder();
  const pid = liveProcess();
  mkdirSync(join(root, "sessions"));
  writeFileSync(join(root, "sessions", `${pid}.json`), "{half");
  writeFileSync(join(root, "sessions", `${DEAD_PID}.json`), "{half");
  expect(openRunningSessions().clientsIn(root)).toMatchObject([{ pid, sessionId: null, isCertain: false }]);
});

describe("a session that was just written", () => {
  const guess = (root: string) => openRunningSessions().findOrGuess(sessionIn(root), Date.now())?.kind;
  const transcript = (version: string) => ({
    [`projects/-p/${A}.jsonl`]: `{"type":"user","version":"2.0.50"}\n{"type":"user","version":"${version}"}\n`,
  });

  test.each([
    { version: "2.1.326", registry: { "sessions/1.json": "" }, expected: undefined },
    { version: "2.1.400", registry: { "sessions/x": "" }, expected: undefined },
    { version: "2.2.0", registry: { "sessions/x": "" }, expected: undefined },
    { version: "2.1.325", registry: { "sessions/x": "" }, expected: "recent" },
    { version: "2.1.45", registry: { "sessions/x": "" }, expected: "recent" },
    { version: "2.1.326", registry: {}, expected: "recent" },
  ])("of $version, with the registry $registry, counts as $expected", ({ version, registry, expected }) => {
    expect(guess(temporaryFolder({ ...transcript(version), ...registry }))).toBe(expected);
  });

  test("counts as recent when no version tells that there is a registry", () => {
    expect(guess(temporaryFolder({ [`projects/-p/${A}.jsonl`]: "{}\n", "sessions/x": "" }))).toBe("recent");
  });

  test("no longer counts after five minutes", () => {
    const root = temporaryFolder(transcript("2.1.45"));
    const old = Date.now() - 301_000;
    utimesSync(sessionIn(root).path, old / 1000, old / 1000);
    expect(openRunningSessions().findOrGuess(sessionIn(root), old)).toBeUndefined();
  });

  test("is live for edits by the registry, not by the clock", () => {
    const root = temporaryFolder({ ...transcript("2.1.326"), "sessions/x": "" });
    expect(liveSince(openRunningSessions(), sessionIn(root))).toBe(Number.POSITIVE_INFINITY);
    register(root, liveProcess(), { sessionId: A });
    expect(liveSince(openRunningSessions(), sessionIn(root))).toBe(0);
  });
});
