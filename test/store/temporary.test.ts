import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { atomicWrite } from "../../src/store/atomic-write.js";
import { draftPathOf, isTemporaryName, makeTemporaryFolder, sweepTemporary } from "../../src/store/temporary.js";
import { finish, startStoreProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";

/** A process that made a folder, a draft and a hidden folder below `TMPDIR`, and waits. */
async function startOwner(script = ""): Promise<{ dir: string; end(signal: NodeJS.Signals): Promise<unknown[]> }> {
  const dir = tempDir();
  const child = startStoreProcess(
    `
    const { makeTemporaryFolder, makeDraftFolder } = await import(store + "/temporary.js");
    const { atomicWriteChunks } = await import(store + "/atomic-write.js");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(makeTemporaryFolder("archived") + "/secret", "plain text");
    writeFileSync(makeDraftFolder(process.env.TMPDIR + "/page") + "/index.html", "half");
    async function* endless() {
      yield "half";
      process.stdout.write("ready");
      await new Promise((done) => setTimeout(done, 60_000));
    }
    ${script}
    await atomicWriteChunks(process.env.TMPDIR + "/session.jsonl", endless());
  `,
    { TMPDIR: dir },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout ?? child, "data");
  const end = (signal: NodeJS.Signals) => {
    const ended = once(child, "close");
    child.kill(signal);
    return ended;
  };
  return { dir, end };
}

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "after %s nothing is left, and the signal ends the process",
  async (signal) => {
    const { dir, end } = await startOwner();
    expect(readdirSync(dir)).toHaveLength(3);
    expect(await end(signal)).toEqual([null, signal]);
    expect(readdirSync(dir)).toEqual([]);
  },
);

test("after a normal exit nothing is left", async () => {
  const { dir, end } = await startOwner('process.on("SIGTERM", () => process.exit(3));');
  expect(await end("SIGTERM")).toEqual([3, null]);
  expect(readdirSync(dir)).toEqual([]);
});

test("who handles a signal and goes on keeps its files", async () => {
  const { dir, end } = await startOwner(
    'process.on("SIGINT", () => process.exit(readdirs().length));\nconst { readdirSync } = await import("node:fs"); const readdirs = () => readdirSync(process.env.TMPDIR);',
  );
  expect(await end("SIGINT")).toEqual([3, null]);
  expect(readdirSync(dir)).toEqual([]);
});

test("what a killed process left is removed by the next sweep, and nothing else", async () => {
  const { dir, end } = await startOwner();
  const ours = ["turnlog-notes", ".config.json.tmp", "turnlog-archived.99999-1-2-3-4-5-cafe.tmp"];
  for (const name of ours) writeFileSync(join(dir, name), "kept");
  sweepTemporary(dir);
  expect(readdirSync(dir)).toHaveLength(6); // its owner lives
  await end("SIGKILL");
  expect(readdirSync(dir)).toHaveLength(6);
  sweepTemporary(dir);
  expect(readdirSync(dir).sort()).toEqual(ours.sort());
});

test("a process cleans the folder it writes to", async () => {
  const { dir, end } = await startOwner();
  await end("SIGKILL");
  const script =
    'const { atomicWrite } = await import(store + "/atomic-write.js"); atomicWrite(process.env.TMPDIR + "/a", "1");';
  await finish(startStoreProcess(script, { TMPDIR: dir }));
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("temporary folders are private", () => {
  const folder = makeTemporaryFolder("archived");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(isTemporaryName(basename(folder))).toBe(true);
});

test("the name of a draft fits beside the longest name", () => {
  const target = join(tempDir(), `${"ä".repeat(125)}.html`);
  expect(Buffer.byteLength(basename(draftPathOf(target)))).toBeLessThan(255);
  atomicWrite(target, "text");
  expect(readFileSync(target, "utf8")).toBe("text");
});

test.each([
  ["removed while it has no transcript", false, []],
  ["kept when its transcript is there", true, ["X", "X.jsonl"]],
])("the folder of an edit that was killed is %s", async (_, isWritten, left) => {
  const dir = tempDir();
  const script = `
    const { undoUnless } = await import(store + "/temporary.js");
    undoUnless(process.env.DIR + "/X.jsonl", [process.env.DIR + "/X"]);
    process.kill(process.pid, "SIGKILL");
  `;
  await finish(startStoreProcess(script, { DIR: dir }));
  mkdirSync(join(dir, "X"));
  writeFileSync(join(dir, "X", "title"), "t");
  for (const path of isWritten ? [join(dir, "X.jsonl")] : []) writeFileSync(path, "{}");
  sweepTemporary(dir);
  expect(readdirSync(dir)).toEqual(left);
});

test("a sweep of a folder that cannot be listed does nothing", () => {
  sweepTemporary(join(tempDir(), "missing"));
  expect(existsSync("missing")).toBe(false);
});

test("what a killed process left is removed at the next start, wherever it was made, and nothing else", async () => {
  const [data, elsewhere] = [tempDir(), tempDir()];
  const env = { DATA: data, OUT: elsewhere, TMPDIR: tempDir() };
  const start =
    'const { sweepLeftovers, draftPathOf } = await import(store + "/temporary.js"); sweepLeftovers(process.env.DATA);';
  const script = `${start}
    const { writeFileSync } = await import("node:fs");
    writeFileSync(draftPathOf(process.env.OUT + "/page.html"), "half");
    process.stdout.write("ready");
    await new Promise((done) => setTimeout(done, 60_000));`;
  const owner = startStoreProcess(script, env);
  onTestFinished(() => void owner.kill("SIGKILL"));
  await once(owner.stdout ?? owner, "data");
  writeFileSync(join(elsewhere, ".page.html.tmp"), "the user's own");
  await finish(startStoreProcess(start, env));
  expect(readdirSync(elsewhere)).toHaveLength(2); // its owner lives
  const ended = once(owner, "close");
  owner.kill("SIGKILL");
  await ended;
  await finish(startStoreProcess(start, env));
  expect(readdirSync(elsewhere)).toEqual([".page.html.tmp"]);
  expect(readdirSync(join(data, "drafts"))).toEqual([]);
});
