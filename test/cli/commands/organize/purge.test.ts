import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { liveProcess, register } from "../../../library/running/live-process.js";
import { runFaulty } from "../../faulty-process.js";
import { type OldLibrary, oldLibrary } from "../../old-library.js";
import { PLANTED_ID as ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const LONG_AGO = new Date("2026-05-02T03:04:05.678Z");
const OTHER = "bbbbbbbb-0000-4000-8000-000000000002";
const SHORT = ID.slice(0, 8);
const PASTE = "paste-cache/df2de52e19c7f98a.txt";

const line = (sessionId: string, timestamp: number, pastedContents: object = {}) =>
  `${JSON.stringify({ display: `typed ${timestamp}`, pastedContents, timestamp, project: "/p", sessionId })}\n`;
const HISTORY = line(OTHER, 1) + line(ID, 2, { 1: { contentHash: "df2de52e19c7f98a" } }) + line(OTHER, 3) + line(ID, 4);
const STATE = JSON.stringify({ projects: { "/p": { lastCost: 1, lastSessionId: ID } } }, null, 2);

/** One file of the session in every place that Claude Code uses. */
const PLACES = [
  `projects/-home-dev-shop/${ID}.ccr-tip.json`,
  `projects/-home-dev-shop/${ID}.jsonl.compact.tmp.0a1b2c3d`,
  `projects/-home-dev-shop/${ID}.jsonl.superseded-1`,
  `tasks/${ID}/.highwatermark`,
  `debug/${ID}.txt`,
  `session-env/${ID}/hook.sh`,
  `todos/${ID}-agent-${ID}.json`,
  `image-cache/${ID}/1.png`,
  `uploads/${ID}/a.txt`,
  `dev-mods/${ID}/a`,
  `dump-prompts/${ID}.jsonl`,
  `usage-data/facets/${ID}.json`,
  `jobs/${SHORT}/parent-transcript.jsonl`,
  `jobs/${SHORT}/timeline.jsonl`,
  `temp/claude-${process.getuid?.()}/-p/${ID}/tasks/b1.output`,
];

let library: OldLibrary;
beforeEach(() => {
  library = oldLibrary();
  process.env["CLAUDE_CODE_TMPDIR"] = join(library.root, "temp");
  for (const place of PLACES) put(place, `of ${ID}`);
  put(`jobs/${SHORT}/state.json`, JSON.stringify({ state: "stopped", sessionId: ID }));
  put(`tasks/${OTHER}/1.json`, "{}");
  put("history.jsonl", HISTORY);
  put(".claude.json", STATE);
  put(PASTE, "a long paste");
  put("sessions/1.0a1b.key", "secret");
  put("daemon/roster.json", "secret");
  return () => delete process.env["CLAUDE_CODE_TMPDIR"];
});

function put(name: string, text: string): void {
  const path = join(library.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, LONG_AGO, LONG_AGO);
}

const run = (...args: string[]) => runCli(args, library.env);
const textOf = (name: string) => readFileSync(join(library.root, name), "utf8");
const left = () => Object.keys(treeOf(library.root)).filter((path) => path.includes(ID) || path.includes(SHORT));

test("delete takes everything that is the session's alone, says what still names it, and restore brings it back", async () => {
  const before = treeOf(library.root);
  const { stderr, exitCode } = await run("delete", SHORT);
  expect(exitCode).toBe(0);
  expect(left()).toEqual([]);
  expect(stderr).toContain("2 lines of history.jsonl still name it\n");
  expect(stderr).toContain("1 pasted text in paste-cache used by no other session\n");
  expect(stderr).toContain(`${join(library.root, ".claude.json")} still names it as the last session of 1 project\n`);
  expect(stderr).toContain("to remove these traces too, restore the session and delete it with --purge\n");
  expect(textOf("history.jsonl")).toBe(HISTORY);
  expect(existsSync(join(library.root, `tasks/${OTHER}/1.json`))).toBe(true);
  expect((await run("restore", SHORT)).exitCode).toBe(0);
  expect(treeOf(library.root)).toEqual(before);
});

test("--json tells what remains", async () => {
  const { stdout } = await run("delete", SHORT, "--dry-run", "--json");
  const path = (name: string) => join(library.root, name);
  expect(JSON.parse(stdout).sessions[0].remains).toEqual([
    { kind: "history", path: path("history.jsonl"), count: 2, isPurgeable: true },
    { kind: "paste", path: path(PASTE), count: 1, isPurgeable: true },
    { kind: "lastSession", path: path(".claude.json"), count: 1, isPurgeable: true },
  ]);
});

describe("delete --purge", () => {
  test("leaves nothing that names the session, and restore puts it all back", async () => {
    const { stderr } = await run("delete", SHORT, "--purge");
    expect(stderr).not.toContain("still name");
    expect(stderr).toContain(
      "removed with --purge: 2 lines of history.jsonl, 1 pasted text, 1 mention in .claude.json\n",
    );
    expect(textOf("history.jsonl")).toBe(line(OTHER, 1) + line(OTHER, 3));
    expect(textOf(".claude.json")).not.toContain(ID);
    expect(existsSync(join(library.root, PASTE))).toBe(false);
    await run("restore", SHORT);
    expect(textOf("history.jsonl")).toBe(HISTORY);
    expect(textOf(".claude.json")).toBe(STATE);
    expect(textOf(PASTE)).toBe("a long paste");
  });

  test("is refused while any Claude Code of this folder runs, also with --force", async () => {
    register(library.root, liveProcess(), { sessionId: OTHER, status: "idle" });
    const before = treeOf(library.root);
    const { stderr, exitCode } = await run("delete", SHORT, "--purge", "--force");
    expect(stderr).toContain("Claude Code is running in process");
    expect(exitCode).toBe(1);
    expect(treeOf(library.root)).toEqual(before);
    expect((await run("delete", SHORT)).exitCode).toBe(0);
  });

  test("is refused while a process of another container may run, unless forced", async () => {
    const elsewhere = { sessionId: OTHER, procStart: "1", pidDomain: "linux:other:pid:[1]" };
    register(library.root, liveProcess(), elsewhere);
    expect((await run("delete", SHORT, "--purge")).exitCode).toBe(1);
    expect((await run("delete", SHORT, "--purge", "--force")).exitCode).toBe(0);
  });

  test.each([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 40, 60])(
    "killed before change %i loses nothing",
    async (killAt) => {
      const killed = await runFaulty(["delete", SHORT, "--purge"], library.env, { killAt });
      expect(killed.stderr).not.toContain("turnlog:");
      await run("restore", ID);
      expect(textOf("history.jsonl")).toBe(HISTORY);
      expect(textOf(".claude.json")).toBe(STATE);
      expect(textOf(PASTE)).toBe("a long paste");
      expect(existsSync(join(library.root, `tasks/${ID}/.highwatermark`))).toBe(true);
    },
  );
});

test("no secret of the registry or the daemon goes to the trash or the archive", async () => {
  await run("archive", "on");
  await run("delete", SHORT, "--purge");
  const data = library.env.TURNLOG_DATA_DIR;
  const texts = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(texts.filter((text) => text === "secret")).toEqual([]);
  expect(existsSync(join(library.root, "sessions/1.0a1b.key"))).toBe(true);
});

test("archive keeps what a person may want back, not the state of processes", async () => {
  await run("archive", "on");
  await run("delete", SHORT);
  const [folder = ""] = readdirSync(join(library.env.TURNLOG_DATA_DIR, "trash"));
  const manifest = readFileSync(join(library.env.TURNLOG_DATA_DIR, "trash", folder, "manifest.json"), "utf8");
  expect(manifest).toContain(`debug/${ID}.txt`);
  await run("restore", SHORT);
  const archive = join(library.env.TURNLOG_DATA_DIR, "archive");
  const copy = readdirSync(archive).find((name) => name.startsWith(ID)) ?? "";
  const names = JSON.parse(readFileSync(join(archive, copy, "manifest.json"), "utf8")).files.map(
    ({ name }: { name: string }) => name.split("/")[0],
  );
  expect([...new Set(names)].toSorted()).toEqual([
    "file-history",
    "image-cache",
    "projects",
    "tasks",
    "todos",
    "uploads",
  ]);
});
