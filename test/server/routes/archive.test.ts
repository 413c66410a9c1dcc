import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ArchiveAnswer } from "../../../src/server/api/archive.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const NAME = join("projects", "-home-dev-shop", "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f.jsonl");

function library(daysAgo: number): string {
  const configDir = temporaryFolder({ [NAME]: `${writeLines([prompt("one"), answer("1")]).join("\n")}\n` });
  const time = Date.now() / 1000 - daysAgo * 86_400;
  utimesSync(join(configDir, NAME), time, time);
  return configDir;
}

test("the archive is turned on in one request where sessions are deleted soon", async () => {
  const { json, post } = await serveApp({ configDir: library(27) });
  expect(await json<ArchiveAnswer>("/api/archive")).toEqual({
    enabled: false,
    loss: { sessions: 1, isAtLeast: false, firstAt: expect.stringMatching(/^\d{4}-/) },
  });
  expect(await (await post("/api/archive", { enabled: true })).json()).toEqual({ enabled: true, loss: null });
  expect(await json<ArchiveAnswer>("/api/archive")).toEqual({ enabled: true, loss: null });
});

test("nothing is said of sessions that stay, and where config.json says so", async () => {
  const settings = { archive: { warn: false } };
  const quiet = await serveApp({ configDir: library(27) }, { settings });
  expect((await quiet.json<ArchiveAnswer>("/api/archive")).loss).toBeNull();
  const young = await serveApp({ configDir: library(1) });
  expect((await young.json<ArchiveAnswer>("/api/archive")).loss).toBeNull();
});

test("the archive cannot be turned off from the web UI, nor on without the token", async () => {
  const { post } = await serveApp({ configDir: library(27) });
  expect((await post("/api/archive", { enabled: false })).status).toBe(400);
  expect((await post("/api/archive", { enabled: true }, { "x-turnlog-token": "wrong" })).status).toBe(403);
});
