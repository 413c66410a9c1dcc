import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { PLACES, plantLibrary, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "..", "demo");
let demo: Record<string, string>;

beforeEach(() => {
  demo = { CLAUDE_CONFIG_DIR: DEMO, TURNLOG_DATA_DIR: temporaryFolder() };
});

interface Hit {
  readonly sessionId: string;
  readonly path: string;
  readonly kind: string;
  readonly tool: string | null;
  readonly timestamp: string | null;
  readonly line: number;
  readonly snippet: string;
}

interface Found {
  readonly hits: readonly Hit[];
  readonly truncated: boolean;
  readonly sessions: readonly { readonly sessionId: string; readonly totalHits: number }[];
  readonly totalSessions: number;
  readonly totalHits: number;
  readonly exact: boolean;
}

async function search(args: readonly string[], env = demo): Promise<Found> {
  const { stdout, exitCode, stderr } = await runCli(["search", "--json", ...args], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

const places = ({ hits }: { hits: readonly Hit[] }) =>
  hits.map(({ path, line, kind }) => `${path}:${line} ${kind}`).sort();

test("prints as JSON what the contract names", async () => {
  const { hits, truncated } = await search(["test"]);
  expect(Object.keys(hits[0] ?? {}).join(", ")).toBe(
    "sessionId, path, project, title, turn, line, kind, tool, toolUseId, timestamp, snippet, prompt, agentId",
  );
  expect(hits.length).toBeGreaterThan(5);
  expect(truncated).toBe(false);
});

test.each([[], ["--no-index"]])("what a fork has copied is found in both sessions %j", async (...options) => {
  const corpus = resolve(import.meta.dirname, "..", "..", "..", "corpus", "2.1.45", "interactive2");
  const env = { CLAUDE_CONFIG_DIR: corpus, TURNLOG_DATA_DIR: temporaryFolder() };
  const { hits, totalSessions } = await search(["bgbash", "--in", "prompts", ...options], env);
  expect(hits.map(({ snippet }) => snippet)).toEqual(["[[bgbash]] bg bash", "[[bgbash]] bg bash"]);
  expect(totalSessions).toBe(2);
});

describe("finds the same with and without the index", () => {
  test.each([
    { args: ["test"] },
    { args: ["the -error"] },
    { args: [" -the"] },
    { args: ['"the test"'] },
    { args: ["err*", "OR", "fail*"] },
    { args: ["=>"] },
    { args: ["--literal", "()"] },
    { args: ["--regex", "\\d+ms"] },
    { args: ["the", "--in", "prompts,answers"] },
    { args: ["the", "--in", "results", "--tool", "bash"] },
    { args: ["--errors"] },
    { args: ["src", "--in", "files"] },
    { args: ["the", "--project", "lantern"] },
    { args: ["the", "--since", "2026-11-05"] },
    { args: ["the", "--until", "2026-10-12T08:20:00Z"] },
    { args: ["the", "--model", "haiku"] },
    { args: ["the", "--git-branch", "main"] },
    { args: ["the", "--session", "ce53b57f"] },
    { args: ["--in", "titles"] },
  ])("$args", async ({ args }) => {
    const all = ["--limit", "100000"];
    const found = places(await search([...args, ...all]));
    expect(found).toEqual(places(await search([...args, ...all, "--no-index"])));
    expect(found.length).toBeGreaterThan(0);
  });
});

test("filters are about the text itself, or about its session", async () => {
  const { hits } = await search(["", "--in", "results,tools", "--tool", "BASH", "--since", "2026-11-05"]);
  expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(["command", "toolOutput"]));
  expect(hits.every(({ tool, timestamp }) => tool === "Bash" && (timestamp ?? "") >= "2026-11-05")).toBe(true);
  const inSession = await search(["the", "--session", "ce53b57f"]);
  expect(new Set(inSession.hits.map(({ sessionId }) => sessionId.slice(0, 8)))).toEqual(new Set(["ce53b57f"]));
});

test("as many sessions as asked for, and how many there are", async () => {
  const all = await search(["the"]);
  const { sessions, truncated, totalSessions, totalHits, exact } = await search([
    "the",
    "--limit",
    "2",
    "--offset",
    "1",
  ]);
  expect(sessions).toEqual(all.sessions.slice(1, 3));
  expect({ truncated, totalSessions, totalHits, exact }).toEqual({
    truncated: true,
    totalSessions: all.sessions.length,
    totalHits: all.sessions.reduce((sum, session) => sum + session.totalHits, 0),
    exact: true,
  });
});

test("all hits of one session, and a page of them", async () => {
  const { sessions } = await search(["the", "--hits", "1"]);
  const [most] = sessions.toSorted((a, b) => b.totalHits - a.totalHits);
  const all = await search(["the", "--session", most?.sessionId ?? ""]);
  expect(all.hits).toHaveLength(most?.totalHits ?? -1);
  const page = await search(["the", "--session", most?.sessionId ?? "", "--limit", "2", "--offset", "3"]);
  expect(page.hits).toEqual(all.hits.slice(3, 5));
  const last = String(all.hits.length - 1);
  const { stdout } = await runCli(["search", "the", "--session", most?.sessionId ?? "", "--offset", last], demo);
  expect(stdout).not.toContain("more hit");
});

test.each([60, 100])("results are grouped by session and no wider than %i columns", async (columns) => {
  const { stdout } = await runCli(["search", "test", "--limit", "8"], demo, { columns });
  await expect(stdout).toMatchFileSnapshot(
    join(import.meta.dirname, "..", "..", "..", "golden", `search-${columns}.txt`),
  );
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
});

test("how much was found, and in what time, stands beside the results", async () => {
  const { stderr } = await runCli(["search", "test", "--limit", "3"], demo);
  expect(stderr).toMatch(/^\d+ hits in \d+ sessions; showing 3 sessions from 1, next: --offset 3 \([\d.]+ ?m?s\)\n$/);
  const nothing = await runCli(["search", "zzzzgone"], demo);
  expect(nothing).toMatchObject({ stdout: "", exitCode: 0, stderr: expect.stringMatching(/^nothing found \(/) });
});

test("a pattern that tries very many ways in V8 reads each text once", async () => {
  expect(await search(["--regex", "((\\w|\\s)+)+~~"])).toMatchObject({ totalHits: 0, exact: true });
});

test.each([
  { args: [], message: "no query given" },
  { args: ["--regex", "("], message: "not a regular expression" },
  { args: ["--regex", "((\\w|\\s)+)+\\2~~"], message: "the regular expression takes too long" },
  { args: ["--regex", "--literal", "a"], message: "--regex and --literal cannot be combined" },
  { args: ["a", "--in", "nowhere"], message: 'unknown place in --in: "nowhere"' },
  { args: ["a", "--in", "toString"], message: 'unknown place in --in: "toString"' },
  { args: ["a", "--since", "soon"], message: "not a time: soon" },
  ...["*", "**", "-", '"', '"""', '"" -', "- *"].map((query) => ({
    args: ["--", query],
    message: `the query has no word: ${query}`,
  })),
])("bad usage is one line and a hint: $args", async ({ args, message }) => {
  const { stderr, stdout, exitCode } = await runCli(["search", ...args], demo);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(2);
});

test.each([
  { options: [] },
  { options: ["--no-index"] },
  { options: ["--json"] },
  { options: ["--json", "--no-index"] },
])("no secret is shown, nor searched for by what is shown of it: $options", async ({ options }) => {
  const { root } = plantLibrary();
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  for (const query of ["deploy", "printed", "look", "authorization", ...PLACES.map(tokenOf)]) {
    const { stdout } = await runCli(["search", query, ...options], env);
    expect(PLACES.filter((place) => stdout.includes(tokenOf(place).slice(4, 16)))).toEqual([]);
  }
  const revealed = await runCli(["search", "deploy", "--reveal", ...options], env);
  expect(revealed.stdout).toContain(tokenOf("prompt"));
});

test("what follows two dashes is looked for, though it looks like an option", async () => {
  expect(await search(["--", "--json"])).toEqual(await search(['"--json"']));
});

test("an exclusion needs no quotes around the query", async () => {
  const quoted = await search(["test -idempotent"]);
  expect(await search(["test", "-idempotent"])).toEqual(quoted);
  expect((await search(["test"])).hits.length).toBeGreaterThan(quoted.hits.length);
});
