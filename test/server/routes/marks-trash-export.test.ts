import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ExportPreview } from "../../../src/server/api/export.js";
import type { SessionsAnswer } from "../../../src/server/api/list.js";
import type { MarksAnswer } from "../../../src/server/api/marks.js";
import type { SessionAnswer } from "../../../src/server/api/session.js";
import type { ApiFailure } from "../../../src/server/api/start.js";
import type { StatsAnswer } from "../../../src/server/api/stats.js";
import type { DeleteAnswer, RestoreAnswer, TrashAnswer } from "../../../src/server/api/trash.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { PLANTED_ID, plantLibrary, tokenOf } from "../../cli/planted-library.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";

function restingLibrary() {
  const text = `${writeLines([prompt("one"), answer("1")]).join("\n")}\n`;
  const configDir = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: text });
  const path = join(configDir, `projects/-home-dev-shop/${ID}.jsonl`);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  return { configDir, path };
}

test("title, tags, favourite and note are kept, and shown at once", async () => {
  const { configDir } = restingLibrary();
  const { json, post } = await serveApp({ configDir });
  const marks = { title: " Mine ", tags: ["b", "A", "a"], favourite: true, note: "look again" };
  const kept = (await (await post(`/api/sessions/${ID}/marks`, marks)).json()) as MarksAnswer;
  const [listed] = (await json<SessionsAnswer>("/api/sessions?favourites=1&tag=a")).sessions;
  const { header } = await json<SessionAnswer>(`/api/sessions/${ID}`);
  expect(kept).toEqual({ id: ID, title: "Mine", tags: ["A", "b"], favourite: true, note: "look again" });
  expect(listed).toMatchObject({ title: "Mine", userTitle: "Mine", tags: ["A", "b"] });
  expect(header).toMatchObject({ title: "Mine", titleSource: "user", favourite: true });
});

test("what is not given stays, and null takes away", async () => {
  const { configDir } = restingLibrary();
  const { json, post } = await serveApp({ configDir });
  await post(`/api/sessions/${ID}/marks`, { title: "Mine", note: "n" });
  await post(`/api/sessions/${ID}/marks`, { title: null });
  const { header } = await json<SessionAnswer>(`/api/sessions/${ID}`);
  expect(header).toMatchObject({ title: "one", userTitle: null, note: "n" });
});

test("statistics that are kept have the title of the moment", async () => {
  const { configDir } = restingLibrary();
  const { json, post } = await serveApp({ configDir });
  const titles = async () => (await json<StatsAnswer>("/api/stats")).bySession.map(({ title }) => title);
  expect(await titles()).toEqual(["one"]);
  await post(`/api/sessions/${ID}/marks`, { title: "Mine" });
  expect(await titles()).toEqual(["Mine"]);
  await post(`/api/sessions/${ID}/marks`, { title: null });
  expect(await titles()).toEqual(["one"]);
});

test.each([{ tags: ["a,b"] }, { tags: [" "] }, { title: 1 }, { titel: "x" }])(
  "marks like %j are refused",
  async (marks) => {
    const { configDir } = restingLibrary();
    const { post } = await serveApp({ configDir });
    expect((await post(`/api/sessions/${ID}/marks`, marks)).status).toBe(400);
  },
);

test("marks of a session that is not there are refused", async () => {
  const { configDir } = restingLibrary();
  const { post } = await serveApp({ configDir });
  expect((await post("/api/sessions/nobody/marks", { title: "x" })).status).toBe(404);
});

test("a session goes to the trash and comes back", async () => {
  const { configDir, path } = restingLibrary();
  const { json, post } = await serveApp({ configDir });
  const deleted = (await (await post("/api/trash", { ids: [ID] })).json()) as DeleteAnswer;
  const [isThere, listed] = [existsSync(path), await json<SessionsAnswer>("/api/sessions")];
  const { sessions } = await json<TrashAnswer>("/api/trash");
  const restored = (await (
    await post("/api/trash/restore", { entries: [sessions[0]?.entry] })
  ).json()) as RestoreAnswer;
  expect(deleted).toEqual({ deleted: [ID], spared: [], remains: [] });
  expect([isThere, listed.total]).toEqual([false, 0]);
  expect(sessions).toMatchObject([{ id: ID, title: "one", files: 1 }]);
  expect(restored.restored).toMatchObject([{ id: ID, missing: [] }]);
  expect([existsSync(path), (await json<SessionsAnswer>("/api/sessions")).total]).toEqual([true, 1]);
});

test("a session that is being written to is spared unless forced", async () => {
  const { configDir, path } = restingLibrary();
  utimesSync(path, new Date(), new Date());
  const { post } = await serveApp({ configDir });
  const spared = (await (await post("/api/trash", { ids: [ID] })).json()) as DeleteAnswer;
  const forced = (await (await post("/api/trash", { ids: [ID], force: true })).json()) as DeleteAnswer;
  expect(spared).toMatchObject({ deleted: [], spared: [{ id: ID }] });
  expect(forced.deleted).toEqual([ID]);
});

test("what is removed from the trash is gone", async () => {
  const { configDir } = restingLibrary();
  const { json, post } = await serveApp({ configDir });
  await post("/api/trash", { ids: [ID] });
  const { sessions } = await json<TrashAnswer>("/api/trash");
  const removed = await post("/api/trash/remove", { entries: sessions.map(({ entry }) => entry) });
  expect(removed.status).toBe(200);
  expect((await json<TrashAnswer>("/api/trash")).sessions).toEqual([]);
});

test.each(["nothing", "..", "../locks", "/etc"])("no entry of the trash is called %j", async (entry) => {
  const { configDir } = restingLibrary();
  const { post } = await serveApp({ configDir });
  const statuses = [
    (await post("/api/trash/restore", { entries: [entry] })).status,
    (await post("/api/trash/remove", { entries: [entry] })).status,
  ];
  expect(statuses).toEqual([404, 404]);
});

test("one session that is not there keeps all others from the trash", async () => {
  const { configDir, path } = restingLibrary();
  const { post } = await serveApp({ configDir });
  expect((await post("/api/trash", { ids: [ID, "nobody"] })).status).toBe(404);
  expect(existsSync(path)).toBe(true);
});

test("before a session is saved the page can tell what will be taken out", async () => {
  const { root } = plantLibrary();
  const { post, get } = await serveApp({ configDir: root });
  const preview = (await (
    await post(`/api/sessions/${PLANTED_ID}/export/preview`, { format: "json" })
  ).json()) as ExportPreview;
  const file = await get(`/api/sessions/${PLANTED_ID}/export?format=json`);
  const text = await file.text();
  expect(preview.fileName).toBe(`deploy-with-${PLANTED_ID.slice(0, 8)}.json`);
  expect(preview.sizeBytes).toBe(Buffer.byteLength(text));
  expect(preview.report?.total).toBeGreaterThan(0);
  expect(preview.command).toBe(`turnlog export ${PLANTED_ID} --format json -o ${preview.fileName}`);
  expect(text).not.toContain(tokenOf("prompt"));
  expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${preview.fileName}"`);
  expect(file.headers.get("content-type")).toBe("application/octet-stream");
});

test("a session too large for one page says so in words, and what to do in a terminal", async () => {
  const lines = writeLines([prompt("go"), answer("x ".repeat(11_000_000))]);
  const configDir = temporaryFolder({ [`projects/p/${ID}.jsonl`]: `${lines.join("\n")}\n` });
  const { post } = await serveApp({ configDir });
  const response = await post(`/api/sessions/${ID}/export/preview`, { format: "html" });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    refused: {
      code: expect.any(String),
      message: expect.stringContaining("larger than"),
      hint: expect.stringContaining(`-o go-${ID.slice(0, 8)}/`),
    },
  });
});

test("only a POST with the token gives a session with its secrets", async () => {
  const { root } = plantLibrary();
  const { post, get } = await serveApp({ configDir: root });
  const whole = await (await post(`/api/sessions/${PLANTED_ID}/export`, { format: "jsonl", redact: false })).text();
  const asked = await (await get(`/api/sessions/${PLANTED_ID}/export?format=jsonl&redact=0`)).text();
  expect(whole).toContain(tokenOf("prompt"));
  expect(asked).not.toContain(tokenOf("prompt"));
});

test.each(["exe", "", "constructor"])("there is no format %j", async (format) => {
  const { root } = plantLibrary();
  const { post, get } = await serveApp({ configDir: root });
  const response = await post(`/api/sessions/${PLANTED_ID}/export/preview`, { format });
  const { error } = (await response.json()) as ApiFailure;
  expect([response.status, error.hint]).toEqual([400, expect.stringContaining("jsonl")]);
  expect((await get(`/api/sessions/${PLANTED_ID}/export?format=${format}`)).status).toBe(400);
});
