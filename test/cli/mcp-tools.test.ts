import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configRootOf } from "../../src/format/layout/session-paths.js";
import { listSessions } from "../../src/library/catalog/list-sessions.js";
import { loadSession } from "../../src/library/load/load-session.js";
import type { SessionSummary } from "../../src/library/load/session-summary.js";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";
import { type Agent, connectAgent, listed } from "./mcp-client.js";
import { runCli } from "./run-cli.js";

const TOOLS = [
  "search_sessions",
  "list_sessions",
  "session_outline",
  "session_turns",
  "session_brief",
  "files_touched",
  "blame",
  "changed_files",
  "usage_stats",
  "running_sessions",
];
const DEMO_LAST = "09fa6185-1780-40a3-b65b-58a2afceee1d";
const WISHLIST = "1126f362-19d7-4b7d-a116-4f3a548b2dd2";

const corpusRoots = [...new Set(corpusSessions().map((path) => configRootOf(join(CORPUS, path))))];
const corpus = { configDir: corpusRoots.join(",") };
const textsOf = (values: readonly Record<string, unknown>[], field: string) => values.map((value) => value[field]);

describe("the tools", () => {
  test("are listed, read-only, each with a description and a closed schema", async () => {
    const { client } = await connectAgent({ demo: true });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(TOOLS.map(() => true));
    expect(tools.map(({ inputSchema }) => inputSchema["additionalProperties"])).toEqual(TOOLS.map(() => false));
    expect(tools.filter(({ description }) => (description ?? "").length < 80)).toEqual([]);
    expect(client.getInstructions()).toContain("search_sessions");
  });

  test("search finds words in a turn that can be read on", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured, text } = await call("search_sessions", { query: "idempotent", places: ["prompts"] });
    expect(structured["hits"]).toMatchObject([
      { turn: 2, kind: "prompt", snippet: "Make the load idempotent and prove it with a test." },
    ]);
    const [hit] = listed([{ structured, text, isError: false }], "hits");
    const read = await call("session_turns", { session: hit?.["sessionId"], from: 2, to: 2, what: ["prompts"] });
    expect(read.text).toContain("Make the load idempotent and prove it with a test.");
  });

  test("search keeps to places, project, tool, errors and session", async () => {
    const { call } = await connectAgent({ demo: true });
    const found = async (args: object) => listed([await call("search_sessions", { ...args, limit: 50 })], "hits");
    expect(new Set(textsOf(await found({ query: "test", places: ["answers"] }), "kind"))).toEqual(new Set(["answer"]));
    expect(new Set(textsOf(await found({ query: "test", tool: "Bash" }), "tool"))).toEqual(new Set(["Bash"]));
    expect(new Set(textsOf(await found({ query: "the", session: DEMO_LAST }), "sessionId"))).toEqual(
      new Set([DEMO_LAST]),
    );
    expect(new Set(textsOf(await found({ query: "the", project: "lantern" }), "project"))).toEqual(
      new Set(["/home/dev/code/lantern-shop"]),
    );
    expect((await found({ errors: true })).length).toBeGreaterThan(0);
    expect(await found({ query: "test", until: "2001-01-01" })).toEqual([]);
  });

  test("list tells sessions, latest first, by the filters", async () => {
    const { call } = await connectAgent({ demo: true });
    const all = listed([await call("list_sessions")], "sessions");
    expect(all[0]).toMatchObject({ id: DEMO_LAST, title: "JSON output for pebble", turns: 4, toolCalls: 15 });
    const some = await call("list_sessions", { project: "lantern-shop", gitBranch: "feature/wishlist" });
    expect(textsOf(listed([some], "sessions"), "title")).toEqual(["Wishlist page"]);
    expect((await call("list_sessions", { model: "no such model" })).text).toBe("no sessions");
  });

  test("outline tells turns, compactions and sub-agents", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured, text } = await call("session_outline", { session: "last" });
    expect(structured).toMatchObject({ session: { id: DEMO_LAST, turns: 4 }, nextCursor: null });
    expect(listed([{ structured, text, isError: false }], "turns")[0]).toMatchObject({
      turn: 1,
      prompt: "Add --json: one object per group of duplicates, one per line.",
      tools: { Edit: 6, Read: 2, Bash: 2, Write: 1 },
      toolErrors: 1,
      files: expect.arrayContaining(["/home/dev/src/pebble.rs/src/output.rs"]),
    });
    expect(structured["compactions"]).toMatchObject([{ turn: 3, trigger: "auto", preTokens: 118_985 }]);
    expect(text).toContain("1. Add --json");
    const wishlist = await call("session_outline", { session: "Wishlist page" });
    expect(wishlist.structured["subagents"]).toMatchObject([{ turn: 1, agentId: "acbd78d0ae3238625" }]);
  });

  test("turns are read by number, also from the end, and by what is asked for", async () => {
    const { call } = await connectAgent({ demo: true });
    const last = await call("session_turns", { session: DEMO_LAST.slice(0, 6), from: -1 });
    expect(last.structured["parts"]).toMatchObject([
      { turn: 4, part: "4.1", kind: "notification" },
      { turn: 4, part: "4.2", kind: "answer" },
    ]);
    const thinking = await call("session_turns", { session: DEMO_LAST, what: ["thinking"] });
    expect(new Set(textsOf(listed([thinking], "parts"), "kind"))).toEqual(new Set(["thinking"]));
    const usual = await call("session_turns", { session: DEMO_LAST });
    expect(textsOf(listed([usual], "parts"), "kind")).not.toContain("thinking");
  });

  test("the turns of a sub-agent are read by its id", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured } = await call("session_turns", { session: WISHLIST, agent: "acbd78d0ae3238625" });
    expect(JSON.stringify(structured)).toContain("git ls-files");
    const unknown = await call("session_turns", { session: WISHLIST, agent: "nobody" });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("acbd78d0ae3238625") });
  });

  test("files are told with counts and turns", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured } = await call("files_touched", { session: DEMO_LAST });
    expect(structured["files"]).toMatchObject([
      { path: "/home/dev/src/pebble.rs/src/main.rs", reads: 1, edits: 2, writes: 0, turns: [1] },
      { path: "/home/dev/src/pebble.rs/Cargo.toml", reads: 1, edits: 1, turns: [1] },
      { path: "/home/dev/src/pebble.rs/src/output.rs", reads: 1, writes: 1, edits: 3, isNew: true, turns: [1, 2] },
    ]);
  });
});

describe("changes to files", () => {
  const MAIN = "/home/dev/src/pebble.rs/src/main.rs";

  test("of a session are told with their diff, and more of it for one file", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured, text } = await call("changed_files", { session: DEMO_LAST });
    expect(structured["files"]).toMatchObject([
      { path: "/home/dev/src/pebble.rs/src/output.rs", state: "added" },
      { path: "/home/dev/src/pebble.rs/Cargo.toml", added: 2, removed: 0 },
      { path: MAIN, state: "changed", added: 7, removed: 1, turns: [1] },
    ]);
    expect(text).toMatch(/main\.rs: changed, \+7 -1, turns 1\n@@ /);
    const one = await call("changed_files", { session: DEMO_LAST, path: "src/main.rs" });
    expect(textsOf(listed([one], "files"), "path")).toEqual([MAIN]);
  });

  test("are found by the path of the file or its end, latest session first", async () => {
    const { call } = await connectAgent({ demo: true });
    const whole = await call("changed_files", { path: MAIN });
    const end = await call("changed_files", { path: "src/main.rs" });
    expect(listed([whole], "sessions")[0]).toMatchObject({
      sessionId: DEMO_LAST,
      files: [{ path: MAIN, edits: 2, added: 7, removed: 1, turns: [1] }],
    });
    expect(end.structured).toEqual(whole.structured);
    expect((await call("changed_files", { path: MAIN, project: "lantern" })).text).toContain("no recorded session");
    expect((await call("changed_files", { path: "ain.rs" })).structured["sessions"]).toEqual([]);
  });

  test("that nobody made are none", async () => {
    const { call } = await connectAgent({ demo: true });
    expect(await call("changed_files", { path: "/nowhere/x.ts" })).toMatchObject({ isError: false });
  });
});

test("a brief tells where the work of a session stands, in as many tokens as asked for", async () => {
  const { call } = await connectAgent({ demo: true });
  const { text, structured } = await call("session_brief", { session: DEMO_LAST });
  const short = await call("session_brief", { session: DEMO_LAST, maxTokens: 400 });
  const part = await call("session_brief", { session: DEMO_LAST, from: 2, to: 2 });
  expect(text).toContain("# Hand-off: ");
  expect(textsOf(structured["sections"] as Record<string, unknown>[], "title")).toEqual(
    expect.arrayContaining(["Session", "Goal", "Files changed", "Commands"]),
  );
  expect(structured["tokens"]).toBeLessThanOrEqual(1500);
  expect(short.structured["tokens"]).toBeLessThanOrEqual(400);
  expect(part.text).toContain("turns 2 to 2 of 4");
});

describe("usage", () => {
  const statsJson = async (...args: readonly string[]) =>
    JSON.parse((await runCli(["stats", "--demo", "--json", "--timezone", "UTC", ...args])).stdout);

  test("is what turnlog stats tells, by day, latest first", async () => {
    const { call } = await connectAgent({ demo: true });
    const { structured, text } = await call("usage_stats", { timezone: "UTC" });
    const { totals, byDay } = await statsJson();
    expect(structured).toMatchObject({ totals, by: "day", timezone: "UTC", nextCursor: null });
    expect(structured["rows"]).toEqual(byDay.toReversed());
    expect(text).toContain(`${byDay[0].day}: `);
  });

  test.each([
    { by: "model", field: "byModel" },
    { by: "project", field: "byProject" },
    { by: "month", field: "byMonth" },
    { by: "branch", field: "byBranch" },
    { by: "tool", field: "tools" },
  ])("by $by has every row once, also page by page", async ({ by, field }) => {
    const { pages } = await connectAgent({ demo: true });
    const rows = listed(await pages("usage_stats", { by, timezone: "UTC", limit: 2 }), "rows");
    const expected = (await statsJson("--by", by))[field];
    expect(rows).toHaveLength(expected.length);
    expect(rows).toEqual(expect.arrayContaining(expected));
  });

  test("of one session, one project and one model", async () => {
    const { call } = await connectAgent({ demo: true });
    const ofSession = await call("usage_stats", { session: DEMO_LAST, by: "session" });
    expect(textsOf(listed([ofSession], "rows"), "id")).toEqual([DEMO_LAST]);
    const ofProject = await call("usage_stats", { project: "tide_pipeline", by: "project" });
    expect(textsOf(listed([ofProject], "rows"), "project")).toEqual(["/home/dev/data/tide_pipeline"]);
    expect((await call("usage_stats", { model: "no such model" })).text).toBe("no usage");
  });
});

describe("paged to the end", () => {
  test("the list has every recorded session once", async () => {
    const { pages } = await connectAgent(corpus);
    const replies = await pages("list_sessions", { limit: 7 });
    const ids = textsOf(listed(replies, "sessions"), "id");
    const expected = new Set(listSessions(corpusRoots).sessions.map(({ id }) => id));
    expect(ids).toHaveLength(expected.size);
    expect(new Set(ids)).toEqual(expected);
    expect(replies.length).toBe(Math.ceil(expected.size / 7));
  });

  test("a search has every hit once", async () => {
    const { call, pages } = await connectAgent({ demo: true });
    const all = listed([await call("search_sessions", { query: "the", limit: 50 })], "hits");
    const paged = listed(await pages("search_sessions", { query: "the", limit: 4 }), "hits");
    expect(paged.length).toBeGreaterThan(8);
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(new Set(paged.map((hit) => JSON.stringify(hit))).size).toBe(paged.length);
  });

  test("every recorded session has each turn and each tool call once", async () => {
    const { pages } = await connectAgent(corpus);
    const sessions = uniqueSessions();
    const told = await Promise.all(sessions.map(({ id }) => readWhole(id, pages)));
    expect(told).toEqual(sessions.map(({ path }) => describeWhole(path)));
    expect(told.length).toBeGreaterThan(80);
  });
});

/** Of copies the tools know the latest alone. */
function uniqueSessions(): readonly SessionSummary[] {
  const sessions = listSessions(corpusRoots).sessions.filter(({ sizeBytes }) => sizeBytes > 0);
  return sessions.filter(({ id }, at) => sessions.findIndex((other) => other.id === id) === at);
}

async function readWhole(session: string, pages: Agent["pages"]) {
  const what = ["prompts", "answers", "tools", "thinking"];
  const parts = listed(await pages("session_turns", { session, what, textLimit: 100 }), "parts");
  const turns = textsOf(listed(await pages("session_outline", { session }), "turns"), "turn");
  const calls = parts.filter(({ kind }) => kind === "call").length;
  return { turns, calls, repeated: parts.length - new Set(textsOf(parts, "part")).size };
}

function describeWhole(path: string) {
  const { turns, totals } = loadSession(path).outline;
  return { turns: turns.map(({ index }) => index), calls: totals.toolCalls, repeated: 0 };
}

describe("what cannot be answered is a tool error with a hint", () => {
  test.each([
    { tool: "search_sessions", args: {}, says: "pass a query" },
    { tool: "search_sessions", args: { query: 3 }, says: "query" },
    { tool: "search_sessions", args: { query: "x", places: ["nowhere"] }, says: "prompts" },
    { tool: "search_sessions", args: { query: "x", limit: 0 }, says: "limit" },
    { tool: "search_sessions", args: { query: "x", cursor: "page two" }, says: "nextCursor" },
    { tool: "search_sessions", args: { query: "x", since: "someday" }, says: "yesterday" },
    { tool: "list_sessions", args: { surprise: true }, says: "valid arguments: project" },
    { tool: "list_sessions", args: { cursor: "page two" }, says: "nextCursor" },
    { tool: "session_outline", args: {}, says: "session" },
    { tool: "session_outline", args: { session: "wishlist" }, says: WISHLIST },
    { tool: "session_outline", args: { session: "09fa9999" }, says: DEMO_LAST },
    { tool: "session_outline", args: { session: "zzz" }, says: "use a session id" },
    { tool: "session_turns", args: { session: "last", from: 9 }, says: "the session has 4 turns" },
    { tool: "session_turns", args: { session: "last", part: "x" }, says: "part" },
    { tool: "files_touched", args: { session: "last", cursor: "1.2" }, says: "nextCursor" },
    { tool: "blame", args: { file: "src/cart.ts" }, says: "whole path" },
    { tool: "blame", args: { file: "/proc/self/environ" }, says: "no recorded session changed" },
    { tool: "changed_files", args: {}, says: "name a session or a path" },
    { tool: "changed_files", args: { path: "x", cursor: "1.2" }, says: "nextCursor" },
    { tool: "session_brief", args: { session: "last", from: 3, to: 2 }, says: "to must not be less" },
    { tool: "session_brief", args: { session: "last", from: 9 }, says: "the session has no turn 9" },
    { tool: "usage_stats", args: { by: "mood" }, says: "by" },
    { tool: "usage_stats", args: { timezone: "Mars/Olympus" }, says: "Mars/Olympus" },
    { tool: "usage_stats", args: { cursor: "x" }, says: "nextCursor" },
    { tool: "rm_sessions", args: {}, says: "search_sessions" },
  ])("$tool $args", async ({ tool, args, says }) => {
    const { call } = await connectAgent({ demo: true });
    const { isError, text } = await call(tool, args);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(says) });
    expect(await call("list_sessions")).toMatchObject({ isError: false });
  });

  test.each(["/etc/passwd", "../x.jsonl", "~/x", "C:\\x", "package.json/..", "session.jsonl"])(
    "a path is no name of a session: %s",
    async (session) => {
      const { call } = await connectAgent({ demo: true });
      const { isError, text } = await call("session_turns", { session });
      expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining("list_sessions") });
    },
  );

  test("a file beside the server is not read by its name", async () => {
    const { call } = await connectAgent({ demo: true });
    const { isError, text } = await call("session_turns", { session: "package.json" });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining("no session is called") });
  });
});
