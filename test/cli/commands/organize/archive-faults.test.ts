import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { type Fault, runFaulty } from "../../faulty-process.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const SIDE_FILE = "tool-results/toolu_02.txt";

const copies = async (env: Record<string, string>) =>
  JSON.parse((await runCli(["archive", "list", "--json"], env)).stdout);
const filesOf = async (env: Record<string, string>, id: string) =>
  (await copies(env)).find((copy: { id: string }) => copy.id === id)?.files;

/** A library after a faulty first run, beside one after a run without faults. */
async function archiveWith(fault: (project: string) => Fault) {
  const { root, env } = oldLibrary();
  const whole = { ...env, TURNLOG_DATA_DIR: temporaryFolder() };
  await runCli(["archive", "on"], whole);
  const ended = await runFaulty(["archive", "on"], env, fault(join(root, "projects/-home-dev-shop")));
  return { root, env, whole, ended };
}

test("a transcript that cannot be read is named, and all others are archived", async () => {
  let denied = "";
  const { env, whole, ended } = await archiveWith((project) => {
    denied = join(project, `${PLANTED_ID}.jsonl`);
    return { denied };
  });
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`skipped ${denied}: permission denied\n`) });
  expect(await filesOf(env, PLANTED_ID)).toBeUndefined();
  expect(await copies(env)).toHaveLength((await copies(whole)).length - 1);
});

test("a side file that cannot be read is named, its session and all others are archived, the next run adds it", async () => {
  let denied = "";
  const { env, whole, ended } = await archiveWith((project) => {
    denied = join(project, PLANTED_ID, SIDE_FILE);
    return { denied };
  });
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`skipped ${denied}: permission denied\n`) });
  const all = await filesOf(whole, PLANTED_ID);
  expect(await filesOf(env, PLANTED_ID)).toBe(all - 1);
  expect(await copies(env)).toHaveLength((await copies(whole)).length);
  await runCli(["index", "sync"], env);
  expect(await filesOf(env, PLANTED_ID)).toBe(all);
});

test.each([3, 4, 6, 9, 15, 20])(
  "when fsync fails the %i. time, one session is named and all others are archived",
  async (unsyncable) => {
    const { env, whole, ended } = await archiveWith(() => ({ unsyncable }));
    expect(ended.stderr.match(/skipped .*: i\/o error/g)).toHaveLength(1);
    expect(ended.code).toBe(0);
    expect((await copies(env)).length).toBeGreaterThanOrEqual((await copies(whole)).length - 1);
    await runCli(["archive", "on"], env);
    expect(await copies(env)).toHaveLength((await copies(whole)).length);
  },
);

test("a manifest that cannot be read is not replaced, and its copies stay", async () => {
  const { root, env } = oldLibrary();
  await runCli(["archive", "on"], env);
  const [folder = ""] = readdirSync(join(env.TURNLOG_DATA_DIR, "archive")).filter((name) =>
    name.startsWith(PLANTED_ID),
  );
  const copy = join(env.TURNLOG_DATA_DIR, "archive", folder);
  const before = readdirSync(copy);
  writeFileSync(join(copy, "manifest.json"), "{");
  writeFileSync(join(root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`), '{"type":"mode"}\n');
  const ended = await runFaulty(["archive", "on"], env, {});
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("manifest.json") });
  expect(readdirSync(copy)).toEqual(before);
});

test("without hard links sessions are indexed, archived, cloned, deleted and restored", async () => {
  const { root, env } = oldLibrary();
  const fault = { unlinkable: true };
  const run = (...args: string[]) => runFaulty(args, env, fault);
  expect(await run("index", "sync")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("archive", "on")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("clone", PLANTED_ID, "--json")).toMatchObject({ code: 0 });
  expect(await run("delete", PLANTED_ID)).toMatchObject({ code: 0 });
  expect(await run("restore", PLANTED_ID)).toMatchObject({ code: 0 });
  expect(await run("move", PLANTED_ID, "/home/dev/elsewhere")).toMatchObject({ code: 0 });
  expect(await run("show", PLANTED_ID)).toMatchObject({ code: 0 });
  const names = [root, env.TURNLOG_DATA_DIR].flatMap((folder) => readdirSync(folder, { recursive: true }).map(String));
  expect(names.filter((name) => name.endsWith(".tmp") || name.includes(".lock"))).toEqual([]);
});
