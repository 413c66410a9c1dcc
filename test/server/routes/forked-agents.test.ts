import { join } from "node:path";
import { expect, test } from "vitest";
import type { ForkContextAnswer, SessionAnswer, TurnsAnswer } from "../../../src/server/api/session.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { serveApp } from "../served-app.js";

const DAF = "daf7f90b-c90e-44f5-8640-58d496e57bc0";
const FORK = "a64e1b06401134a7b";

test("a forked sub-agent is served with its own turns, and on request with what it began with", async () => {
  const { json, get } = await serveApp({ configDir: join(CORPUS, "2.1.326", "background") });
  const { subagents, header } = await json<SessionAnswer>(`/api/sessions/${DAF}`);
  expect(subagents).toMatchObject([{ agentId: FORK, isFork: true, type: "fork", turn: 2 }]);
  expect(header.continuedIn).toBe("af3916e1-c017-4ed7-aff9-085a783626ca");
  const own = await json<TurnsAnswer>(`/api/sessions/${DAF}/subagents/${FORK}/turns`);
  expect(own.turns.map(({ turn }) => turn.prompt)).toEqual(["[[sub1]] Look again at what we discussed"]);
  const began = await json<ForkContextAnswer>(`/api/sessions/${DAF}/subagents/${FORK}/fork-context`);
  expect(began).toMatchObject({ sessionId: DAF, records: 17, problem: null, isCut: false });
  expect(began.turns.map(({ turn }) => turn.prompt)).toEqual([
    "[[ask]] please write",
    "[[forkagent]] fork yourself and look again",
  ]);
  expect((await get(`/api/sessions/${DAF}/subagents/none/fork-context`)).status).toBe(404);
});

test("agents of a workflow are served with their call, phase and label", async () => {
  const { json } = await serveApp({ configDir: join(CORPUS, "2.1.326", "interactive") });
  const { subagents } = await json<SessionAnswer>("/api/sessions/55c39d67-41ae-49db-a225-e97c27a7c2ff");
  expect(subagents.map(({ turn, workflow }) => [turn, workflow?.phase, workflow?.label])).toEqual([
    [2, "Look", "one"],
    [2, "Look", "two"],
  ]);
});
