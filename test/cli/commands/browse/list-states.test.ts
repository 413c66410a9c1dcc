import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { liveProcess, register } from "../../../library/running/live-process.js";
import { type OldLibrary, oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const DAY = 86_400_000;

let library: OldLibrary;
beforeEach(() => {
  library = oldLibrary();
});

const transcript = () => join(library.root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
const run = (...args: string[]) => runCli(args, library.env);
const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
const put = (name: string, text: string) => {
  const path = join(library.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const listed = async () => (await json("list")).find(({ id }: { id: string }) => id === PLANTED_ID);

test("a running session is marked, with its process and what it does", async () => {
  const pid = liveProcess();
  register(library.root, pid, { sessionId: PLANTED_ID, status: "busy", statusUpdatedAt: Date.UTC(2026, 10, 18) });
  expect((await listed()).running).toEqual({
    pid,
    certain: true,
    status: "busy",
    waitingFor: null,
    since: "2026-11-18T00:00:00.000Z",
  });
  expect((await run("list")).stdout).toMatch(/^5b0c7d1e .*\(running\) shop: /m);
});

test("a time in the registry that no clock can show is no time", async () => {
  register(library.root, liveProcess(), { sessionId: PLANTED_ID, statusUpdatedAt: 1e300, startedAt: -1e300 });
  expect((await listed()).running).toMatchObject({ since: null });
});

test.each([
  { mark: '{"archived":true,"at":"2026-11-18T00:00:00Z","by":"sdk"}', expected: true },
  { mark: '{"archived":false}', expected: false },
  { mark: "{half", expected: false },
])("a session whose archived.json says $mark is archived in Claude Code: $expected", async ({ mark, expected }) => {
  put(`projects/-home-dev-shop/${PLANTED_ID}/archived.json`, mark);
  expect((await listed()).archivedByClaude).toBe(expected);
});

test("of many sessions in one folder those that are archived in Claude Code are marked", async () => {
  const ids = Array.from({ length: 8 }, (_, at) => `${at}0000000-0000-4000-8000-000000000000`);
  const line = (id: string) =>
    `{"type":"user","uuid":"u","sessionId":"${id}","message":{"role":"user","content":"x"}}\n`;
  for (const id of ids) put(`projects/-many/${id}.jsonl`, line(id));
  for (const id of ids.slice(2, 6)) put(`projects/-many/${id}/archived.json`, '{"archived":true}');
  const marked = (await json("list")).filter(({ archivedByClaude }: { archivedByClaude: boolean }) => archivedByClaude);
  expect(marked.map(({ id }: { id: string }) => id).sort()).toEqual(ids.slice(2, 6));
});

describe("the clean-up of Claude Code", () => {
  beforeEach(() => {
    put("settings.json", '{"cleanupPeriodDays":30}');
    const written = new Date(Date.now() - 26 * DAY);
    utimesSync(transcript(), written, written);
  });

  test("is told by list --expiring, soonest first, whatever the records say", async () => {
    put("settings.json", '{"cleanupPeriodDays":9000}');
    expect(await json("list", "--expiring")).toEqual([]);
    expect((await run("list", "--expiring", "3")).stderr).toBe("Claude Code deletes no session within 3 days\n");
    put("settings.json", '{"cleanupPeriodDays":30}');
    const sessions = await json("list", "--expiring", "7");
    expect(sessions.at(-1)).toMatchObject({ id: PLANTED_ID, deletedAfter: expect.stringMatching(/^20\d\d-/) });
    expect(sessions).toHaveLength(8);
    const soon = (await json("list", "--expiring", "2")).filter(
      (one: { deletedAfter: string | null }) => one.deletedAfter,
    );
    expect(soon.map(({ id }: { id: string }) => id)).not.toContain(PLANTED_ID);
    expect(await json("list", "--expiring", "--limit", "1")).toHaveLength(1);
    expect((await run("list", "--expiring", "soon")).exitCode).toBe(2);
  });

  test("also takes old tool results from a session that goes on", async () => {
    utimesSync(transcript(), new Date(), new Date());
    const tool = transcript().replace(".jsonl", "/tool-results/toolu_02.txt");
    const sessions = await json("list", "--expiring");
    const lost = sessions.find(({ id }: { id: string }) => id === PLANTED_ID);
    expect(lost.deletedAfter).toBeNull();
    expect(lost.deletedParts).toContainEqual({
      path: tool,
      deletedAfter: expect.stringMatching(/^2026-06-01T03:04:05/),
    });
    expect((await run("list", "--expiring")).stdout).toMatch(/^5b0c7d1e .*\(loses \d files or folders\)/m);
  });

  test("is told by archive status", async () => {
    const [cleanup] = (await json("archive")).cleanup;
    expect(cleanup).toMatchObject({ root: library.root, days: 30, expiring: 8 });
    expect((await run("archive")).stdout).toContain("after 30 days without a change: 8 within a week");
    put("settings.json", "{half");
    expect((await run("archive")).stdout).toContain("deletes nothing");
  });
});
