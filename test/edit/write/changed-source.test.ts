import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { planMerge } from "../../../src/edit/merge/plan-merge.js";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { readEditSource } from "../../../src/edit/plans/edit-source.js";
import { writeEdit } from "../../../src/edit/write/write-edit.js";
import * as rewriting from "../../../src/format/writer/rewrite-ids.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { PLANTED_ID, plantLibrary } from "../../cli/planted-library.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { NEW_ID } from "../edited-session.js";

vi.mock("../../../src/format/writer/rewrite-ids.js", { spy: true });

type ChangeFile = (path: string) => void;

const shortened = (path: string) => readFileSync(path, "utf8").split("\n").slice(2).join("\n");
const inPlace: ChangeFile = (path) => writeFileSync(path, readFileSync(path, "utf8").replace("00000000-", "11111111-"));
const trimmed: ChangeFile = (path) => {
  writeFileSync(`${path}.compact.tmp.0`, shortened(path));
  renameSync(`${path}.compact.tmp.0`, path);
};

const copied: ChangeFile = (path) => {
  writeFileSync(`${path}.new`, readFileSync(path));
  renameSync(`${path}.new`, path);
};

const LOSSES: readonly (readonly [string, ChangeFile, string])[] = [
  ["rewritten in place with the same length", inPlace, "was rewritten"],
  [
    "rewritten with its old time",
    (path) => {
      utimesSync(path, 1000, 1000);
      inPlace(path);
      utimesSync(path, 1000, 1000);
    },
    "was rewritten",
  ],
  [
    "deprived of a line and longer again",
    (path) => writeFileSync(path, `${shortened(path)}${"x".repeat(99_999)}\n`),
    "was rewritten",
  ],
  ["trimmed", trimmed, "was rewritten"],
  ["cut", (path) => truncateSync(path, 100), "was rewritten"],
  ["emptied", (path) => writeFileSync(path, ""), "was rewritten"],
  ["deleted", (path) => rmSync(path), "is no longer there"],
  [
    "replaced by a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    "is no longer there",
  ],
];

function planned() {
  const { root, path } = plantLibrary();
  const project = join(root, "projects/-home-dev-shop");
  const plan = planClone(readEditSource(path), { id: NEW_ID });
  return { root, path, project, plan, target: { path: join(project, `${NEW_ID}.jsonl`), configRoot: root } };
}

function expectNothingWritten({ root, project }: Pick<ReturnType<typeof planned>, "root" | "project">): void {
  const hidden = readdirSync(project).filter((name) => name.startsWith("."));
  expect([hidden, existsSync(join(project, NEW_ID)), existsSync(join(project, `${NEW_ID}.jsonl`))]).toEqual([
    [],
    false,
    false,
  ]);
  expect(readdirSync(join(root, "file-history"))).toEqual([PLANTED_ID]);
}

/** What the edit gives where nothing happens to the source. */
async function untouched(): Promise<string> {
  const { plan, target } = planned();
  await writeEdit(plan, target);
  return readFileSync(target.path, "utf8");
}

/** Runs `change` when the first record of the second reading passes. */
function whileItIsWritten(change: () => void): void {
  vi.mocked(rewriting.rewriteIds).mockImplementationOnce((...args) => {
    change();
    return vi.mocked(rewriting).rewriteIds(...args);
  });
}

describe("a source that was", () => {
  test.each(LOSSES)(
    "%s after the plan is refused with one clear line, and nothing is written",
    async (_, change, what) => {
      const world = planned();
      change(world.path);
      await expect(writeEdit(world.plan, world.target)).rejects.toMatchObject({
        name: "UserError",
        message: expect.stringContaining(`${world.path} ${what}`),
        hint: expect.stringContaining("nothing was written"),
      });
      expectNothingWritten(world);
    },
  );

  test.each(LOSSES)("%s while it is written is refused too", async (_, change, what) => {
    const world = planned();
    whileItIsWritten(() => change(world.path));
    await expect(writeEdit(world.plan, world.target)).rejects.toThrow(what);
    expectNothingWritten(world);
  });

  const KEPT: readonly (readonly [string, ChangeFile, number])[] = [
    ["continued", (path) => appendFileSync(path, '{"type":"mode","mode":"plan"}\n'), 30],
    ["copied to a new inode", copied, 0],
    ["touched", (path) => utimesSync(path, 1000, 1000), 0],
  ];

  test.each(KEPT)("%s after the plan is used as it was planned", async (_, change, addedBytes) => {
    const { path, plan, target } = planned();
    change(path);
    expect(await writeEdit(plan, target)).toMatchObject({ addedBytes });
    expect(readFileSync(target.path, "utf8")).toBe(await untouched());
  });

  test.each(KEPT)("%s while it is written is used as it was planned", async (_, change, addedBytes) => {
    const { path, plan, target } = planned();
    whileItIsWritten(() => change(path));
    expect(await writeEdit(plan, target)).toMatchObject({ addedBytes });
    expect(readFileSync(target.path, "utf8")).toBe(await untouched());
  });
});

describe("the file of a sub-agent that was", () => {
  const agentOf = (project: string) => join(project, PLANTED_ID, "subagents/agent-a1b2c3d.jsonl");

  test.each(LOSSES)("%s while it is copied is refused", async (_, change) => {
    const world = planned();
    whileItIsWritten(() => change(agentOf(world.project)));
    await expect(writeEdit(world.plan, world.target)).rejects.toMatchObject({ name: "UserError" });
    expectNothingWritten(world);
  });

  test("continued while it is copied is copied", async () => {
    const { project, plan, target } = planned();
    whileItIsWritten(() => appendFileSync(agentOf(project), '{"type":"mode"}\n'));
    expect(await writeEdit(plan, target)).toMatchObject({ path: target.path });
  });
});

test("turns of another session that was rewritten after the plan are refused", async () => {
  const texts = [writeLines([prompt("one"), answer("two")]), writeLines([prompt("three"), answer("four")])];
  const [first, second] = texts.map((lines) => `${lines.join("\n")}\n`);
  const folder = temporaryFolder({
    "aaaaaaaa-0000-4000-8000-000000000000.jsonl": `${first}`,
    "bbbbbbbb-0000-4000-8000-000000000000.jsonl": `${second}`.replaceAll(/"([um]\d)"/g, '"other-$1"'),
  });
  const source = readEditSource(join(folder, "aaaaaaaa-0000-4000-8000-000000000000.jsonl"));
  const other = readEditSource(join(folder, "bbbbbbbb-0000-4000-8000-000000000000.jsonl"));
  const plan = planMerge(source, { from: { other } }, { id: NEW_ID });
  writeFileSync(other.path, readFileSync(other.path, "utf8").replace("three", "tree!"));
  const target = { path: join(folder, `${NEW_ID}.jsonl`), configRoot: null };
  await expect(writeEdit(plan, target)).rejects.toThrow(`${other.path} was rewritten`);
  expect(existsSync(target.path)).toBe(false);
});
