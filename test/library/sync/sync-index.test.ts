import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as followFile from "../../../src/format/identity/follow-file.js";
import { indexStatus } from "../../../src/library/catalog/open-index.js";
import { walkLibrary } from "../../../src/library/sources/walk-library.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { answer, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { contentsOf, freshContents, hitsByIndex, hitsByScan, listed, openTestIndex } from "./index-contents.js";

/** So soon after a change another one could leave the same times. */
const STEP_OF_THE_CLOCK_MS = 60;

vi.mock("../../../src/format/identity/follow-file.js", { spy: true });

const idOf = (number: number) => `0000000${number}-0000-4000-8000-000000000000`;
const pathOf = (number: number, project = "-p0") => `projects/${project}/${idOf(number)}.jsonl`;
const linesOf = (...texts: readonly string[]) => `${writeLines(texts.map((text) => prompt(text))).join("\n")}\n`;
const wordsRequest = (text: string) => ({ text, mode: "words" as const, filter: {} });

function library(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder(files);
  const index = openTestIndex();
  return { root, index, sync: (roots = [root]) => syncIndex(index, roots) };
}

const NOTHING = { added: 0, changed: 0, moved: 0, removed: 0, withoutTranscript: 0, problems: [] };

test("a sync tells what it did, and does nothing where nothing changed", async () => {
  const { root, sync } = library({ [pathOf(1)]: linesOf("a"), [pathOf(2)]: linesOf("b"), [pathOf(3)]: linesOf("c") });
  expect(await sync()).toEqual({ ...NOTHING, added: 3 });
  expect(await sync()).toEqual(NOTHING);
  appendFileSync(join(root, pathOf(1)), linesOf("d"));
  mkdirSync(join(root, "projects/-p1"));
  renameSync(join(root, pathOf(2)), join(root, pathOf(2, "-p1")));
  rmSync(join(root, pathOf(3)));
  expect(await sync()).toEqual({ ...NOTHING, changed: 1, moved: 1, removed: 1 });
});

test("what a growing session appends is all that is read of it", async () => {
  const { root, sync, index } = library({ [pathOf(1)]: linesOf("a") });
  await sync();
  const before = contentsOf(index).docs;
  const ids = () => index.db.prepare<{ id: number }>("SELECT id FROM docs WHERE line = 1").all();
  const first = ids();
  appendFileSync(join(root, pathOf(1)), `${writeLines([prompt("a"), answer("b")])[1]}\n`);
  await sync();
  expect(ids()).toEqual(first);
  expect(contentsOf(index).docs).toHaveLength(before.length + 1);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a long session goes on from its snapshot and from what came after it", async () => {
  const all = writeLines([
    ...[prompt("a".repeat(300_000)), toolUses("t1"), resultFor("t1", "first"), answer("one")],
    ...[prompt("b"), toolUses("t2"), resultFor("t2", "second"), answer("two")],
  ]);
  const { root, sync, index } = library({ [pathOf(1)]: `${all.slice(0, 2).join("\n")}\n` });
  await sync();
  expect(index.db.prepare("SELECT file FROM snapshots").all()).toHaveLength(1);
  for (const line of all.slice(2)) {
    appendFileSync(join(root, pathOf(1)), `${line}\n`);
    await sync();
  }
  expect((await hitsByIndex(index, root, wordsRequest("second")))[0]?.tool).toBe("Bash");
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a session that rested for long goes on without a snapshot", async () => {
  const { root, sync, index } = library({ [pathOf(1)]: `${writeLines([prompt("a"), toolUses("t1")]).join("\n")}\n` });
  utimesSync(join(root, pathOf(1)), 1, 1);
  await sync();
  expect(index.db.prepare("SELECT file FROM snapshots").all()).toEqual([]);
  const all = writeLines([prompt("a"), toolUses("t1"), resultFor("t1", "printed")]);
  appendFileSync(join(root, pathOf(1)), `${all[2]}\n`);
  await sync();
  expect(await hitsByIndex(index, root, wordsRequest("printed"))).toEqual(
    await hitsByScan(root, wordsRequest("printed")),
  );
  expect((await hitsByIndex(index, root, wordsRequest("printed")))[0]?.tool).toBe("Bash");
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a rewrite of the same size is noticed by its time", async () => {
  const { root, sync, index } = library({ [pathOf(1)]: linesOf("apple") });
  await sync();
  writeFileSync(join(root, pathOf(1)), linesOf("peach"));
  utimesSync(join(root, pathOf(1)), 1, 1);
  await sync();
  expect(await hitsByIndex(index, root, wordsRequest("apple"))).toEqual([]);
  expect(await hitsByIndex(index, root, wordsRequest("peach"))).toHaveLength(2);
});

describe("what is not found is not always gone", () => {
  test("the sessions of a root that is not there stay", async () => {
    const { root, sync, index } = library({ [pathOf(1)]: linesOf("a") });
    await sync();
    renameSync(root, `${root}-away`);
    expect(await sync()).toEqual(NOTHING);
    renameSync(`${root}-away`, root);
    expect(listed(index, root)).toHaveLength(1);
  });

  test("a folder that is another root's business loses nothing, and is complete afterwards", async () => {
    const home = temporaryFolder({ [`client/${pathOf(1)}`]: linesOf("a"), [`more/${idOf(2)}.jsonl`]: linesOf("b") });
    const index = openTestIndex();
    const root = join(home, "client");
    await syncIndex(index, [root]);
    expect(await syncIndex(index, [home])).toMatchObject({ added: 1, removed: 0 });
    await syncIndex(index, [root]);
    expect(listed(index, root)).toHaveLength(1);
  });

  test("a folder in whose place there is a file has lost its sessions", async () => {
    const { root, sync, index } = library({ [pathOf(1)]: linesOf("a") });
    await sync();
    rmSync(join(root, "projects/-p0"), { recursive: true });
    writeFileSync(join(root, "projects/-p0"), "a file");
    expect(await sync()).toMatchObject({ removed: 1 });
    expect(listed(index, root)).toEqual([]);
  });
});

describe("what cannot be read is told and stops nothing", () => {
  test("links that lead nowhere, and folders with the name of a session", async () => {
    const { root, sync, index } = library({ [pathOf(1)]: linesOf("a") });
    symlinkSync("nowhere", join(root, pathOf(2)));
    mkdirSync(join(root, pathOf(3)));
    symlinkSync(`${idOf(5)}.jsonl`, join(root, pathOf(4)));
    symlinkSync(`${idOf(4)}.jsonl`, join(root, pathOf(5)));
    const { added, problems } = await sync();
    expect(added).toBe(1);
    expect(problems.map(({ path }) => path)).toEqual([2, 4, 5, 3].map((number) => join(root, pathOf(number))));
    expect(listed(index, root)).toHaveLength(1);
  });

  test("a file that goes away between listing and reading", async () => {
    const { root, sync, index } = library({ [pathOf(1)]: linesOf("a"), [pathOf(2)]: linesOf("b") });
    vi.mocked(followFile.openFollower).mockImplementationOnce((path, ...rest) => {
      const { openFollower } = vi.mocked(followFile);
      rmSync(path);
      return openFollower(path, ...rest);
    });
    expect(await sync()).toEqual({ ...NOTHING, added: 2 });
    expect(listed(index, root)).toHaveLength(1);
    expect(await sync()).toEqual({ ...NOTHING, removed: 1 });
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });

  test("a disk error in the middle of a file: what was read stays, and the next sync reads on", async () => {
    const large = linesOf(...Array.from({ length: 4000 }, (_, at) => `word${at} ${"x".repeat(400)}`));
    const { root, sync, index } = library({ [pathOf(1)]: linesOf("first") });
    await sync();
    appendFileSync(join(root, pathOf(1)), large.replaceAll('"u', '"v'));
    failOnPoll(2);
    expect((await sync()).problems).toEqual([{ path: join(root, pathOf(1)), reason: "i/o error" }]);
    expect(indexStatus(index).problems).toHaveLength(1);
    expect(await sync()).toEqual({ ...NOTHING, changed: 1 });
    expect(indexStatus(index).problems).toEqual([]);
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });
});

/** The next file that is read fails at its nth piece. */
function failOnPoll(failing: number): void {
  onTestFinished(() => void vi.mocked(followFile.openFollower).mockReset());
  vi.mocked(followFile.openFollower).mockImplementationOnce((...args) => {
    const follower = vi.mocked(followFile).openFollower(...args);
    let polls = 0;
    return {
      poll() {
        polls += 1;
        if (polls < failing) return follower.poll();
        throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
      },
      get cursor() {
        return follower.cursor;
      },
      close: () => follower.close(),
    };
  });
}

describe("files that somebody saw growing", () => {
  const seen = (root: string, ...numbers: readonly number[]) => numbers.map((number) => join(root, pathOf(number)));

  test("are all that is looked at", async () => {
    const { root, index, sync } = library({ [pathOf(1)]: linesOf("a"), [pathOf(2)]: linesOf("b") });
    await sync();
    appendFileSync(join(root, pathOf(1)), linesOf("c"));
    appendFileSync(join(root, pathOf(2)), linesOf("d"));
    expect(await syncIndex(index, [root], { grown: seen(root, 1) })).toEqual({ ...NOTHING, changed: 1 });
    expect(await syncIndex(index, [root], { grown: seen(root, 1) })).toEqual(NOTHING);
    expect(await sync()).toEqual({ ...NOTHING, changed: 1 });
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });

  test("may be sub-agents that begin beside a known session", async () => {
    const { root, index, sync } = library({ [pathOf(1)]: linesOf("a"), [pathOf(2)]: linesOf("b") });
    await sync();
    const agent = join(root, "projects/-p0", idOf(1), "subagents", "agent-a1.jsonl");
    mkdirSync(dirname(agent), { recursive: true });
    writeFileSync(agent, linesOf("c"));
    appendFileSync(join(root, pathOf(2)), linesOf("d"));
    expect(await syncIndex(index, [root], { grown: [agent] })).toEqual({ ...NOTHING, added: 1 });
    appendFileSync(agent, linesOf("e"));
    expect(await syncIndex(index, [root], { grown: [agent] })).toEqual({ ...NOTHING, changed: 1 });
    expect(await sync()).toEqual({ ...NOTHING, changed: 1 });
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });

  test("are looked for everywhere where a sub-agent moved, or its session is not known", async () => {
    const { root, index, sync } = library({ [pathOf(1)]: linesOf("a"), [pathOf(2)]: linesOf("b") });
    const agentOf = (number: number) => join(root, "projects/-p0", idOf(number), "subagents", "agent-a1.jsonl");
    for (const number of [1, 2, 3]) mkdirSync(dirname(agentOf(number)), { recursive: true });
    writeFileSync(agentOf(1), linesOf("c"));
    await sync();
    renameSync(agentOf(1), agentOf(2));
    expect(await syncIndex(index, [root], { grown: [agentOf(2)] })).toMatchObject({ moved: 1, added: 0 });
    writeFileSync(agentOf(3), linesOf("d"));
    appendFileSync(join(root, pathOf(2)), linesOf("e"));
    expect(await syncIndex(index, [root], { grown: [agentOf(3)] })).toMatchObject({ added: 1, changed: 1 });
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });

  test("are not believed where the index knows better", async () => {
    const { root, index, sync } = library({ [pathOf(1)]: linesOf("a", "b"), [pathOf(2)]: linesOf("c") });
    await sync();
    writeFileSync(join(root, pathOf(1)), linesOf("d"));
    appendFileSync(join(root, pathOf(2)), linesOf("e"));
    expect(await syncIndex(index, [root], { grown: seen(root, 1) })).toEqual({ ...NOTHING, changed: 2 });
    writeFileSync(join(root, pathOf(3)), linesOf("f"));
    expect(await syncIndex(index, [root], { grown: seen(root, 3) })).toEqual({ ...NOTHING, added: 1 });
    expect(contentsOf(index)).toEqual(await freshContents(root));
  });
});

test("a sync that is stopped goes on with the next one", async () => {
  const { root, index } = library(
    Object.fromEntries([1, 2, 3, 4].map((number) => [pathOf(number), linesOf(`word${number}`)])),
  );
  const stop = new AbortController();
  const seen: number[] = [];
  const options = { batchBytes: 1, signal: stop.signal };
  await syncIndex(index, [root], {
    ...options,
    onProgress({ filesDone, files }) {
      expect(files).toBe(4);
      seen.push(filesDone);
      if (filesDone === 2) stop.abort();
    },
  });
  expect(seen.at(-1)).toBe(2);
  expect(listed(index, root)).toHaveLength(2);
  await syncIndex(index, [root]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

describe("sub-agents beside sessions", () => {
  const agentOf = (...ids: readonly number[]) =>
    ids
      .map((id) => `${JSON.stringify({ type: "user", sessionId: idOf(id), message: { content: "task" } })}\n`)
      .join("");
  const ownersOf = (index: ReturnType<typeof openTestIndex>) =>
    index.db.prepare<{ session_id: string }>("SELECT session_id FROM files WHERE agent_id IS NOT NULL").all();

  test("belong to the session that was written, even if it was written later", async () => {
    const { root, index, sync } = library({ "projects/-p0/agent-a1.jsonl": agentOf(1, 2) });
    await sync();
    expect(ownersOf(index)).toEqual([{ session_id: idOf(1) }]);
    writeFileSync(join(root, pathOf(2)), linesOf("a"));
    await sync();
    expect(ownersOf(index)).toEqual([{ session_id: idOf(2) }]);
    expect(listed(index, root)).toMatchObject([{ subagents: 1 }]);
  });

  test("find their session once they name it", async () => {
    const { root, index, sync } = library({ "projects/-p0/agent-a1.jsonl": "", [pathOf(1)]: linesOf("a") });
    await sync();
    expect(listed(index, root)).toMatchObject([{ subagents: 0 }]);
    writeFileSync(join(root, "projects/-p0/agent-a1.jsonl"), agentOf(1));
    await sync();
    expect(listed(index, root)).toMatchObject([{ subagents: 1 }]);
  });

  test("of which the session is lost are found all the same", async () => {
    const { root, index, sync } = library({
      "projects/-p0/agent-a1.jsonl": agentOf(7),
      "projects/-p0/agent-a2.jsonl": linesOf("task"),
    });
    await sync();
    const found = await hitsByIndex(index, root, wordsRequest("task"));
    expect(found.map(({ sessionId, agentId, title }) => ({ sessionId, agentId, title }))).toEqual([
      { sessionId: idOf(7), agentId: "a1", title: idOf(7) },
      { sessionId: "s1", agentId: "a2", title: "s1" },
    ]);
    expect(found).toEqual(await hitsByScan(root, wordsRequest("task")));
  });
});

test("a file with two names is two sessions, as it is without an index", async () => {
  const { root, index, sync } = library({ [pathOf(1)]: linesOf("apple") });
  mkdirSync(join(root, "projects/-p1"));
  linkSync(join(root, pathOf(1)), join(root, pathOf(1, "-p1")));
  await sync();
  expect(await hitsByIndex(index, root, wordsRequest("apple"))).toEqual(await hitsByScan(root, wordsRequest("apple")));
});

test("a walk has the same fingerprint as long as no file changes", async () => {
  const root = temporaryFolder({ [pathOf(1)]: linesOf("a") });
  await sleep(STEP_OF_THE_CLOCK_MS);
  const { fingerprint } = walkLibrary([root]);
  expect(walkLibrary([root]).fingerprint).toBe(fingerprint);
  appendFileSync(join(root, pathOf(1)), readFileSync(join(root, pathOf(1))));
  expect(walkLibrary([root]).fingerprint).not.toBe(fingerprint);
});
