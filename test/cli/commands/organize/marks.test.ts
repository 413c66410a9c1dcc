import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
const WISHLIST = "1126f362";

let env: { CLAUDE_CONFIG_DIR: string; TURNLOG_DATA_DIR: string };

beforeEach(() => {
  env = { CLAUDE_CONFIG_DIR: temporaryFolder(), TURNLOG_DATA_DIR: temporaryFolder() };
  cpSync(DEMO, env.CLAUDE_CONFIG_DIR, { recursive: true });
});

const run = (...args: string[]) => runCli(args, env);
const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);

test("the client's files are never changed", async () => {
  const before = treeOf(env.CLAUDE_CONFIG_DIR);
  await run("title", WISHLIST, "Mine");
  await run("tag", WISHLIST, "a", "+b");
  await run("favourite", WISHLIST);
  await run("note", WISHLIST, "remember");
  expect(treeOf(env.CLAUDE_CONFIG_DIR)).toEqual(before);
});

describe("title", () => {
  test("is printed, wins in list and show, and names the session", async () => {
    expect((await run("title", WISHLIST)).stdout).toBe("");
    expect((await run("title", WISHLIST, "  Gift list ")).stdout).toBe("Gift list\n");
    expect((await run("title", WISHLIST)).stdout).toBe("Gift list\n");
    expect((await run("list")).stdout).toContain("lantern-shop: Gift list\n");
    expect((await json("show", "Gift list")).session).toMatchObject({
      title: "Gift list",
      userTitle: "Gift list",
      titleSource: "user",
    });
    expect((await run("show", "Wishlist page")).stdout).toMatch(/^Gift list\n/);
  });

  test("goes with --clear", async () => {
    await run("title", WISHLIST, "Gift list");
    await run("title", WISHLIST, "--clear");
    expect((await json("show", WISHLIST)).session).toMatchObject({ title: "Wishlist page", userTitle: null });
  });

  test.each([
    { args: ["x", "--clear"], says: "--clear removes the title" },
    { args: [" "], says: "the title is empty" },
    { args: ["a\nb"], says: "a title must be one line" },
  ])("$says", async ({ args, says }) => {
    const { stderr, exitCode } = await run("title", WISHLIST, ...args);
    expect(stderr).toContain(says);
    expect(exitCode).toBe(2);
  });

  test("two sessions with one title are not guessed between", async () => {
    await run("title", WISHLIST, "Same");
    await run("title", "09fa", "Same");
    expect((await run("show", "Same")).stderr).toContain('"Same" names 2 sessions');
  });
});

describe("tag", () => {
  test("adds, takes away and prints, whatever the case", async () => {
    expect((await run("tag", WISHLIST, "wip", "+Bug", "bug")).stdout).toBe("Bug\nwip\n");
    expect((await run("tag", WISHLIST, "-WIP")).stdout).toBe("Bug\n");
    expect(await json("tag", WISHLIST, "-none")).toMatchObject({ tags: ["Bug"], favourite: false, note: null });
  });

  test("alone lists all tags with counts", async () => {
    expect((await run("tag")).stderr).toContain("no session has a tag");
    await run("tag", WISHLIST, "a", "b");
    await run("tag", "09fa", "b");
    expect((await run("tag")).stdout).toBe("b  2\na  1\n");
    expect(await json("tag")).toEqual([
      { tag: "b", sessions: 2 },
      { tag: "a", sessions: 1 },
    ]);
  });

  test.each(["--jsn", "+", "a,b", "a\nb"])("%j is no tag", async (word) => {
    const { stderr, exitCode } = await run("tag", WISHLIST, word);
    expect(stderr).toContain("not a tag");
    expect(exitCode).toBe(2);
  });
});

test("list filters by tags and favourites, and shows them", async () => {
  await run("tag", WISHLIST, "shop", "wip");
  await run("tag", "09fa", "shop");
  await run("favourite", "09fa");
  expect(await json("list", "--tag", "SHOP")).toHaveLength(2);
  expect(await json("list", "--tag", "shop", "--tag", "wip")).toHaveLength(1);
  expect(await json("list", "--favourites")).toMatchObject([{ favourite: true, tags: ["shop"], userTitle: null }]);
  expect((await run("list", "--favourites")).stdout).toContain("★ pebble.rs: JSON output for pebble #shop\n");
  await run("favourite", "09fa", "--off");
  expect(await json("list", "--favourites")).toEqual([]);
});

test.each([["--no-index"], []])("search keeps to tags, and shows own titles %s", async (...option) => {
  const search = async (...filter: string[]) => (await json("search", "the", ...filter, ...option)).hits;
  await run("tag", WISHLIST, "shop");
  await run("title", WISHLIST, "Gift list");
  const hits = await search("--tag", "shop");
  expect(hits.length).toBeGreaterThan(0);
  expect(new Set(hits.map(({ title }: { title: string }) => title))).toEqual(new Set(["Gift list"]));
  expect(await search("--tag", "none")).toEqual([]);
});

test("a note of many lines is kept, shown and taken away, but not exported", async () => {
  expect((await run("note", WISHLIST, "one\ntwo")).stdout).toBe("one\ntwo\n");
  await run("title", WISHLIST, "Gift list");
  expect((await run("show", WISHLIST)).stdout).toContain("note: one\n      two\n");
  const exported = JSON.parse((await run("export", WISHLIST, "--format", "json")).stdout);
  expect(exported.session).toMatchObject({ note: null, title: "Gift list" });
  await run("note", WISHLIST, "--clear");
  expect((await json("show", WISHLIST)).session.note).toBe(null);
});

test("keys and tokens in titles and notes are masked until --reveal", async () => {
  const token = ["ghp", "0123456789abcdef0123456789abcdef0123"].join("_");
  await run("title", WISHLIST, `with ${token}`);
  await run("note", WISHLIST, `with ${token}`);
  expect((await run("list", "--json")).stdout).not.toContain(token);
  expect((await run("show", WISHLIST)).stdout).not.toContain(token);
  expect((await run("list", "--json", "--reveal")).stdout).toContain(token);
});

test("a damaged user.db is restored, and told in one line", async () => {
  await run("title", WISHLIST, "Presents");
  writeFileSync(join(env.TURNLOG_DATA_DIR, "user.db"), "no database ".repeat(500));
  const listed = await run("list", "--json");
  expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ title: "Presents" }));
  expect(listed.stderr).toMatch(/^turnlog: user\.db was damaged .*restored from the backup of .* UTC\n$/);
  const changed = await run("tag", WISHLIST, "a");
  expect(changed).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each([["--no-index"], []])(
  "search finds own titles, and no longer those that they replace %s",
  async (...option) => {
    await run("title", WISHLIST, "Presents for everybody");
    const titles = async (query: string) =>
      (await json("search", query, "--in", "titles", ...option)).hits.map(
        ({ snippet }: { snippet: string }) => snippet,
      );
    expect(await titles("presents")).toEqual(["Presents for everybody"]);
    expect(await titles("wishlist")).toEqual([]);
  },
);
