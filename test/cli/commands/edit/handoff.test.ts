import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readLineage } from "../../../../src/store/user-db.js";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";
import { startSummaryApi } from "../../summary-api.js";

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
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data, ANTHROPIC_API_KEY: "k" };
  const run = (...args: string[]) => runCli(args, env);
  return { root, data, path, env, run };
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

const BRIEF = "Here it is.\n\n## Goal\n\n- Keep the key secret\n\n## Open points\n\n- none";
const asked = (url: string) => ["--model", "claude-haiku-4-5", "--base-url", url];

test("without --yes it tells what a model would get and what that costs, and sends nothing", async () => {
  const { run } = library();
  const api = await startSummaryApi(BRIEF);
  const { exitCode, stdout, stderr } = await run("handoff", ID, ...asked(api.url));
  expect(exitCode).toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/2 turns to claude-haiku-4-5 at http.*, redacted: about \d+ tokens in .*about \$0\.\d\d/);
  expect(stderr).toContain("nothing was sent");
  expect(api.requests).toEqual([]);
});

test("a model gets the redacted transcript, and its sections follow the place of the session", async () => {
  const { env, run } = library();
  const api = await startSummaryApi(BRIEF);
  const { stdout } = await runCli(["handoff", ID, "--json", "--yes", ...asked(api.url)], env);
  const json = JSON.parse(stdout);
  expect(json).toMatchObject({ model: "claude-haiku-4-5", source: ID });
  expect(json.sections.map(({ title }: { title: string }) => title)).toEqual(["Session", "Goal", "Open points"]);
  expect(json.markdown).not.toContain("Here it is.");
  expect(api.requests).toHaveLength(1);
  expect(api.requests[0]).toContain("never print it");
  expect(api.requests[0]).not.toContain(KEY);
  await run("handoff", ID, "--yes", "--no-redact", ...asked(api.url));
  expect(api.requests[1]).toContain(KEY);
});

test("--start with a model begins a session with that brief, and names the model", async () => {
  const { run } = library();
  const api = await startSummaryApi(BRIEF);
  const { path } = JSON.parse((await run("handoff", ID, "--start", "--json", "--yes", ...asked(api.url))).stdout);
  expect(readFileSync(path, "utf8")).toContain("it was made by claude-haiku-4-5 from the transcript");
  expect(readFileSync(path, "utf8")).toContain("Keep the key secret");
});

test.each([
  ["an error", BRIEF, "never print it", "end_turn", "prompt refused"],
  ["an answer without sections", "I cannot help with that.", undefined, "end_turn", "its answer has no sections"],
  ["an answer that is cut", BRIEF, undefined, "max_tokens", "its answer was too long"],
])(
  "%s of the model is one clear line, and no brief by rules takes its place",
  async (_, text, failing, stop, message) => {
    const { path, run } = library();
    const api = await startSummaryApi(text, failing, stop);
    const { exitCode, stdout, stderr } = await run("handoff", ID, "--start", "--yes", ...asked(api.url));
    expect(exitCode).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`claude-haiku-4-5 wrote no brief: `);
    expect(stderr).toContain(message);
    expect(readdirSync(dirname(path))).toEqual([`${ID}.jsonl`]);
  },
);

test("a missing key and a turn that is not there are told", async () => {
  const { run, env } = library();
  const api = await startSummaryApi(BRIEF);
  const keyless = { ...env, ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" };
  expect((await runCli(["handoff", ID, "--yes", ...asked(api.url)], keyless)).stderr).toContain("no API key");
  expect((await run("handoff", ID, "--turns", "3-")).stderr).toContain("the session has no turn 3");
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
