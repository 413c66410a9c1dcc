import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
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
const project = () => join(library.root, "projects/-home-dev-shop");
const transcript = () => join(project(), `${PLANTED_ID}.jsonl`);

/** As the client's clean-up does. */
function cleanUp(): void {
  for (const path of [project(), join(library.root, "file-history", PLANTED_ID)]) rmSync(path, { recursive: true });
}

test("is off at first, and says what it holds when it is on", async () => {
  expect(await json("archive")).toMatchObject({ enabled: false, sessions: 0, sizeBytes: 0 });
  const status = await json("archive", "on");
  expect(status).toMatchObject({ enabled: true, sessions: 8, onlyArchived: 0, maxBytes: null });
  expect(status.sizeBytes).toBeLessThan(status.rawBytes / 2);
  expect((await run("archive", "off")).stdout).toMatch(/^archive {2}off\ncopies {3}8 sessions, 0 of them deleted/);
});

describe("a session that the client deleted", () => {
  beforeEach(async () => {
    await run("archive", "on");
  });

  test("is listed, shown, exported, verified and scanned like before", async () => {
    const commands = [["show"], ["show", "--events"], ["verify"], ["export", "--format", "jsonl", "--no-redact"]];
    const outputs = async () => {
      const results = await Promise.all(commands.map((command) => run(...command, PLANTED_ID)));
      return results.map(({ stdout }) => stdout.replace("archived: the original file is gone\n", ""));
    };
    const before = { outputs: await outputs(), list: await json("list"), secrets: (await json("scan")).length };
    cleanUp();
    const after = { outputs: await outputs(), list: await json("list"), secrets: (await json("scan")).length };
    const marked = (session: { id: string }) => ({ ...session, archived: session.id === PLANTED_ID });
    expect(after).toEqual({ ...before, list: before.list.map(marked) });
  });

  test.each([["--no-index"], []])("is found by search %s", async (...option) => {
    const search = async () => {
      const { hits } = await json("search", "Deployed", "--project", "shop", ...option);
      return hits.filter(({ sessionId }: { sessionId: string }) => sessionId === PLANTED_ID);
    };
    const before = await search();
    expect(before).toHaveLength(1);
    cleanUp();
    expect(await search()).toEqual(before);
  });

  test("is marked in list and show, and named by its former path", async () => {
    cleanUp();
    expect((await run("list", "--limit", "9")).stdout).toMatch(/^5b0c7d1e .*\(archived\) shop: /m);
    expect((await json("show", transcript())).session).toMatchObject({ path: transcript(), archived: true });
    expect(await json("archive", "list")).toContainEqual(
      expect.objectContaining({ id: PLANTED_ID, onlyArchived: true, files: 7 }),
    );
  });

  test("is found under the root that it belongs to only", async () => {
    cleanUp();
    const { stderr } = await run("show", PLANTED_ID, "--config-dir", temporaryFolder());
    expect(stderr).toContain("no sessions in");
  });

  test("comes back with bytes and modes, and as new, since the client deletes what is old", async () => {
    rmSync(join(project(), PLANTED_ID, "empty"), { recursive: true });
    rmSync(join(project(), PLANTED_ID, "tool-results/link.txt"));
    const before = treeOf(project());
    cleanUp();
    const started = Date.now();
    expect((await run("archive", "restore", PLANTED_ID.slice(0, 4))).stdout).toBe(`restored ${transcript()}\n`);
    const contents = (tree: Record<string, object>) =>
      Object.entries(tree).map(([path, facts]) => ("bytes" in facts ? [path, { ...facts, mtime: 0 }] : [path]));
    expect(contents(treeOf(project()))).toEqual(contents(before));
    expect(statSync(transcript()).mtimeMs).toBeGreaterThanOrEqual(started - 1);
    expect(existsSync(join(library.root, "file-history", PLANTED_ID, "0123456789abcdef@v1"))).toBe(true);
    expect((await run("archive", "restore", PLANTED_ID)).exitCode).toBe(0);
  });

  test("is not called restored where it is there already", async () => {
    const { stdout, exitCode } = await run("archive", "restore", PLANTED_ID);
    expect(stdout).toBe(`nothing to restore: ${transcript()} is there, and so are all files of its copy\n`);
    expect(exitCode).toBe(0);
    expect(await json("archive", "restore", PLANTED_ID)).toMatchObject({
      files: 7,
      written: 0,
      isTranscriptNew: false,
    });
    rmSync(join(project(), PLANTED_ID, "tool-results"), { recursive: true });
    expect((await run("archive", "restore", PLANTED_ID)).stdout).toMatch(/^restored \d missing files? of /);
  });

  test("comes back elsewhere with --to", async () => {
    const bytes = readFileSync(transcript(), "utf8");
    const to = temporaryFolder();
    await run("archive", "restore", PLANTED_ID, "--to", to);
    expect(readFileSync(join(to, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`), "utf8")).toBe(bytes);
  });

  test("is not put over another one", async () => {
    appendFileSync(transcript(), "more\n");
    const before = treeOf(library.root);
    const { stderr, exitCode } = await run("archive", "restore", PLANTED_ID);
    expect(stderr).toContain(`${transcript()} already exists`);
    expect(exitCode).toBe(1);
    expect(treeOf(library.root)).toEqual(before);
  });
});

test("a session that was emptied before it went comes back as it was with --former", async () => {
  await run("archive", "on");
  const bytes = readFileSync(transcript(), "utf8");
  expect((await run("archive", "restore", PLANTED_ID, "--former")).stderr).toContain("was truncated or replaced");
  writeFileSync(transcript(), "");
  await run("index", "sync");
  cleanUp();
  expect((await run("archive", "list")).stdout).toContain("deleted, truncated or replaced (see restore --former)");
  await run("archive", "restore", PLANTED_ID, "--former");
  expect(readFileSync(transcript(), "utf8")).toBe(bytes);
});

test("what a person deletes leaves the archive too, and comes back with restore", async () => {
  await run("archive", "on");
  await run("delete", PLANTED_ID);
  expect(await json("list")).toHaveLength(7);
  expect(await json("archive")).toMatchObject({ sessions: 7 });
  await run("restore", PLANTED_ID);
  expect(await json("archive")).toMatchObject({ sessions: 8, onlyArchived: 0 });
  cleanUp();
  await run("delete", PLANTED_ID);
  expect(await json("list")).toHaveLength(7);
  expect((await run("restore", PLANTED_ID)).stdout).toContain(`restored ${PLANTED_ID} to the archive`);
  expect(await json("list")).toHaveLength(8);
});

test("an unknown name is a clear error", async () => {
  const { stderr, exitCode } = await run("archive", "restore", "nothing");
  expect(stderr).toContain('no session in the archive is called "nothing"');
  expect(exitCode).toBe(1);
});

describe("while it is on, each sync", () => {
  const growing = JSON.stringify({
    type: "user",
    uuid: "6b0c2f6e-2f0a-4f4f-8d57-3a6f0b1f2c3d",
    parentUuid: null,
    timestamp: "2026-11-01T10:00:00.000Z",
    message: { role: "user", content: "written after the archive was made" },
  });

  test("keeps what was written since, so that nothing is lost when the client cleans up", async () => {
    await run("index", "archive", "on");
    appendFileSync(transcript(), `${growing}\n`);
    await run("list");
    cleanUp();
    const { hits } = await json("search", "written after the archive");
    expect(hits).toMatchObject([{ sessionId: PLANTED_ID, path: transcript(), kind: "prompt" }]);
  });

  test("is told by an index that is built anew", async () => {
    await run("archive", "on");
    cleanUp();
    const listed = async () => (await json("list")).find(({ id }: { id: string }) => id === PLANTED_ID);
    const before = await listed();
    await run("index", "rebuild");
    expect(await listed()).toEqual(before);
    expect(before).toMatchObject({ archived: true, path: transcript() });
  });
});
