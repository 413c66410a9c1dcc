import { appendFileSync, cpSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FacetsAnswer, SessionsAnswer } from "../../../src/server/api/list.js";
import type {
  ContextAnswer,
  OpeningAnswer,
  RawAnswer,
  SessionAnswer,
  TurnsAnswer,
} from "../../../src/server/api/session.js";
import type { ApiFailure, StartAnswer } from "../../../src/server/api/start.js";
import {
  answer,
  compaction,
  continuing,
  inSidechain,
  prompt,
  resultFor,
  toolUses,
  writeLines,
} from "../../builders/session-builder.js";
import { PLANTED_ID, plantLibrary, SHOWN_PLACES, tokenOf } from "../../cli/planted-library.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveProcess, register } from "../../library/running/live-process.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";

function library(...sessions: readonly (readonly string[])[]): { configDir: string; paths: string[] } {
  const names = sessions.map((_, at) => `projects/-home-dev-shop/${ID.slice(0, -1)}${at}.jsonl`);
  const files = Object.fromEntries(sessions.map((lines, at) => [names[at] ?? "", `${lines.join("\n")}\n`]));
  const configDir = temporaryFolder(files);
  return { configDir, paths: names.map((name) => join(configDir, name)) };
}

const idOf = (at: number) => `${ID.slice(0, -1)}${at}`;
const story = () =>
  writeLines([
    prompt("first prompt"),
    toolUses("a", "b"),
    resultFor("a"),
    resultFor("b", "no such file", true),
    answer("first answer"),
    prompt("second prompt"),
    answer("second answer"),
  ]);

test("start tells the page what it needs to begin", async () => {
  const { json, library: served } = await serveApp({ demo: true });
  const start = await json<StartAnswer>("/api/start");
  expect(start).toMatchObject({ isDemo: true, roots: served.roots, exportFormats: expect.arrayContaining(["jsonl"]) });
  expect(start.index.state).toBe("ready");
});

test("the list is paged, sorted and filtered", async () => {
  const { json } = await serveApp({ demo: true });
  const all = await json<SessionsAnswer>("/api/sessions");
  const second = await json<SessionsAnswer>("/api/sessions?offset=1&limit=1");
  const byTurns = await json<SessionsAnswer>("/api/sessions?sort=turns");
  const failed = await json<SessionsAnswer>("/api/sessions?errors=1&project=lantern");
  expect(all.total).toBe(all.sessions.length);
  expect(all.sessions.map(({ endedAt }) => endedAt)).toEqual(
    all.sessions
      .map(({ endedAt }) => endedAt)
      .toSorted()
      .reverse(),
  );
  expect(second).toMatchObject({ total: all.total, offset: 1, sessions: [all.sessions[1]] });
  expect(byTurns.sessions.map(({ turns }) => turns)).toEqual(
    all.sessions.map(({ turns }) => turns).sort((a, b) => b - a),
  );
  expect(
    failed.sessions.every(
      ({ project, toolErrors, apiErrors }) => /lantern/.test(project ?? "") && toolErrors + apiErrors > 0,
    ),
  ).toBe(true);
  expect(failed.total).toBeLessThan(all.total);
});

test("a session that a process of Claude Code works on is live, however long nothing was written", async () => {
  const { configDir } = library(story(), story());
  register(configDir, liveProcess(), { sessionId: idOf(1), status: "waiting" });
  const { json } = await serveApp({ configDir });
  const { sessions } = await json<SessionsAnswer>("/api/sessions");
  expect(sessions.filter(({ live }) => live).map(({ id }) => id)).toEqual([idOf(1)]);
});

test("the page of a session names what it asks for first: outline and turns in one answer", async () => {
  const { configDir } = library(story());
  const { get, json } = await serveApp({ configDir }, { web: temporaryFolder({ "index.html": "<p>page" }) });
  const link = (await get(`/s/${idOf(0)}/t/2`)).headers.get("link") ?? "";
  const path = /^<([^>]+)>; rel=preload/.exec(link)?.[1] ?? "";
  const opening = await json<OpeningAnswer>(path);
  expect(path).toBe(`/api/sessions/${idOf(0)}/opening?turn=2`);
  expect(opening.session).toEqual(await json<SessionAnswer>(`/api/sessions/${idOf(0)}`));
  expect(opening.turns).toEqual(await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?from=2`));
  expect((await get("/insights")).headers.has("link")).toBe(false);
});

test("an opening begins with the last turns of a running session, and never beyond the last", async () => {
  const now = `"timestamp":"${new Date().toISOString()}"`;
  const running = writeLines(["1", "2", "3", "4", "5", "6"].flatMap((number) => [prompt(number), answer("done")]));
  const { configDir } = library(
    story(),
    running.map((line) => line.replace(/"timestamp":"[^"]+"/, now)),
  );
  const { json } = await serveApp({ configDir });
  const atTheEnd = await json<OpeningAnswer>(`/api/sessions/${idOf(1)}/opening`);
  const beyond = await json<OpeningAnswer>(`/api/sessions/${idOf(0)}/opening?turn=99`);
  expect(atTheEnd.session.live).toBe(true);
  expect(atTheEnd.turns).toMatchObject({ from: 3, to: 6 });
  expect(beyond.turns).toMatchObject({ from: 2, to: 2 });
});

test("an opening has no more turns than fill a screen, and all that a running session ends with", async () => {
  const long = writeLines(["1", "2", "3", "4"].flatMap((number) => [prompt(number), answer("word ".repeat(3000))]));
  const now = `"timestamp":"${new Date().toISOString()}"`;
  const { configDir } = library(
    long,
    long.map((line) => line.replace(/"timestamp":"[^"]+"/, now)),
  );
  const { json } = await serveApp({ configDir });
  const [ended, running] = await Promise.all(
    [0, 1].map((at) => json<OpeningAnswer>(`/api/sessions/${idOf(at)}/opening`)),
  );
  expect(ended?.turns).toMatchObject({ from: 1, to: 2 });
  expect(running?.turns).toMatchObject({ from: 1, to: 4 });
});

test("words choose sessions by title and project", async () => {
  const { configDir } = library(story(), writeLines([prompt("Another thing"), answer("fine")]));
  const { json } = await serveApp({ configDir });
  const found = await json<SessionsAnswer>("/api/sessions?q=another");
  expect(found.sessions.map(({ id }) => id)).toEqual([idOf(1)]);
  expect(found).toMatchObject({ total: 1, found: 2 });
});

test("facets count what filters may choose among", async () => {
  const { json } = await serveApp({ demo: true });
  const { sessions } = await json<SessionsAnswer>("/api/sessions");
  const { projects, models, tools } = await json<FacetsAnswer>("/api/facets");
  expect(projects.reduce((sum, facet) => sum + facet.sessions, 0)).toBe(sessions.length);
  expect(models.length).toBeGreaterThan(0);
  expect(tools.map(({ name }) => name)).toContain("Bash");
});

test.each([
  ["/api/sessions?limit=0", "limit"],
  ["/api/sessions?offset=-1", "offset"],
  ["/api/sessions?sort=colour", "sort"],
  ["/api/sessions?errors=perhaps", "errors"],
  ["/api/sessions?since=someday", "not a time"],
])("%s is refused with a hint", async (path, word) => {
  const { get } = await serveApp({ demo: true });
  const response = await get(path);
  const { error } = (await response.json()) as ApiFailure;
  expect(response.status).toBe(400);
  expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(word), hint: expect.any(String) });
});

test("a session is outlined turn by turn", async () => {
  const { configDir } = library(story());
  const { json } = await serveApp({ configDir });
  const outline = await json<SessionAnswer>(`/api/sessions/${idOf(0)}`);
  expect(outline.turns.map(({ index, prompt: words, complete }) => ({ index, words, complete }))).toEqual([
    { index: 1, words: "first prompt", complete: true },
    { index: 2, words: "second prompt", complete: true },
  ]);
  expect(outline.turns[0]?.calls.map(({ id, status }) => `${id} ${status}`)).toEqual(["a ok", "b error"]);
  expect(outline).toMatchObject({ live: false, header: { id: idOf(0) }, totals: { turns: 2, toolErrors: 1 } });
  expect(outline.turns[1]?.usage.output).toBe(20);
});

test("an outline can begin at a later turn", async () => {
  const { configDir } = library(story());
  const { json } = await serveApp({ configDir });
  const { turns } = await json<SessionAnswer>(`/api/sessions/${idOf(0)}?from=2`);
  expect(turns.map(({ index }) => index)).toEqual([2]);
});

test("rewound branches are listed with what they share, and can be outlined", async () => {
  const lines = writeLines([
    prompt("one"),
    answer("1"),
    prompt("two"),
    answer("2"),
    continuing("u2", prompt("two, but better")),
    answer("2b"),
  ]);
  const { configDir } = library(lines);
  const { json } = await serveApp({ configDir });
  const { branches, turns } = await json<SessionAnswer>(`/api/sessions/${idOf(0)}`);
  const [dead] = branches.dead;
  const other = await json<SessionAnswer>(`/api/sessions/${idOf(0)}?branch=${dead?.leaf}`);
  const shown = await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?branch=${dead?.leaf}`);
  const context = await json<ContextAnswer>(`/api/sessions/${idOf(0)}/context?branch=u2`);
  expect(turns.map((turn) => turn.prompt)).toEqual(["one", "two, but better"]);
  expect(dead).toMatchObject({ leaf: "u4", sharedTurns: 1 });
  expect(other.turns.map((turn) => turn.prompt)).toEqual(["one", "two"]);
  expect(other.turns.map(({ lastUuid }) => lastUuid)).toEqual(["u2", "u4"]);
  expect(context.points.map(({ turn }) => turn)).toEqual([1]);
  expect(shown.turns.map(({ turn }) => turn.prompt)).toEqual(["one", "two"]);
});

test("turns come as items, with the view of each tool call", async () => {
  const { configDir } = library(story());
  const { json } = await serveApp({ configDir });
  const { turns, total, from, to } = await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?from=1&to=1`);
  expect({ total, from, to }).toEqual({ total: 2, from: 1, to: 1 });
  expect(turns[0]?.turn).toMatchObject({ index: 1, prompt: "first prompt", models: ["claude-sonnet-4-5"] });
  expect(turns[0]?.items.map(({ kind }) => kind)).toEqual(["call", "call", "text"]);
  expect(turns[0]?.items[0]).toMatchObject({ call: { id: "a", status: "ok" }, view: { title: "a" } });
});

test("the last turns can be asked for without their numbers", async () => {
  const { configDir } = library(story());
  const { json } = await serveApp({ configDir });
  expect(await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?last=1`)).toMatchObject({ from: 2, to: 2, total: 2 });
});

test("long texts are shortened unless whole turns are asked for", async () => {
  const { configDir } = library(writeLines([prompt("go"), answer("long ".repeat(40_000))]));
  const { json } = await serveApp({ configDir });
  const [short] = (await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns`)).turns;
  const [whole] = (await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?whole=1`)).turns;
  expect(short).toMatchObject({ isCut: true });
  expect(whole).toMatchObject({ isCut: false, items: [{ text: "long ".repeat(40_000) }] });
});

test("an answer ends before it is too large, and says where", async () => {
  const drafts = Array.from({ length: 60 }, () => [
    prompt("go"),
    ...Array.from({ length: 4 }, () => answer("x".repeat(60_000))),
  ]);
  const { configDir } = library(writeLines(drafts.flat()));
  const { json } = await serveApp({ configDir });
  const { to, turns, total } = await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/turns?to=60`);
  expect(total).toBe(60);
  expect(to).toBeLessThan(60);
  expect(turns).toHaveLength(to);
});

test.each(["/turns?from=3", "/turns?branch=nowhere", "/subagents/nobody/turns", "/raw?line=99"])(
  "%s of a session that has none is not found",
  async (path) => {
    const { configDir } = library(story());
    const { get } = await serveApp({ configDir });
    const response = await get(`/api/sessions/${idOf(0)}${path}`);
    expect(response.status).toBe(404);
  },
);

test.each(["unknown", "..%2f..%2fetc%2fpasswd", "%2e%2e", "projects%2f-home-dev-shop", "a\u0000b", "%00"])(
  "a session is found by its id alone, not as %j",
  async (name) => {
    const { configDir } = library(story());
    const { get } = await serveApp({ configDir });
    const response = await get(`/api/sessions/${name}`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toMatch(/json/);
  },
);

test("the raw record of a line is shown, also of one beside the conversation", async () => {
  const lines = [...story(), '{"type":"summary","summary":"told","leafUuid":"u1"}', "{broken"];
  const { configDir } = library(lines);
  const { json } = await serveApp({ configDir });
  const side = await json<RawAnswer>(`/api/sessions/${idOf(0)}/raw?line=${lines.length - 1}`);
  const broken = await json<RawAnswer>(`/api/sessions/${idOf(0)}/raw?line=${lines.length}`);
  const named = await json<RawAnswer>(`/api/sessions/${idOf(0)}/raw?uuid=u1`);
  expect(named).toMatchObject({ line: 1, records: [{ raw: { uuid: "u1" } }] });
  expect(side.records).toMatchObject([{ raw: { summary: "told" } }]);
  expect(broken.records).toEqual([{ kind: "broken", raw: "{broken" }]);
  expect([named.isLast, side.isLast, broken.isLast]).toEqual([false, false, true]);
});

test("a blank line among others holds no record, and is no error", async () => {
  const { configDir } = library([...story(), "", '{"type":"summary","summary":"told","leafUuid":"u1"}']);
  const { json } = await serveApp({ configDir });
  const blank = await json<RawAnswer>(`/api/sessions/${idOf(0)}/raw?line=${story().length + 1}`);
  expect(blank).toMatchObject({ records: [], isLast: false });
});

test("context tells what filled the window, and begins anew at a compaction", async () => {
  const { configDir } = library([
    ...writeLines([
      prompt("go"),
      toolUses("a"),
      resultFor("a", "x".repeat(4000)),
      answer("done"),
      compaction(),
      prompt("on"),
      answer("fine"),
    ]),
  ]);
  const { json } = await serveApp({ configDir });
  const { points } = await json<ContextAnswer>(`/api/sessions/${idOf(0)}/context`);
  expect(points.map(({ turn, recordedTokens }) => [turn, recordedTokens])).toEqual([
    [1, 23],
    [2, 23],
  ]);
  expect(Object.keys(points[0]?.toolResults ?? {})).toEqual(["Bash"]);
});

test("nothing that is shown holds a secret until it is revealed by a POST with the token", async () => {
  const { root } = plantLibrary();
  const { get, post } = await serveApp({ configDir: root });
  const paths = ["/api/sessions", `/api/sessions/${PLANTED_ID}`, `/api/sessions/${PLANTED_ID}/turns`];
  const raws = [1, 2, 3, 4, 5, 6].map((line) => `/api/sessions/${PLANTED_ID}/raw?line=${line}`);
  const agent = `/api/sessions/${PLANTED_ID}/subagents/a1b2c3d/turns`;
  const others = ["/api/search?q=deploy", `/api/files?session=${PLANTED_ID}`, "/api/stats"];
  const texts = await Promise.all([...paths, ...raws, agent, ...others].map(async (path) => (await get(path)).text()));
  const revealed = await (await post(`/api/sessions/${PLANTED_ID}/reveal`, { from: 1, to: 1 })).text();
  const raw = await (await post(`/api/sessions/${PLANTED_ID}/reveal`, { line: 2 })).text();
  expect(texts.join("\n")).not.toMatch(/ghp_[0-9a-f]{10}/);
  expect(texts.join("\n")).toContain("Deploy with");
  expect(SHOWN_PLACES.slice(1).filter((place) => !revealed.includes(tokenOf(place)))).toEqual(["tool output"]);
  expect(raw).toContain(tokenOf("prompt"));
});

test("a sub-agent's turns are those of its own file", async () => {
  const { root } = plantLibrary();
  const { json } = await serveApp({ configDir: root });
  const { subagents } = await json<SessionAnswer>(`/api/sessions/${PLANTED_ID}`);
  const { turns } = await json<TurnsAnswer>(`/api/sessions/${PLANTED_ID}/subagents/a1b2c3d/turns`);
  expect(subagents.map(({ agentId }) => agentId)).toEqual(["a1b2c3d"]);
  expect(turns).toHaveLength(1);
});

test("sub-agents whose records stand in the session file have turns too", async () => {
  const lines = writeLines([
    prompt("go"),
    inSidechain("a1", prompt("look around")),
    inSidechain("a1", answer("nothing there")),
    answer("done"),
  ]);
  const { configDir } = library(lines);
  const { json } = await serveApp({ configDir });
  const { subagents } = await json<SessionAnswer>(`/api/sessions/${idOf(0)}`);
  const { turns } = await json<TurnsAnswer>(`/api/sessions/${idOf(0)}/subagents/a1/turns`);
  expect(subagents.map(({ agentId }) => agentId)).toEqual(["a1"]);
  expect(turns.map(({ turn }) => turn.prompt)).toEqual(["look around"]);
});

test("what is appended is there with the next request, and has a new version", async () => {
  const all = writeLines([prompt("one"), answer("1"), prompt("two"), answer("2")]);
  const { configDir, paths } = library(all.slice(0, 2));
  const { json } = await serveApp({ configDir });
  const before = await json<SessionAnswer>(`/api/sessions/${idOf(0)}`);
  appendFileSync(paths[0] ?? "", `${all.slice(2).join("\n")}\n`);
  const after = await json<SessionAnswer>(`/api/sessions/${idOf(0)}`);
  expect(before.turns.map((turn) => turn.prompt)).toEqual(["one"]);
  expect(after.turns.map((turn) => turn.prompt)).toEqual(["one", "two"]);
  expect(after.version).toBeGreaterThan(before.version);
});

test("a last line without its newline is read where nobody writes any more, and again when it goes on", async () => {
  const [first = "", ...rest] = story();
  const configDir = temporaryFolder({ [`projects/p/${ID}.jsonl`]: [first, ...rest].join("\n") });
  const path = join(configDir, `projects/p/${ID}.jsonl`);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const { json } = await serveApp({ configDir });
  const whole = await json<TurnsAnswer>(`/api/sessions/${ID}/turns`);
  appendFileSync(path, "\n");
  const ended = await json<SessionAnswer>(`/api/sessions/${ID}`);
  expect(whole.turns[1]?.items).toMatchObject([{ kind: "text", text: "second answer" }]);
  expect(ended.totals.records).toBe(8);
});

test("a file that vanished is told as such", async () => {
  const { configDir, paths } = library(story());
  const { get } = await serveApp({ configDir });
  rmSync(paths[0] ?? "");
  const response = await get(`/api/sessions/${idOf(0)}/turns`);
  expect(response.status).toBe(404);
});

test("a session that is newer than the index is found", async () => {
  const { configDir, paths } = library(story());
  const { json } = await serveApp({ configDir });
  cpSync(paths[0] ?? "", (paths[0] ?? "").replace(idOf(0), idOf(5)));
  expect((await json<SessionAnswer>(`/api/sessions/${idOf(5)}`)).header.id).toBe(idOf(5));
});

test("an answer that the page has already is not sent again, and long ones are compressed", async () => {
  const { get } = await serveApp({ demo: true });
  const [gzip, path] = [
    { "accept-encoding": "gzip" },
    "/api/sessions/09fa6185-1780-40a3-b65b-58a2afceee1d/turns?whole=1",
  ];
  const [short, first] = [await get("/api/start", gzip), await get(path, gzip)];
  const again = await get(path, { "if-none-match": first.headers.get("etag") ?? "" });
  expect(short.headers.get("content-encoding")).toBeNull();
  expect(first.headers.get("content-encoding")).toBe("gzip");
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  expect(again.status).toBe(304);
});
