import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readLineage } from "../../../../src/store/user-db.js";
import { answer, chain, compaction, prompt, rowsOf, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const FILES = 3; // two folders and the session
const ID = "6c6c6c6c-2222-4222-8333-444455556666";

function library(name: string, content: string | Buffer) {
  const root = temporaryFolder();
  const data = temporaryFolder();
  const path = join(root, "projects", name, `${ID}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  const run = (...args: string[]) => runCli(args, { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data });
  return { root, data, path, run };
}

const compacted = (...more: readonly ReturnType<typeof prompt>[]) =>
  toLines(chain(prompt("one"), answer("1"), ...rowsOf(compaction()), ...more));

test("a dry run says what would come back and where the target comes from, and writes nothing", async () => {
  const { root, run } = library("-home-dev-shop", compacted(prompt("two"), answer("2")));
  const before = treeOf(root);
  const { exitCode, stderr } = await run("uncompact", ID, "--dry-run");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("compaction 1 of 1 is undone");
  expect(stderr).toContain("what the compaction had removed");
  expect(stderr).toMatch(/up to 120k tokens: 60 % of the window/);
  expect(treeOf(root)).toEqual(before);
});

test("the new session is named after the old one, listed in the lineage, and the old one stays", async () => {
  const { data, path, run } = library("-home-dev-shop", compacted(prompt("two"), answer("2")));
  const before = readFileSync(path, "utf8");
  const { stdout } = await run("uncompact", ID, "--json");
  const made = JSON.parse(stdout);
  expect(made).toMatchObject({ source: ID, command: "uncompact", title: "one (uncompacted)" });
  expect(readLineage(data)).toMatchObject([{ session: made.id, source: ID, command: "uncompact" }]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test.each([
  [["--all", "--at", "1"], 2, "--all and --at cannot be combined"],
  [["--at", "first"], 2, '--at must be a number, not "first"'],
  [["--at", "3"], 1, "there is no compaction 3"],
  [["--to-tokens", "5"], 2, "more than 5"],
])("%j is refused with one clear line", async (options, code, message) => {
  const { root, run } = library("-home-dev-shop", compacted(prompt("two"), answer("2")));
  const { exitCode, stdout, stderr } = await run("uncompact", ID, ...options);
  expect([exitCode, stdout]).toEqual([code, ""]);
  expect(stderr).toContain(message);
  expect(Object.keys(treeOf(root))).toHaveLength(FILES);
});

test("a session without a compaction says so in one line, and nothing is written", async () => {
  const { root, run } = library("-home-dev-shop", toLines(chain(prompt("one"), answer("1"))));
  const { exitCode, stderr } = await run("uncompact", ID);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    "turnlog: the session was not compacted: there is nothing to bring back\n  nothing was written\n",
  );
  expect(Object.keys(treeOf(root))).toHaveLength(FILES);
});

test("what Claude Code cut out of the file comes back from the archive", async () => {
  const corpus = join(import.meta.dirname, "../../../corpus/2.1.326/local-gc");
  const name = `projects/-home-dev-gc-app/${ID}.jsonl`;
  const before = gunzipSync(readFileSync(join(corpus, "before", `${name}.gz`)));
  const { path, run } = library("-home-dev-gc-app", before);
  await run("archive", "on");
  writeFileSync(`${path}.new`, readFileSync(join(corpus, "after", name)));
  renameSync(`${path}.new`, path);
  const { stdout, stderr } = await run("uncompact", ID, "--to-tokens", "900k", "--json");
  expect(stderr).toContain("is undone");
  const { path: made } = JSON.parse(stdout);
  const shown = JSON.parse((await run("show", made, "--json")).stdout);
  const original = JSON.parse((await run("show", ID, "--json")).stdout);
  const promptsOf = ({ turns }: { turns: readonly { prompt: string }[] }) => turns.map(({ prompt: words }) => words);
  expect(promptsOf(shown)).toEqual(promptsOf(original));
  expect(shown.compactions).toEqual([]);
});

const SOURCE = "71958ba7-fca6-4326-85c6-8340495a29ee";
const FORK = "9a3ea449-1ba6-4d32-bda7-bc6aaa2660e9";

/** A recorded `--fork-session` of a compacted session, which begins at the compaction, beside its source. */
function forkedLibrary() {
  const recorded = join(import.meta.dirname, "../../../corpus/2.1.326/print/projects/-home-dev-demo-app");
  const made = library("-home-dev-demo-app", "");
  rmSync(made.path);
  for (const id of [SOURCE, FORK]) copyFileSync(join(recorded, `${id}.jsonl`), join(dirname(made.path), `${id}.jsonl`));
  return { ...made, source: join(dirname(made.path), `${SOURCE}.jsonl`) };
}

const texts = ({ turns }: { turns: readonly { prompt: string }[] }) => turns.map(({ prompt: words }) => words);

test("a copy by --fork-session gets back what only its source has, each turn once, also when just the archive has the source", async () => {
  const { source, run } = forkedLibrary();
  const before = JSON.parse((await run("show", SOURCE, "--json")).stdout);
  const { stdout, stderr } = await run("uncompact", FORK, "--to-tokens", "900k", "--json");
  expect(stderr).toContain(`lines are those of ${SOURCE}, of which this session is a copy`);
  const { id } = JSON.parse(stdout);
  const shown = JSON.parse((await run("show", id, "--json")).stdout);
  const [last] = texts(JSON.parse((await run("show", FORK, "--json")).stdout)).slice(-1);
  expect(shown.compactions).toEqual([]);
  expect(texts(shown)).toEqual([...texts(before).filter((text) => !text.startsWith("/compact")), last]);
  expect((await run("verify", id)).exitCode).toBe(0);
  await run("archive", "on");
  rmSync(source);
  const again = JSON.parse((await run("uncompact", FORK, "--to-tokens", "900k", "--json")).stdout);
  expect(texts(JSON.parse((await run("show", again.id, "--json")).stdout))).toEqual(texts(shown));
});

test("without its source, a copy says that the messages are gone and names it", async () => {
  const { source, root, run } = forkedLibrary();
  rmSync(source);
  const before = treeOf(root);
  const { exitCode, stderr } = await run("uncompact", FORK);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("the messages before the compaction are no longer there");
  expect(stderr).toContain(`it is a copy of ${SOURCE}`);
  expect(treeOf(root)).toEqual(before);
});

test("a session that only the archive has is uncompacted into its project", async () => {
  const { path, run } = library("-home-dev-shop", compacted(prompt("two"), answer("2")));
  await run("archive", "on");
  rmSync(path);
  const made = JSON.parse((await run("uncompact", ID, "--json")).stdout);
  expect(dirname(made.path)).toBe(dirname(path));
  expect(texts(JSON.parse((await run("show", made.id, "--json")).stdout))).toEqual(["one", "two"]);
});
