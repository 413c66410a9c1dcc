import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const PRINT_325 = join(CORPUS, "2.1.325/print");

test("a configuration folder gives every session of every project, latest activity first", () => {
  const { sessions, problems } = listSessions(PRINT_325);
  const ended = sessions.map(({ endedAt }) => endedAt ?? "");
  expect(problems).toEqual([]);
  expect(sessions).toHaveLength(26);
  expect(ended).toEqual(ended.toSorted().reverse());
  expect(new Set(sessions.map(({ project }) => project)).size).toBe(6);
});

test("any folder with session files will do, with or without projects in it", () => {
  const projects = listSessions(join(PRINT_325, "projects")).sessions;
  const project = listSessions(join(PRINT_325, "projects/-home-dev-slug-with-space")).sessions;
  expect(projects).toHaveLength(26);
  expect(project.map(({ project: path }) => path)).toEqual(["/home/dev/slug/with space"]);
});

test("a home sign is expanded", () => {
  const home = process.env["HOME"] ?? "";
  cpSync(join(PRINT_325, "projects/-home-dev-slug-with-space"), join(home, "some-sessions"), { recursive: true });
  expect(listSessions("~/some-sessions").sessions).toHaveLength(1);
});

test("a folder that is not there holds no sessions", () => {
  expect(listSessions(join(temporaryFolder(), "nowhere"))).toMatchObject({ sessions: [], found: 0, problems: [] });
});

test("what cannot be read is reported and does not stop the others", () => {
  const root = temporaryFolder();
  const project = join(root, "projects/-srv-shop");
  mkdirSync(join(project, "00000000-0000-4000-8000-000000000001.jsonl"), { recursive: true });
  writeFileSync(join(project, "00000000-0000-4000-8000-000000000002.jsonl"), "");
  const { sessions, problems } = listSessions(root);
  expect(sessions.map(({ id, turns }) => [id, turns])).toEqual([["00000000-0000-4000-8000-000000000002", 0]]);
  expect(problems).toHaveLength(1);
});

test.each([
  [{ project: "with space" }, 1],
  [{ project: "/home/dev/slug/with space" }, 1],
  [{ project: "/home/dev/slug" }, 5],
  [{ project: "/home/dev/sl" }, 0],
  [{ model: "OPUS-5-5" }, 23],
  [{ tool: "enterworktree" }, 1],
  [{ errors: true, limit: 2 }, 2],
  [{ gitBranch: "no-such-branch" }, 0],
  [{ since: Date.parse("2026-11-16") }, 0],
  [{ until: Date.parse("2026-11-01") }, 0],
  [{ since: Date.parse("2026-11-01"), until: Date.parse("2026-11-30") }, 26],
])("the filter %j leaves %i sessions", (filter, count) => {
  expect(listSessions(PRINT_325, filter).sessions).toHaveLength(count);
});
