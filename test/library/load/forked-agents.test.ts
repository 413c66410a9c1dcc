import { cpSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { apiPieces } from "../../../src/app/export/export-records.js";
import { type LoadedSession, loadSession } from "../../../src/library/load/load-session.js";
import { verifySession } from "../../../src/session/verify/verify-session.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const FORKS = join(CORPUS, "2.1.326", "forks", "projects", "-home-dev-fork-app");
const BACKGROUND = join(CORPUS, "2.1.326", "background", "projects", "-home-dev-demo-app");
const ONE = "f0f0f0f0-1111-4222-8333-000000000001";
const TWO = "f0f0f0f0-1111-4222-8333-000000000002";
const DAF = "daf7f90b-c90e-44f5-8640-58d496e57bc0";
const PRINTED = join(FORKS, ONE, "subagents", "agent-ae77eb1238ca82a07.jsonl");
const NESTED = join(FORKS, TWO, "subagents", "agent-a10af884ea1a8d4cb.jsonl");
const INTERACTIVE = join(BACKGROUND, DAF, "subagents", "agent-a64e1b06401134a7b.jsonl");

const contextPrompts = (session: LoadedSession) =>
  session.forkContext()?.parts.flatMap(({ turns }) => [...turns()].map(({ prompt }) => prompt));

test.each([
  ["of an interactive session", INTERACTIVE, "[[sub1]] Look again at what we discussed"],
  ["in print mode", PRINTED, "[[sub1]] Look again at what we discussed"],
  ["made by a sub-agent", NESTED, "[[sub2]] inner directive"],
])("a fork %s has its directive as prompt and only its own calls", (_, path, directive) => {
  const session = loadSession(path);
  const [turn, ...others] = [...session.turns()];
  expect(others).toEqual([]);
  expect(turn?.prompt).toBe(directive);
  expect(turn?.orphanResults).toEqual([]);
  expect(turn?.toolCalls.map(({ name }) => name)).not.toContain("Agent");
  expect(session.preamble().messages).toEqual([]);
  expect(session.outline.totals).toMatchObject({ turns: 1, messages: 2, orphanToolCalls: 0, orphanToolResults: 0 });
});

test("a fork begins with the conversation of its session, up to the record that it names", () => {
  const session = loadSession(INTERACTIVE);
  expect(session.forkContext()).toMatchObject({ sessionId: DAF, records: 17, problem: null });
  expect(contextPrompts(session)).toEqual(["[[ask]] please write", "[[forkagent]] fork yourself and look again"]);
  expect(loadSession(PRINTED).forkContext()).toMatchObject({ sessionId: ONE, records: 10 });
});

test("a fork that a sub-agent made begins with what its own file repeats", () => {
  const session = loadSession(NESTED);
  expect(session.forkContext()).toMatchObject({ sessionId: null, records: 9, problem: null });
  expect(contextPrompts(session)).toEqual(["[[subfork]] outer task"]);
});

test("any other session or sub-agent has no such context", () => {
  expect(loadSession(join(FORKS, `${ONE}.jsonl`)).forkContext()).toBeNull();
  expect(loadSession(join(FORKS, TWO, "subagents", "agent-ac3c31b54c4912047.jsonl")).forkContext()).toBeNull();
});

test("a fork whose session or record is gone begins with nothing, and says why", () => {
  const folder = temporaryFolder({});
  cpSync(BACKGROUND, folder, { recursive: true });
  const fork = join(folder, DAF, "subagents", "agent-a64e1b06401134a7b.jsonl");
  rmSync(join(folder, `${DAF}.jsonl`));
  expect(loadSession(fork).forkContext()).toMatchObject({ records: 0, problem: expect.stringContaining("is gone") });
  cpSync(join(folder, "af3916e1-c017-4ed7-aff9-085a783626ca.jsonl"), join(folder, `${DAF}.jsonl`));
  cpSync(join(FORKS, `${ONE}.jsonl`), join(folder, `${DAF}.jsonl`));
  expect(loadSession(fork).forkContext()).toMatchObject({ problem: expect.stringContaining("has no record") });
});

const sentBy = (path: string) => {
  const pieces = [
    ...apiPieces(
      loadSession(path),
      (value) => JSON.stringify(value),
      () => undefined,
    ),
  ];
  return (JSON.parse(pieces.join("")) as { role: string; content: { type: string; text?: string }[] }[]).map(
    ({ role, content }) => [role, ...content.map(({ type }) => type)],
  );
};

test("the model was sent the conversation before a fork, the call that made it, and the fork's own work", () => {
  const sent = sentBy(INTERACTIVE);
  expect(sent.map(([role]) => role)).toEqual([
    ...["user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant"],
  ]);
  expect(sent[5]).toEqual(["assistant", "tool_use"]);
  expect(sent[6]).toEqual(["user", "tool_result", "text"]);
  expect(sentBy(NESTED).map(([role]) => role)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
});

test("a fork is linked to the call that made it, also without its metadata", () => {
  const folder = temporaryFolder({});
  cpSync(FORKS, folder, { recursive: true });
  const agents = () => loadSession(join(folder, `${TWO}.jsonl`)).subagents();
  const inner = () => agents().find(({ agentId }) => agentId === "a10af884ea1a8d4cb");
  const expected = { toolUseId: "toolu_01BwNa19DZTsjZYjrm7YSDGP", isFork: true };
  expect(inner()).toMatchObject({ ...expected, type: "fork", parentAgentId: "ac3c31b54c4912047" });
  rmSync(join(folder, TWO, "subagents", "agent-a10af884ea1a8d4cb.meta.json"));
  expect(inner()).toMatchObject({ ...expected, type: "fork", description: "Inner fork" });
});

test("what a fork spent does not contain what it repeats", () => {
  const session = loadSession(join(FORKS, `${ONE}.jsonl`));
  const totals = [session.outline.totals, ...session.subagents().map((agent) => agent.totals)];
  expect(totals.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)).toBeCloseTo(0.038175, 9);
});

test("agents of a workflow are linked to its call, with phase and label", () => {
  const project = join(CORPUS, "2.1.326", "interactive", "projects", "-home-dev-demo-app-src");
  const session = loadSession(join(project, "55c39d67-41ae-49db-a225-e97c27a7c2ff.jsonl"));
  const shared = { runId: "wf_91cec048-631", name: "demo-flow", phase: "Look", status: "completed" };
  expect(session.subagents().map(({ toolUseId, workflow }) => [toolUseId, workflow])).toEqual([
    ["toolu_017555KAekowCWo1YffyW8Yp", expect.objectContaining({ ...shared, label: "one" })],
    ["toolu_017555KAekowCWo1YffyW8Yp", expect.objectContaining({ ...shared, label: "two" })],
  ]);
});

test.each([INTERACTIVE, PRINTED, NESTED])("nothing is wrong with the file of a fork: %s", (path) => {
  const { problems } = verifySession([readFileSync(path)], basename(path));
  expect(problems.filter(({ severity }) => severity !== "info")).toEqual([]);
});
