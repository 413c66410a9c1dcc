import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readLineage } from "../../../../src/store/user-db.js";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const KEY = `sk-ant-api03-${"Ab3dEf6hIj".repeat(9)}AA`;

function library() {
  const root = temporaryFolder();
  const data = temporaryFolder();
  const path = join(root, "projects", "-home-dev-shop", `${ID}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const cwd = { cwd: "/home/dev/shop" };
  const rows = [prompt(`Use ${KEY} and never print it`, cwd), answer("1", cwd), prompt("go on", cwd), answer("2", cwd)];
  writeFileSync(path, toLines(chain(...rows)));
  const run = (...args: string[]) => runCli(args, { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data });
  return { root, data, path, run };
}

test("the brief is Markdown, redacted, and says where the full transcript is", async () => {
  const { run } = library();
  const { stdout, stderr } = await run("handoff", ID);
  expect(stdout).toMatch(/^# Hand-off: /);
  expect(stdout).toMatch(new RegExp(`Full transcript: ~.*${ID}.jsonl`));
  expect(stdout).not.toContain(KEY);
  expect(stderr).toContain("redacted: ");
  expect((await run("handoff", ID, "--no-redact")).stdout).toContain(KEY);
});

test("it is also JSON, of some turns, and written to a file that is not overwritten", async () => {
  const { run } = library();
  const json = JSON.parse((await run("handoff", ID, "--turns", "2", "--json")).stdout);
  expect(json).toMatchObject({ source: ID, leftOut: 0 });
  expect(json.markdown).toContain("turns 2 to 2 of 2");
  expect(json.markdown).not.toContain("never print it");
  const file = join(temporaryFolder(), "brief.md");
  await run("handoff", ID, "-o", file);
  expect(readFileSync(file, "utf8")).toMatch(/^# Hand-off: /);
  expect((await run("handoff", ID, "-o", file)).exitCode).toBe(1);
});

test("--start makes a session whose first prompt is the brief, masked, and leaves the old one", async () => {
  const { data, path, run } = library();
  const before = readFileSync(path, "utf8");
  const started = JSON.parse((await run("handoff", ID, "--start", "--json")).stdout);
  const shown = JSON.parse((await run("show", started.id, "--json")).stdout);
  expect(shown.turns).toHaveLength(1);
  expect(shown.turns[0].prompt).toContain("You take over the work of another session.");
  expect(shown.turns[0].prompt).toContain(`Full transcript: ${path}`);
  expect(shown.session.title).toMatch(/\(handed on\)$/);
  expect(readFileSync(started.path, "utf8")).not.toContain(KEY);
  expect(readLineage(data)).toMatchObject([{ session: started.id, source: ID, command: "handoff" }]);
  expect((await run("verify", started.id)).exitCode).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test.each([
  [["--max-tokens", "10"], "a brief needs at least 300 tokens"],
  [["--max-tokens", "many"], '--max-tokens must be a number, not "many"'],
  [["--start", "-o", "x.md"], "cannot be used with"],
])("%j is refused with one clear line", async (options, message) => {
  const { root, run } = library();
  const { exitCode, stderr } = await run("handoff", ID, ...options);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(existsSync(join(root, "x.md"))).toBe(false);
});
