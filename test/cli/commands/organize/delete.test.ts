import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type OldLibrary, oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

let library: OldLibrary;
beforeEach(() => {
  library = oldLibrary();
});

const run = (...args: string[]) => runCli(args, library.env);
const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
const transcript = () => join(library.root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
const trashed = () => readdirSync(join(library.env.TURNLOG_DATA_DIR, "trash"));

test("everything of a session goes to the trash, nothing of others, and comes back exactly", async () => {
  const before = treeOf(library.root);
  const { stdout, stderr, exitCode } = await run("delete", PLANTED_ID.slice(0, 8));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^5b0c7d1e {2}2026-05-01 \d\d:\d\d {2}[\d.]+ KB {2}8 files {2}shop {2}Deploy with/);
  expect(stderr).toContain("moved to the trash: 1 session");
  const left = Object.keys(treeOf(library.root));
  expect(left.filter((path) => path.includes(PLANTED_ID) || path.includes("agent-0a1b2c3d"))).toEqual([]);
  expect(await json("list")).toHaveLength(7);

  expect((await run("restore", PLANTED_ID.slice(0, 4))).stdout).toBe(`restored ${transcript()}\n`);
  expect(treeOf(library.root)).toEqual(before);
  expect(trashed()).toEqual([]);
});

test("a project folder that went away meanwhile is made again", async () => {
  const before = treeOf(join(library.root, "projects/-home-dev-shop"));
  await run("delete", PLANTED_ID);
  rmSync(join(library.root, "projects/-home-dev-shop"), { recursive: true });
  await run("restore", PLANTED_ID);
  expect(treeOf(join(library.root, "projects/-home-dev-shop"))).toEqual(before);
});

test("what is there now is not overwritten, and nothing is moved then", async () => {
  await run("delete", PLANTED_ID);
  mkdirSync(join(library.root, "projects/-home-dev-shop"), { recursive: true });
  writeFileSync(transcript(), "new\n");
  const before = treeOf(library.root);
  const { stderr, exitCode } = await run("restore", PLANTED_ID);
  expect(stderr).toContain(`turnlog: ${transcript()} already exists\n`);
  expect(exitCode).toBe(1);
  expect(treeOf(library.root)).toEqual(before);
  rmSync(transcript());
  expect((await run("restore", PLANTED_ID)).exitCode).toBe(0);
});

describe("a session that was just written to", () => {
  beforeEach(() => utimesSync(transcript(), new Date(), new Date()));

  test("is refused by name unless forced", async () => {
    const refused = await run("delete", PLANTED_ID);
    expect(refused.stderr).toContain("had activity in the last five minutes");
    expect(refused.exitCode).toBe(1);
    expect(existsSync(transcript())).toBe(true);
    expect((await run("delete", PLANTED_ID, "--force")).exitCode).toBe(0);
    expect(existsSync(transcript())).toBe(false);
  });

  test("is spared among many, with the reason", async () => {
    const { sessions, spared } = await json("delete", "--older-than", "1d", "--yes");
    expect(sessions).not.toContainEqual(expect.objectContaining({ id: PLANTED_ID }));
    expect(spared).toEqual([{ id: PLANTED_ID, path: transcript(), reason: "written to in the last five minutes" }]);
  });
});

describe("a session that an edit has just made", () => {
  test.each(["clone", "redact"])("by %s can be deleted at once", async (command) => {
    const { id } = await json(command, PLANTED_ID);
    expect((await run("delete", id)).exitCode).toBe(0);
    expect((await json("list")).map((session: { id: string }) => session.id)).not.toContain(id);
  });

  test("can be moved at once", async () => {
    const { id } = await json("clone", PLANTED_ID);
    expect((await run("move", id, "/home/dev/other")).exitCode).toBe(0);
  });

  test("is refused once somebody else has written to it", async () => {
    const { id, path } = await json("clone", PLANTED_ID);
    utimesSync(path, new Date(), new Date(Date.now() + 2000));
    expect((await run("delete", id)).stderr).toContain("had activity in the last five minutes");
  });
});

test("--dry-run only tells what a session is made of", async () => {
  const before = treeOf(library.root);
  const { stdout, stderr } = await run("delete", "1126", "--dry-run");
  expect(stdout).toMatch(/^1126/);
  expect(stderr).toMatch(/^would be deleted: 1 session, [\d.]+ KB\n$/);
  expect(treeOf(library.root)).toEqual(before);
});

describe("many at once", () => {
  test("are only listed without --yes", async () => {
    const before = treeOf(library.root);
    const { stdout, stderr } = await run("delete", "--project", "lantern");
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stderr).toMatch(/^would be deleted: 3 sessions, [\d.]+ KB \(add --yes to delete\)\n$/);
    expect(treeOf(library.root)).toEqual(before);
  });

  test.each([
    { args: ["--project", "lantern"], count: 3 },
    { args: ["--older-than", "2026-10-20"], count: 3 },
    { args: ["--older-than", "2026-10-20", "--project", "lantern"], count: 1 },
    { args: ["--larger-than", "1TB"], count: 0 },
    { args: ["--larger-than", "1B", "--limit", "2"], count: 2 },
  ])("$args chooses $count", async ({ args, count }) => {
    const planned = await json("delete", ...args);
    expect(planned).toMatchObject({ dryRun: true });
    expect(planned.sessions).toHaveLength(count);
    const done = await json("delete", ...args, "--yes");
    expect(done.sessions).toEqual(planned.sessions);
    expect(await json("list")).toHaveLength(8 - count);
  });

  test("spare favourites", async () => {
    await run("favourite", "1126");
    const { sessions, spared } = await json("delete", "--project", "lantern", "--yes");
    expect(sessions).toHaveLength(2);
    expect(spared).toMatchObject([{ reason: "a favourite" }]);
    expect((await json("delete", "--favourites")).sessions).toHaveLength(1);
  });

  test("of several sources go together", async () => {
    const other = oldLibrary();
    await run("source", "add", "other", other.root);
    const { sessions } = await json("delete", "--project", "lantern", "--yes");
    expect(sessions).toHaveLength(6);
    expect((await runCli(["list", "--json", "--project", "lantern"], other.env)).stdout).toBe("[]\n");
  });
});

describe("the trash", () => {
  test("is listed and emptied, first as a dry run", async () => {
    expect((await run("delete", "--list")).stderr).toBe("the trash is empty\n");
    await run("delete", PLANTED_ID, "1126");
    const listed = await json("delete", "--list");
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual(expect.objectContaining({ id: PLANTED_ID, files: 8, interrupted: false }));
    expect((await run("delete", "--list")).stdout).not.toContain("ghp_");
    expect((await run("delete", "--empty-trash")).stderr).toMatch(/^would be removed for good: 2 sessions, .*--yes/);
    expect((await run("delete", "--empty-trash", "--older-than", "30d", "--yes")).stderr).toContain("0 sessions");
    expect(trashed()).toHaveLength(2);
    expect((await run("delete", "--empty-trash", "--yes")).stderr).toMatch(/^removed for good: 2 sessions/);
    expect(trashed()).toEqual([]);
  });

  test("gives back by title, by former path and what was deleted last", async () => {
    await run("delete", "Wishlist page");
    expect((await run("restore", "Wishlist page")).exitCode).toBe(0);
    await run("delete", PLANTED_ID);
    expect((await run("restore", transcript())).exitCode).toBe(0);
    await run("delete", PLANTED_ID);
    expect((await run("restore", "last")).exitCode).toBe(0);
    expect(existsSync(transcript())).toBe(true);
  });

  test("says which files it has lost, and gives back the others", async () => {
    await run("delete", PLANTED_ID);
    const [entry = ""] = trashed();
    const folder = join(library.env.TURNLOG_DATA_DIR, "trash", entry);
    const { items } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    rmSync(join(folder, items.at(-1).stored));
    const { stderr, exitCode } = await run("restore", PLANTED_ID);
    expect(stderr).toContain("0123456789abcdef@v1 is no longer in the trash\n");
    expect(exitCode).toBe(0);
    expect(existsSync(transcript())).toBe(true);
  });
});

test.each([
  { args: ["delete"], says: "no session given" },
  { args: ["delete", "--limit", "3"], says: "no session given" },
  { args: ["delete", "1126", "--project", "x"], says: "session names and filters cannot be combined" },
  { args: ["delete", "--larger-than", "big"], says: '--larger-than must be a size, not "big"' },
  { args: ["delete", "--older-than", "soon"], says: "not a time: soon" },
  { args: ["restore"], says: "missing required argument 'sessions'" },
])("$args is wrong usage: $says", async ({ args, says }) => {
  const { stderr, exitCode } = await run(...args);
  expect(stderr).toContain(says);
  expect(exitCode).toBe(2);
});

test("a session that is not in the trash is a clear error", async () => {
  const { stderr, exitCode } = await run("restore", "1126");
  expect(stderr).toContain('no session in the trash is called "1126"');
  expect(exitCode).toBe(1);
});
