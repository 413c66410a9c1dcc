import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { SessionsAnswer } from "../../../src/server/api/list.js";
import type { SessionAnswer, TurnsAnswer } from "../../../src/server/api/session.js";
import { answer, inSidechain, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { readEvents } from "../event-reader.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const LINES = writeLines([prompt("one"), answer("1"), prompt("two"), answer("2")]);

function growingLibrary() {
  const configDir = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${LINES.slice(0, 2).join("\n")}\n` });
  return { configDir, path: join(configDir, `projects/-home-dev-shop/${ID}.jsonl`) };
}

test("a session that grows is told, and its turns are there to be asked for", async () => {
  const { configDir, path } = growingLibrary();
  const { get, json } = await serveApp({ configDir });
  const events = readEvents(await get("/api/events"));
  const first = await events.next(() => true);
  appendFileSync(path, `${LINES.slice(2).join("\n")}\n`);
  const told = await events.next(({ kind }) => kind === "sessions");
  const { turns } = await json<TurnsAnswer>(`/api/sessions/${ID}/turns?from=2`);
  expect(first).toMatchObject({ kind: "index", index: { state: "ready" } });
  expect(told).toEqual({ kind: "sessions", changes: [{ id: ID, agentId: null, change: "appended" }] });
  expect(turns.map(({ turn }) => turn.prompt)).toEqual(["two"]);
});

test("once the index has followed, the list has what is new", async () => {
  const { configDir, path } = growingLibrary();
  const { get, json } = await serveApp({ configDir });
  const events = readEvents(await get("/api/events"));
  await events.next(() => true);
  appendFileSync(path, `${LINES.slice(2).join("\n")}\n`);
  await events.next(({ kind }) => kind === "sessions");
  await events.next((event) => event.kind === "index" && event.index.state === "ready");
  const [session] = (await json<SessionsAnswer>("/api/sessions")).sessions;
  expect(session).toMatchObject({ turns: 2, live: true });
});

test("sub-agents, new sessions and those that are gone are told", async () => {
  const { configDir, path } = growingLibrary();
  const { get } = await serveApp({ configDir });
  const events = readEvents(await get("/api/events"));
  const isAbout = (id: string, change: string, agentId: string | null) => (event: object) =>
    "changes" in event && JSON.stringify(event.changes).includes(JSON.stringify({ id, agentId, change }));
  const agent = join(dirname(path), ID, "subagents", "agent-a1.jsonl");
  mkdirSync(dirname(agent), { recursive: true });
  writeFileSync(agent, `${writeLines([inSidechain("a1", prompt("look"))]).join("\n")}\n`);
  await events.next(isAbout(ID, "created", "a1"));
  const other = ID.replace("7c", "8c");
  writeFileSync(path.replace(ID, other), `${LINES.join("\n")}\n`);
  await events.next(isAbout(other, "created", null));
  rmSync(path);
  expect(await events.next(isAbout(ID, "gone", null))).toMatchObject({ kind: "sessions" });
});

test("a sub-agent that begins or goes on is seen although its session rests", async () => {
  const { configDir, path } = growingLibrary();
  const { get, json } = await serveApp({ configDir });
  const events = readEvents(await get("/api/events"));
  const agents = async () => (await json<SessionAnswer>(`/api/sessions/${ID}`)).subagents;
  expect(await agents()).toEqual([]);
  const agent = join(dirname(path), ID, "subagents", "agent-a1.jsonl");
  const [begun = "", gone = ""] = writeLines([inSidechain("a1", prompt("look")), inSidechain("a1", answer("seen"))]);
  const isTold = (change: string) => (event: object) =>
    JSON.stringify(event).includes(`"agentId":"a1","change":"${change}"`);
  mkdirSync(dirname(agent), { recursive: true });
  writeFileSync(agent, `${begun}\n`);
  await events.next(isTold("created"));
  const [first] = await agents();
  appendFileSync(agent, `${gone}\n`);
  await events.next(isTold("appended"));
  const [second] = await agents();
  expect([first?.totals.messages, second?.totals.messages]).toEqual([0, 1]);
});

test("marks and the trash are told to every page", async () => {
  const { configDir } = growingLibrary();
  const { get, post } = await serveApp({ configDir });
  const [one, two] = [readEvents(await get("/api/events")), readEvents(await get("/api/events"))];
  await post(`/api/sessions/${ID}/marks`, { favourite: true });
  await post("/api/trash", { ids: [ID], force: true });
  expect(await one.next(({ kind }) => kind === "marks")).toEqual({ kind: "marks", ids: [ID] });
  expect(await two.next(({ kind }) => kind === "trash")).toEqual({ kind: "trash" });
});

test("events are no compressed answer, and not kept", async () => {
  const { get } = await serveApp(growingLibrary());
  const { headers } = await get("/api/events", { "accept-encoding": "gzip" });
  expect(headers.get("content-type")).toBe("text/event-stream");
  expect([headers.get("content-encoding"), headers.get("cache-control")]).toEqual([null, "no-store"]);
});

test("not more pages may listen than a person has, and one that leaves makes room", async () => {
  const { get } = await serveApp(growingLibrary());
  const pages = await Promise.all(Array.from({ length: 32 }, () => get("/api/events")));
  const refused = await get("/api/events");
  await pages[0]?.body?.cancel();
  const allowed = await get("/api/events");
  expect([refused.status, allowed.status]).toEqual([429, 200]);
});

test("the streams end when the server closes", async () => {
  const { get, close } = await serveApp(growingLibrary());
  const events = readEvents(await get("/api/events"));
  close();
  expect(await events.ended()).toBe(true);
});
