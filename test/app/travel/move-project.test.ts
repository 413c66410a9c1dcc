import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chain, prompt, toLines } from "../../builders/session-builder.js";
import { runFaulty } from "../../cli/faulty-process.js";
import { treeOf } from "../../cli/tree-of.js";
import { type Machine, machine, onMachine, putSession } from "./bundled.js";

const OLD = "/home/dev/shop";
const NEW = "/srv/market";
const idOf = (digit: string) => `${digit.repeat(8)}-4444-4444-8444-444444444444`;
const lines = (cwd: string, words = "hello") =>
  toLines(chain(prompt(words, { cwd }), prompt("more", { cwd: `${cwd}/src` })));

/** Sessions of a project, of a folder below it and of one that only begins like it, and everything that names the project. */
function withProject(): Machine {
  const own = machine();
  putSession(own, "-home-dev-shop", idOf("1"), {
    [`${idOf("1")}.jsonl`]: lines(OLD, `look into ${OLD}/a.ts`),
    [`${idOf("1")}/tool-results/b1.txt`]: "output\n",
    [`${idOf("1")}/subagents/agent-a1.jsonl`]: lines(OLD),
    "memory/notes.md": "remember\n",
    [`file-history/${idOf("1")}/0123456789abcdef@v1`]: "before\n",
  });
  putSession(own, "-home-dev-shop-api", idOf("2"), { [`${idOf("2")}.jsonl`]: lines(`${OLD}/api`) });
  putSession(own, "-home-dev-shopping", idOf("3"), { [`${idOf("3")}.jsonl`]: lines("/home/dev/shopping") });
  const state = {
    numStartups: 12345678901234567890n,
    projects: { [OLD]: { lastCost: 1 }, "/home/dev/shopping": {}, [`${OLD}/api`]: {} },
  };
  const json = JSON.stringify(state, (_, value) => (typeof value === "bigint" ? 1.5 : value), 2);
  writeFileSync(join(own.root, ".claude.json"), json);
  const typed = (project: string) => `${JSON.stringify({ display: "hello", project, timestamp: 1 })}\n`;
  writeFileSync(join(own.root, "history.jsonl"), typed(OLD) + typed("/home/dev/shopping") + typed(`${OLD}/api`));
  writeFileSync(join(own.root, "settings.json"), JSON.stringify({ permissions: { allow: [`Read(/${OLD}/**)`] } }));
  return own;
}

const MOVE = ["move", "--project", OLD, NEW, "--yes"];
const projects = ({ root }: Machine) => readdirSync(join(root, "projects")).sort();

test("all sessions of a project move, with memory, Claude Code's entry and the prompt history; others stay", async () => {
  const own = withProject();
  const { stdout, stderr, exitCode } = await onMachine(own, ...MOVE);
  expect([exitCode, stdout]).toEqual([
    0,
    `moved 2 sessions, rewrote paths in 6 lines; 1 line still names ${OLD} in text\n`,
  ]);
  expect(projects(own)).toEqual(["-home-dev-shopping", "-srv-market", "-srv-market-api"]);
  const moved = join(own.root, "projects/-srv-market");
  expect(readFileSync(join(moved, `${idOf("1")}.jsonl`), "utf8")).toContain(`"cwd":"${NEW}/src"`);
  expect(readFileSync(join(moved, idOf("1"), "subagents/agent-a1.jsonl"), "utf8")).toContain(`"cwd":"${NEW}"`);
  expect(readFileSync(join(moved, "memory/notes.md"), "utf8")).toBe("remember\n");
  const state = JSON.parse(readFileSync(join(own.root, ".claude.json"), "utf8"));
  expect(Object.keys(state.projects)).toEqual([NEW, "/home/dev/shopping", `${NEW}/api`]);
  const history = readFileSync(join(own.root, "history.jsonl"), "utf8").trim().split("\n");
  expect(history.map((line) => JSON.parse(line).project)).toEqual([NEW, "/home/dev/shopping", `${NEW}/api`]);
  expect(stderr).toContain("settings.json names the old folder and stays as it is");
  expect(readdirSync(join(own.home, "data/backup")).filter((name) => name.startsWith("claude.json"))).toHaveLength(1);
});

test("--dry-run writes nothing and tells the same numbers as the move", async () => {
  const own = withProject();
  const before = treeOf(own.root);
  const dry = JSON.parse((await onMachine(own, ...MOVE, "--dry-run", "--json")).stdout);
  expect(treeOf(own.root)).toEqual(before);
  const done = JSON.parse((await onMachine(own, ...MOVE, "--json")).stdout);
  expect(dry).toMatchObject({ done: false, rewritten: 6, left: 1 });
  expect(done).toEqual({ ...dry, done: true });
});

test("--undo moves everything back as it was, with what was added since", async () => {
  const own = withProject();
  const before = treeOf(own.root);
  await onMachine(own, ...MOVE);
  const back = await onMachine(own, "move", "--undo");
  expect(back.stdout).toBe(`moved 2 sessions back from ${NEW} to ${OLD}\n`);
  expect(Object.keys(treeOf(own.root)).sort()).toEqual(Object.keys(before).sort());
  const file = join("projects/-home-dev-shop", `${idOf("1")}.jsonl`);
  expect(readFileSync(join(own.root, file), "utf8")).toBe(lines(OLD, `look into ${OLD}/a.ts`));
  expect((await onMachine(own, "move", "--undo")).exitCode).toBe(1);
});

test.each([
  [[OLD, OLD], "inside of the other"],
  [[OLD, `${OLD}/sub`], "inside of the other"],
  [[`${OLD}/x`, OLD], "inside of the other"],
  [["/nowhere", NEW], "no session worked in /nowhere"],
])("%j is refused", async ([from = "", to = ""], reason) => {
  const own = withProject();
  const before = treeOf(own.root);
  const { exitCode, stderr } = await onMachine(own, "move", "--project", from, to, "--yes");
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain(reason);
  expect(treeOf(own.root)).toEqual(before);
});

test("a session that is there already with other content stops the move before anything is changed", async () => {
  const own = withProject();
  putSession(own, "-srv-market", idOf("1"), { [`${idOf("1")}.jsonl`]: lines(NEW, "another") });
  const before = treeOf(own.root);
  expect((await onMachine(own, ...MOVE)).stderr).toContain("is there already");
  expect(treeOf(own.root)).toEqual(before);
});

test("nothing is moved while Claude Code runs", async () => {
  const own = withProject();
  mkdirSync(join(own.root, "sessions"));
  const entry = { pid: process.pid, sessionId: idOf("9"), cwd: OLD, startedAt: 1, kind: "interactive" };
  writeFileSync(join(own.root, "sessions", `${process.pid}.json`), JSON.stringify(entry));
  expect((await onMachine(own, ...MOVE)).stderr).toContain("running Claude Code");
});

test.each([3, 12, 25, 40, 55, 70])("killed before change %i, it is completed by the next move", async (killAt) => {
  const own = withProject();
  const whole = withProject();
  await onMachine(whole, ...MOVE);
  await runFaulty(MOVE, { ...own.env, HOME: own.home }, { killAt });
  await onMachine(own, ...MOVE);
  const names = (one: Machine) => Object.keys(treeOf(join(one.root, "projects"))).sort();
  expect(names(own)).toEqual(names(whole));
  const file = join("projects/-srv-market", `${idOf("1")}.jsonl`);
  expect(readFileSync(join(own.root, file), "utf8")).toBe(readFileSync(join(whole.root, file), "utf8"));
  const stateOf = (one: Machine) => readFileSync(join(one.root, ".claude.json"), "utf8");
  expect(stateOf(own)).toBe(stateOf(whole));
});
