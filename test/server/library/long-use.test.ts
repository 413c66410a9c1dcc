import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import type { ServerEvent } from "../../../src/server/api/events.js";
import type { SessionAnswer, TurnsAnswer } from "../../../src/server/api/session.js";
import { EventHub } from "../../../src/server/library/event-hub.js";
import { LibrarySync } from "../../../src/server/library/library-sync.js";
import { SessionCache } from "../../../src/server/library/session-cache.js";
import { answer, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const OTHER = "8c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const FOLDER = join("projects", "-home-dev-shop");
const LINES = writeLines([prompt("one"), answer("1"), prompt("two"), answer("2")]);
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

test("a session that was forgotten to make room, and grew meanwhile, has another version than before", async () => {
  const folder = temporaryFolder({ "a.jsonl": text(LINES.slice(0, 2)), "b.jsonl": text(LINES) });
  const [a, b] = [join(folder, "a.jsonl"), join(folder, "b.jsonl")];
  const masking = createRedactor({ level: "mask" });
  const cache = new SessionCache(0, { masking: async () => masking, createMasking: async () => masking });
  onTestFinished(() => cache.clear());
  const before = await cache.open(a, {});
  await cache.open(b, {});
  appendFileSync(a, text(LINES.slice(2)));
  const after = await cache.open(a, {});
  expect(after.session.outline.turns.length).toBe(2);
  expect(after.version).toBeGreaterThan(before.version);
});

test("when nothing was written for so long that no session runs any more, pages are told", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const hub = new EventHub();
  const told: ServerEvent[] = [];
  hub.listen((event) => told.push(event));
  const sync = new LibrarySync({ roots: [], hub, sync: async () => undefined, onProblem: () => undefined });
  onTestFinished(() => sync.close());
  vi.advanceTimersByTime(5 * 60_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(told).toMatchObject([{ kind: "index" }]);
});

test("a session that the index does not have yet is opened without waiting for the index", async () => {
  const configDir = temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: text(LINES) });
  const { json, library } = await serveApp({ configDir });
  Object.assign(library.sync, { refresh: () => new Promise(() => undefined) });
  cpSync(join(configDir, FOLDER, `${ID}.jsonl`), join(configDir, FOLDER, `${OTHER}.jsonl`));
  expect((await json<SessionAnswer>(`/api/sessions/${OTHER}`)).header.id).toBe(OTHER);
});

test("a turn with very many calls is told with shorter texts, so that a page can hold it", async () => {
  const ids = Array.from({ length: 600 }, (_, at) => `t${at}`);
  const calls = ids.flatMap((id) => [toolUses(id), resultFor(id, `${id} ${"long output ".repeat(1500)}`)]);
  const lines = writeLines([prompt("go"), ...calls, answer("done")]);
  const { get } = await serveApp({ configDir: temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: text(lines) }) });
  const json = await (await get(`/api/sessions/${ID}/turns`)).text();
  const [turn] = (JSON.parse(json) as TurnsAnswer).turns;
  expect(json.length).toBeLessThan(3_000_000);
  expect(turn?.items.length).toBe(601);
  expect(turn?.isCut).toBe(true);
});

test("what nobody waits for any more is not begun", async () => {
  const configDir = temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: text(LINES) });
  const { post, app, access } = await serveApp({ configDir });
  const given = new AbortController();
  const headers = { host: "127.0.0.1:4871", "x-turnlog-token": access.token, "content-type": "application/json" };
  const address = `http://127.0.0.1:4871/api/sessions/${ID}/edit/preview`;
  const body = JSON.stringify({ command: "clone" });
  const asked = app.request(new Request(address, { method: "POST", headers, body, signal: given.signal }));
  given.abort();
  expect((await asked).status).toBe(503);
  expect((await post(`/api/sessions/${ID}/edit/preview`, { command: "clone" })).status).toBe(200);
});

test.each([
  ["/home/dev/it's a shop", "cd '/home/dev/it'\\''s a shop' && "],
  ["/home/dev/$(touch x);`y`", "cd '/home/dev/$(touch x);`y`' && "],
  ["/home/dev/\u001b[201~\nrm -rf ~", null],
])("a session in %j says how to go on", async (cwd, goThere) => {
  const lines = LINES.map((line) => JSON.stringify({ ...JSON.parse(line), cwd }));
  const configDir = temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: text(lines) });
  const { json } = await serveApp({ configDir });
  const command = goThere && `${goThere}CLAUDE_CONFIG_DIR=${configDir} claude --resume ${ID}`;
  expect((await json<SessionAnswer>(`/api/sessions/${ID}`)).resumeCommand).toBe(command);
});
