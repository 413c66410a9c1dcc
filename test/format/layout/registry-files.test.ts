import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readJobs, readRegistry } from "../../../src/format/layout/registry-files.js";
import { temporaryFolder } from "../temporary-folder.js";

const RECORDED = resolve(import.meta.dirname, "..", "..", "corpus", "2.1.326", "background", "registry");
const A = "aaaaaaaa-0000-4000-8000-000000000001";

test("an entry as 2.1.326 writes it tells process, session and what it waits for", () => {
  const root = temporaryFolder({ "sessions/x": "" });
  cpSync(join(RECORDED, "02-interactive-cli-waiting-permission_prompt.json"), join(root, "sessions", "120.json"));
  expect(readRegistry(root)).toEqual({
    isKept: true,
    problems: [],
    entries: [
      {
        pid: 120,
        path: join(root, "sessions", "120.json"),
        sessionId: "daf7f90b-c90e-44f5-8640-58d496e57bc0",
        procStart: "301347",
        pidDomain: "linux:00000000000000000000000000000000:pid:[4026532179]",
        status: "waiting",
        waitingFor: "permission prompt",
        kind: "interactive",
        name: "demo-app-4c",
        startedAt: 1794967232529,
        statusUpdatedAt: 1794967236688,
      },
    ],
  });
});

test("only names that are a pid count, and keys are never opened", () => {
  const entry = JSON.stringify({ sessionId: A });
  const root = temporaryFolder({
    "sessions/7.json": entry,
    "sessions/7.0a1b.key": "secret",
    "sessions/x7.json": entry,
    "sessions/7.json.tmp": entry,
    "sessions/0.json": entry,
    "sessions/99999999999999999999.json": entry,
  });
  expect(readRegistry(root).entries.map(({ pid }) => pid)).toEqual([7]);
});

test("there is no registry where no version with one has run", () => {
  expect(readRegistry(temporaryFolder())).toEqual({ isKept: false, entries: [], problems: [] });
});

test("what cannot be an entry is a process without a session, and a problem; a pipe is not waited for", () => {
  const root = temporaryFolder({
    "sessions/1.json": "{half",
    "sessions/2.json": " ".repeat(300_000),
    "sessions/3.json": JSON.stringify({ sessionId: "../../etc", procStart: 5 }),
  });
  const sessions = join(root, "sessions");
  execFileSync("mkfifo", [join(sessions, "4.json")]);
  symlinkSync(join(sessions, "3.json"), join(sessions, "5.json"));
  mkdirSync(join(sessions, "6.json"));
  const { entries, problems } = readRegistry(root);
  expect(entries.map(({ pid, sessionId, procStart }) => [pid, sessionId, procStart])).toEqual(
    [1, 2, 3, 4, 5, 6].map((pid) => [pid, null, null]),
  );
  expect(problems.map(({ path }) => path.slice(sessions.length + 1))).toEqual(
    [1, 2, 4, 5, 6].map((pid) => `${pid}.json`),
  );
});

test("a job as 2.1.326 writes it tells its session, what it needs and what it was forked from", () => {
  const root = temporaryFolder({ "jobs/pins.json": "{}", "jobs/nothex00/state.json": "{}" });
  const copy = (name: string, id: string) =>
    cpSync(join(RECORDED, name), join(root, "jobs", id, "state.json"), { recursive: true });
  mkdirSync(join(root, "jobs", "f8a0c5c3"));
  mkdirSync(join(root, "jobs", "a5d1f95d"));
  copy("15-job-working-blocked-True.json", "f8a0c5c3");
  copy("19-job-working-active-True.json", "a5d1f95d");
  expect(readJobs(root)).toMatchObject([
    { id: "a5d1f95d", state: "working", tempo: "active", forkParentSessionId: "9e72b2bf-601d-4cfe-a4f2-0ec8d941081a" },
    {
      id: "f8a0c5c3",
      sessionId: "f8a0c5c3-8781-4df4-b0be-33ff09c7c934",
      tempo: "blocked",
      needs: "answer: Which colour? (Red · Blue)",
      updatedAt: Date.parse("2026-11-18T02:03:31.605Z"),
    },
  ]);
});
