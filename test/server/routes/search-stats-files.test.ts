import { expect, test } from "vitest";
import type { DiffAnswer, FilesAnswer } from "../../../src/server/api/files.js";
import type { SessionsAnswer } from "../../../src/server/api/list.js";
import type { SearchAnswerGroups } from "../../../src/server/api/search.js";
import type { StatsAnswer } from "../../../src/server/api/stats.js";
import { parseTypedSearch, withPrefix } from "../../../src/server/routes/search.js";
import { dividePeriods } from "../../../src/server/views/stats.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const IDS = ["7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e40", "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e41"];

function twoSessions() {
  const one = writeLines([prompt("look at the harbour"), answer("the harbour is full, 港口已满")]);
  const two = writeLines([prompt("paint the fence"), answer("no harbour here")]);
  const configDir = temporaryFolder({
    [`projects/-home-dev-shop/${IDS[0]}.jsonl`]: `${one.join("\n")}\n`,
    [`projects/-home-dev-site/${IDS[1]}.jsonl`]: `${two.join("\n")}\n`,
  });
  return { configDir };
}

test("hits are grouped by session, with the prompt above and the words marked", async () => {
  const { json } = await serveApp(twoSessions());
  const { groups, truncated } = await json<SearchAnswerGroups>("/api/search?q=harbour");
  const first = groups.find(({ sessionId }) => sessionId === IDS[0]);
  const hit = first?.hits.find(({ kind }) => kind === "answer");
  expect(groups.map(({ sessionId }) => sessionId).toSorted()).toEqual(IDS);
  expect(hit).toMatchObject({
    turn: 1,
    prompt: "look at the harbour",
    snippet: "the harbour is full, 港口已满",
    marks: [[4, 11]],
  });
  expect(truncated).toBe(false);
});

test("in the search box the last word need only begin so, while somebody types and after", async () => {
  const { json } = await serveApp(twoSessions());
  const typing = await json<SearchAnswerGroups>("/api/search?q=harb&prefix=1&typing=1");
  const ended = await json<SearchAnswerGroups>("/api/search?q=harb&prefix=1");
  const word = await json<SearchAnswerGroups>("/api/search?q=harb");
  expect([typing, ended, word].map(({ totalSessions }) => totalSessions)).toEqual([2, 2, 0]);
});

test.each([
  { typed: "harb*", args: ["harb*"] },
  { typed: '"the harbour"', args: ['"the harbour"'] },
  { typed: "harbou?r\\b mode:regex", args: ["harbou?r\\b", "--regex"] },
  { typed: "harbour case:yes", args: ["harbour", "--case"] },
  { typed: "港口", args: ["港口"] },
])("the box finds for $typed what `turnlog search` finds", async ({ typed, args }) => {
  const { configDir } = twoSessions();
  const { json, data } = await serveApp({ configDir });
  const found = await json<SearchAnswerGroups>(`/api/search?${new URLSearchParams({ q: typed, typing: "1" })}`);
  const env = { CLAUDE_CONFIG_DIR: configDir, TURNLOG_DATA_DIR: data };
  const { stdout } = await runCli(["search", ...args, "--json"], env);
  const printed = JSON.parse(stdout) as { totalHits: number; sessions: { sessionId: string }[] };
  expect([found.totalHits, found.groups.map(({ sessionId }) => sessionId)]).toEqual([
    printed.totalHits,
    printed.sessions.map(({ sessionId }) => sessionId),
  ]);
});

test("filters can be typed, and come back as chips", async () => {
  const { json } = await serveApp(twoSessions());
  const found = await json<SearchAnswerGroups>(
    `/api/search?q=${encodeURIComponent(`harbour in:prompts session:${IDS[0]}`)}`,
  );
  expect(found).toMatchObject({
    text: "harbour",
    typed: [
      { name: "in", value: "prompts" },
      { name: "session", value: IDS[0] },
    ],
  });
  expect(found.groups.map(({ sessionId, hits }) => [sessionId, hits.map(({ kind }) => kind)])).toEqual([
    [IDS[0], ["prompt"]],
  ]);
});

test("a time that is still being typed narrows nothing; one that is none is refused", async () => {
  const { get, json } = await serveApp({ demo: true });
  const all = await json<SearchAnswerGroups>("/api/search?typing=1&q=cart");
  const typing = await json<SearchAnswerGroups>("/api/search?typing=1&q=cart%20after:2026-0");
  const refused = await get("/api/search?q=cart%20after:2026-0");
  expect(typing.groups).toEqual(all.groups);
  expect(refused.status).toBe(400);
});

test("a hit limit says that there is more", async () => {
  const { json } = await serveApp(twoSessions());
  const { groups, truncated } = await json<SearchAnswerGroups>("/api/search?q=harbour&limit=1");
  expect([groups.length, truncated]).toEqual([1, true]);
});

test("nothing is found for an empty box", async () => {
  const { json } = await serveApp(twoSessions());
  expect((await json<SearchAnswerGroups>("/api/search?q=")).groups).toEqual([]);
});

test.each([
  ["fix project:acme tool:Bash is:error after:7d", "fix", { project: "acme", tool: "Bash", errors: true, since: "7d" }],
  ['tag:a tag:"b c" words here', "words here", { tag: ["a", "b c"] }],
  ["http://host:80 is:blue std::vec note:", "http://host:80 is:blue std::vec note:", {}],
  [
    "branch:main before:2026-01-01 model:opus is:favourite source:laptop",
    "",
    { gitBranch: "main", until: "2026-01-01", model: "opus", favourites: true, source: "laptop" },
  ],
])("%j is understood", (box, text, options) => {
  expect(parseTypedSearch(box)).toMatchObject({ text, options });
});

test.each([
  ["harb", "harb*"],
  ["the harb", "the harb*"],
  ["harbour ", "harbour "],
  ['"the harb', '"the harb*'],
  ["a", "a"],
  ["x OR", "x OR"],
  ["foo*", "foo*"],
])("%j while typing is %j", (box, query) => {
  expect(withPrefix(box)).toBe(query);
});

test("statistics add up, by day and model, with blocks, sessions and the dearest turns", async () => {
  const { json } = await serveApp({ demo: true });
  const stats = await json<StatsAnswer>("/api/stats?timezone=UTC");
  const { sessions } = await json<SessionsAnswer>("/api/sessions");
  const sum = (costs: readonly { readonly knownCostUsd: number }[]) =>
    costs.reduce((total, { knownCostUsd }) => total + knownCostUsd, 0);
  expect(stats.totals.sessions).toBe(sessions.length);
  expect(sum(stats.byPeriodAndModel)).toBeCloseTo(stats.totals.knownCostUsd, 6);
  expect(stats.cacheHitRate).toBeGreaterThan(0);
  expect(stats.blocks.length).toBeGreaterThan(0);
  expect(stats.dearestTurns.map(({ costUsd }) => costUsd)).toEqual(
    stats.dearestTurns.map(({ costUsd }) => costUsd).toSorted((a, b) => b - a),
  );
  expect(JSON.stringify(stats)).not.toContain(".jsonl");
});

test.each([
  ["2026-10-30", "2026-11-02", "day", 4, { first: "2026-11-01", end: "2026-11-02" }],
  ["2025-12-31", "2026-11-02", "week", 45, { first: "2026-10-19", end: "2026-10-26" }],
  ["2023-12-31", "2026-11-02", "month", 36, { first: "2026-09-01", end: "2026-10-01" }],
])("from %s to %s is told by the %s", (from, to, unit, count, period) => {
  const { list, startOf } = dividePeriods(from, to);
  expect(list).toHaveLength(count);
  expect(list.at(-1)).toMatchObject({ end: "2026-11-03" });
  expect(list).toContainEqual({ unit, ...period });
  expect(startOf(period.first)).toBe(period.first);
});

test("the dearest turn is as dear as its outline says", async () => {
  const { json } = await serveApp({ demo: true });
  const { dearestTurns } = await json<StatsAnswer>("/api/stats");
  const [dearest] = dearestTurns;
  const { turns } = await json<{ turns: { index: number; costUsd: number }[] }>(`/api/sessions/${dearest?.sessionId}`);
  expect(turns.find(({ index }) => index === dearest?.turn)?.costUsd).toBeCloseTo(dearest?.costUsd ?? -1, 6);
});

test("statistics of one session, or of none", async () => {
  const { json, get } = await serveApp({ demo: true });
  const [session] = (await json<SessionsAnswer>("/api/sessions")).sessions;
  const stats = await json<StatsAnswer>(`/api/stats?session=${session?.id}`);
  const nothing = await json<StatsAnswer>("/api/stats?project=no-such-project");
  expect(stats.bySession.map(({ id }) => id)).toEqual([session?.id]);
  expect(nothing).toMatchObject({ cacheHitRate: null, dearestTurns: [], totals: { messages: 0 } });
  expect((await get("/api/stats?timezone=Nowhere/Land")).status).toBe(400);
  expect((await get("/api/stats?session=nobody")).status).toBe(404);
});

test("files of a session and one diff of all changes", async () => {
  const { json } = await serveApp({ demo: true });
  const { sessions } = await json<SessionsAnswer>("/api/sessions?tool=Edit&limit=1");
  const files = await json<FilesAnswer>(`/api/files?session=${sessions[0]?.id}`);
  const { diff } = await json<DiffAnswer>(`/api/files/diff?session=${sessions[0]?.id}`);
  expect(files.files.some(({ edits }) => edits > 0)).toBe(true);
  expect(diff).toMatch(/^diff --git /);
});

test.each(["/api/files", "/api/files/diff"])("%s wants a session", async (path) => {
  const { get } = await serveApp({ demo: true });
  expect([(await get(path)).status, (await get(`${path}?session=nobody`)).status]).toEqual([400, 404]);
});
