import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { answer, chain, prompt, toLines } from "../../builders/session-builder.js";
import { contentsOf, copyInto, type Machine, machine, onMachine } from "./bundled.js";

const CORPUS = resolve(import.meta.dirname, "../../corpus");
const RECORDED = ["2.0.50/print", "2.1.45/interactive", "2.1.81/print", "2.1.325/interactive", "2.1.325/print"]
  .concat(["2.1.326/interactive", "2.1.326/forks", "2.1.326/print", "2.1.326/background"])
  .filter((name) => existsSync(join(CORPUS, name)));
const ROUNDS = process.env["TURNLOG_SOAK"] === "1" ? 200 : 12;

const source = machineWith(RECORDED);

function machineWith(names: readonly string[]): {
  readonly sessions: { readonly name: string; readonly id: string }[];
} {
  const sessions = names.flatMap((name) =>
    findSessions([join(CORPUS, name)])
      .sessions.filter(({ size }) => size > 0)
      .map(({ id }) => ({ name, id })),
  );
  return { sessions };
}

async function bundleOf(from: Machine, id: string, ...options: readonly string[]): Promise<string> {
  const path = join(from.home, `${id}.tar.gz`);
  const { exitCode, stderr } = await onMachine(from, "bundle", id, "-o", path, "--force", ...options);
  expect(stderr + exitCode).toMatch(/0$/);
  return path;
}

test("bundle, import and bundle again gives the same files, for recorded sessions of many versions", async () => {
  const pick = fc.constantFrom(...source.sessions);
  await fc.assert(
    fc.asyncProperty(pick, fc.boolean(), async ({ name, id }, isRedacted) => {
      const [one, two] = [machine(), machine()];
      copyInto(one, join(CORPUS, name));
      const options = isRedacted ? [] : ["--no-redact"];
      const first = await bundleOf(one, id, ...options);
      const told = await onMachine(two, "import", first, "--project", join(two.home, "other/place"), "--yes", "--json");
      const [imported] = JSON.parse(told.stdout).sessions;
      expect(imported).toMatchObject({ id, action: "write" });
      const second = await bundleOf(two, id, ...options);
      expect(await contentsOf(second)).toEqual(await contentsOf(first));
    }),
    { numRuns: ROUNDS },
  );
});

test("nothing but stored paths differs between a session and its import into the same place", async () => {
  const { name, id } = source.sessions.find(({ name }) => name === "2.1.326/interactive") ?? { name: "", id: "" };
  const [one, two] = [machine(), machine()];
  copyInto(one, join(CORPUS, name));
  const path = await bundleOf(one, id, "--no-redact");
  await onMachine(two, "import", path, "--project", "/home/dev/demo-app", "--yes");
  const folder = join(two.root, "projects", "-home-dev-demo-app");
  expect(readdirSync(folder).map((file) => basename(file, ".jsonl"))).toContain(id);
  const linesOf = (root: string) =>
    readFileSync(join(root, "projects/-home-dev-demo-app", `${id}.jsonl`), "utf8")
      .replaceAll(root, "<root>")
      .split("\n");
  const before = linesOf(one.root).filter((line) => !/"type":"(?:permission-mode|bridge-session)"/.test(line));
  expect(linesOf(two.root)).toEqual(before);
});

const ID = "b1111111-2222-4333-8444-555555555555";
const SLUG = "silly-wishing-narwhal";

/** A session with a plan, tasks, todos of an old version, and typed prompts, one with a long paste. */
function plannedSession({ root, home }: Machine): void {
  const cwd = join(home, "shop");
  const lines = toLines(chain(prompt("plan it", { cwd, slug: SLUG }), answer("done", { cwd, slug: SLUG })));
  const typed = (timestamp: number, sessionId: string, pastedContents: object) =>
    `${JSON.stringify({ display: `typed ${timestamp}`, pastedContents, timestamp, project: cwd, sessionId })}\n`;
  const paste = { 1: { id: 1, type: "text", contentHash: "0123456789abcdef" } };
  const files: Readonly<Record<string, string>> = {
    [`projects/-shop/${ID}.jsonl`]: lines,
    [`plans/${SLUG}.md`]: "# Plan\n",
    "plans/other-wishing-whale.md": "# Of somebody else\n",
    [`tasks/${ID}/1.json`]: '{"id":"1","subject":"test it","status":"pending"}',
    [`todos/${ID}-agent-${ID}.json`]: '[{"content":"write it","status":"pending"}]',
    "history.jsonl": typed(1, ID, {}) + typed(2, "another", {}) + typed(3, ID, paste),
    "paste-cache/0123456789abcdef.txt": "a long paste",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

test("plan, tasks, todos and typed prompts come along, among those that are there, once", async () => {
  const [one, two] = [machine(), machine()];
  plannedSession(one);
  const path = await bundleOf(one, ID, "--no-redact");
  const there = (timestamp: number) => `${JSON.stringify({ display: "here", timestamp, sessionId: "own" })}\n`;
  writeFileSync(join(two.root, "history.jsonl"), there(0) + there(2) + there(9));
  const importHere = () => onMachine(two, "import", path, "--project", join(two.home, "work/shop"), "--yes");
  const first = await importHere();
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain("  also     1 plan, 2 task files, what was typed, into history.jsonl\n");
  const read = (name: string) => readFileSync(join(two.root, name), "utf8");
  expect(read(`plans/${SLUG}.md`)).toBe("# Plan\n");
  expect(readdirSync(join(two.root, "plans"))).toEqual([`${SLUG}.md`]);
  expect(read(`tasks/${ID}/1.json`)).toContain("test it");
  expect(read(`todos/${ID}-agent-${ID}.json`)).toContain("write it");
  const typed = read("history.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(typed.map(({ timestamp }) => timestamp)).toEqual([0, 1, 2, 3, 9]);
  expect(typed[3]).toEqual({
    display: "typed 3",
    pastedContents: { 1: { id: 1, type: "text", content: "a long paste" } },
    timestamp: 3,
    project: join(two.home, "work/shop"),
    sessionId: ID,
  });
  const before = read("history.jsonl");
  await importHere();
  expect(read("history.jsonl")).toBe(before);
  expect(await contentsOf(await bundleOf(two, ID, "--no-redact"))).toEqual(await contentsOf(path));
});

test("another plan of the same name stays as it is, and the import says so", async () => {
  const [one, two] = [machine(), machine()];
  plannedSession(one);
  const path = await bundleOf(one, ID);
  mkdirSync(join(two.root, "plans"));
  writeFileSync(join(two.root, "plans", `${SLUG}.md`), "mine");
  const { stderr } = await onMachine(two, "import", path, "--project", two.home, "--yes");
  expect(stderr).toContain(`${SLUG}.md is another plan of the same name and stays as it is`);
  expect(readFileSync(join(two.root, "plans", `${SLUG}.md`), "utf8")).toBe("mine");
});
