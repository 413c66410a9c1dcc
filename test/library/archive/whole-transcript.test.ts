import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { updateArchive } from "../../../src/library/archive/update-archive.js";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import { openArchive } from "../../../src/library/found-session.js";
import { loadFound } from "../../../src/library/load/load-session.js";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { answer, prompt, title, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { contentsOf, hitsByIndex, hitsByScan, listed, openTestIndex } from "../sync/index-contents.js";

const CORPUS = join(import.meta.dirname, "../../corpus/2.1.326/local-gc");
const NAME = "projects/-home-dev-gc-app/6c6c6c6c-2222-4222-8333-444455556666.jsonl";
const before = gunzipSync(readFileSync(join(CORPUS, "before", `${NAME}.gz`)));
const after = readFileSync(join(CORPUS, "after", NAME));
const resumed = readFileSync(join(CORPUS, "resumed", NAME));

function library(first: string | Buffer = before) {
  const root = temporaryFolder();
  const dataDir = temporaryFolder();
  const path = join(root, NAME);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, first);
  const archive = openArchive(dataDir);
  const found = () => {
    const [session] = findSessions([root], { archive }).sessions;
    if (!session) throw new Error("not found");
    return session;
  };
  return {
    root,
    path,
    archive,
    found,
    keep: () => updateArchive(dataDir, findSessions([root]).sessions, {}),
    /** As Claude Code does it: a new file takes the name. */
    replaceBy(bytes: string | Buffer) {
      writeFileSync(`${path}.compact.tmp.0a1b2c3d`, bytes);
      renameSync(`${path}.compact.tmp.0a1b2c3d`, path);
    },
    prompts: () => loadFound(found(), { archive }).outline.turns.map(({ start }) => start.text),
    lines: () => readFileSync(found().whole?.().path ?? "", "utf8").split("\n"),
  };
}

/** The prompts of a file that was never trimmed. */
function promptsOf(bytes: Buffer): readonly unknown[] {
  return library(bytes).prompts();
}

test("a session that Claude Code trimmed is shown with the turns that only the archive has", () => {
  const { keep, replaceBy, prompts, found, path } = library();
  keep();
  replaceBy(after);
  const whole = promptsOf(Buffer.concat([before, after.subarray(after.indexOf("\n") + 1)]));
  expect(prompts()).toEqual(whole);
  expect(promptsOf(before).every((text) => prompts().includes(text as string))).toBe(true);
  expect(loadFound(found()).header).toMatchObject({ path, archivedLines: 77, archived: false });
  expect(readFileSync(found().open())).toEqual(after);
});

test("the same holds when the archive has seen the trimmed file, when the session goes on, and when it is deleted", () => {
  const { keep, replaceBy, prompts, path } = library();
  keep();
  replaceBy(after);
  const trimmed = prompts();
  keep();
  expect(prompts()).toEqual(trimmed);
  writeFileSync(path, resumed);
  keep();
  const whole = prompts();
  expect(whole.slice(0, trimmed.length)).toEqual(trimmed);
  expect(whole.length).toBeGreaterThan(trimmed.length);
  rmSync(path);
  expect(prompts()).toEqual(whole);
});

test("index, list and search have the whole session, before and after it goes on", async () => {
  const { root, keep, replaceBy, archive, path, prompts } = library();
  const index = openTestIndex();
  await syncIndex(index, [root], { archive });
  keep();
  const text = { text: "river", mode: "words" as const, filter: {}, userData: { archive } };
  for (const bytes of [after, resumed]) {
    replaceBy(bytes);
    await syncIndex(index, [root], { archive });
    keep();
    expect(listed(index, root)[0]?.turns).toBe(prompts().length);
    expect(listed(index, root)[0]?.turns).toBe(listSessions(root, {}, { archive }).sessions[0]?.turns);
    expect(await hitsByIndex(index, root, text)).toEqual(await hitsByScan(root, text));
    expect((await hitsByScan(root, text)).filter(({ kind }) => kind === "prompt")).toHaveLength(4);
  }
  const fresh = openTestIndex();
  await syncIndex(fresh, [root], { archive });
  expect(contentsOf(index)).toEqual(contentsOf(fresh));
  expect(readFileSync(path)).toEqual(resumed);
});

const turns = writeLines([
  prompt("one"),
  answer("first"),
  prompt("two"),
  answer("second"),
  title("A"),
  prompt("three"),
]);
const text = (lines: readonly (string | undefined)[]) => `${lines.join("\n")}\n`;

test("a session that was trimmed twice is put together from all its copies", () => {
  const { keep, replaceBy, lines } = library(text(turns.slice(0, 2)));
  keep();
  replaceBy(text(turns.slice(1, 4)));
  keep();
  replaceBy(text(turns.slice(3)));
  expect(lines()).toEqual([...turns, ""]);
  keep();
  expect(lines()).toEqual([...turns, ""]);
});

test("what was written between the last archiving and the trim is missing, and all else is there", () => {
  const { keep, replaceBy, lines, prompts } = library(text(turns.slice(0, 2)));
  keep();
  replaceBy(text(turns.slice(3)));
  expect(lines()).toEqual([...turns.slice(0, 2), ...turns.slice(3), ""]);
  expect(prompts()).toEqual(["one", "three"]);
});

test("lines that Claude Code took back stay out", () => {
  const { keep, found, path } = library(text(turns));
  keep();
  writeFileSync(path, text([...turns.slice(0, 3), turns[4]]));
  keep();
  appendFileSync(path, text([turns[4]]));
  expect(found().whole?.()).toEqual({ path, archivedLines: 0 });
});

test("the last of several equal titles still counts", () => {
  const [titleA, titleB] = writeLines([title("A"), title("B")]);
  const { keep, replaceBy, found } = library(text([...turns.slice(0, 4), titleA, titleB]));
  keep();
  replaceBy(text([turns[3], titleB, turns[5], titleA]));
  expect(loadFound(found()).header.title).toBe("A");
});

test("a damaged copy leaves the session as it is", () => {
  const { keep, replaceBy, found, path, archive } = library();
  keep();
  const session = found();
  expect(session.whole?.().archivedLines).toBe(0);
  replaceBy(after);
  rmSync(archive.folder, { recursive: true });
  expect(found().whole?.()).toEqual({ path, archivedLines: 0 });
});
