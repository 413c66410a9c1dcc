import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { traceSession } from "../../../src/trace/observe/trace-session.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { allSpans, treeOf } from "../all-spans.js";
import { liveSession } from "../live-session.js";

const ID = "11111111-1111-4111-8111-111111111111";

function writeAgent(folder: string, name: string, type: string, toolUseId: string): void {
  const agent = liveSession(folder, `agent-${name}`);
  agent.append(agent.nextTurn(1).lines);
  writeFileSync(join(folder, `agent-${name}.meta.json`), JSON.stringify({ agentType: type, toolUseId }));
}

test("a sub-agent of a sub-agent stands below the call that launched it", () => {
  const project = temporaryFolder();
  const session = liveSession(project, ID);
  session.append(session.nextTurn(1).lines);
  const agents = join(project, ID, "subagents");
  writeAgent(agents, "outer", "Plan", `${ID}-turn-0-tool-0`);
  writeAgent(agents, "inner", "Explore", "agent-outer-turn-0-tool-0");
  const model = "claude-sonnet-4-5";
  expect(treeOf(allSpans(session.path))).toEqual([
    "Turn 1",
    `  ${model}`,
    "    Bash",
    "      Plan",
    `        ${model}`,
    "          Bash",
    "            Explore",
    `              ${model}`,
    "                Bash",
    `              ${model}`,
    `        ${model}`,
    `  ${model}`,
  ]);
});

test("a turn whose sub-agent works in the background is held until its end is told", () => {
  const background = "062c693c-c43d-482c-934c-026286de3f96.jsonl";
  const path = join(CORPUS, "2.1.325/print/projects/-home-dev-p-2-1-325-demo-app", background);
  const stopped = { kind: "stopped", wordsHash: null } as const;
  const finals = [...traceSession(path, { state: stopped })].map(({ trace, isFinal }) => [trace.name, isFinal]);
  expect(finals).toEqual([
    ["Turn 1", true],
    ["Turn 2", true],
  ]);
  const copy = join(temporaryFolder(), background);
  writeFileSync(copy, linesBeforeTheNotification(path));
  expect([...traceSession(copy, { state: stopped })].map(({ isFinal }) => isFinal)).toEqual([false]);
});

function linesBeforeTheNotification(path: string): string {
  const lines = readFileSync(path, "utf8").split("\n");
  return `${lines
    .slice(
      0,
      lines.findIndex((line) => line.includes("<task-notification>")),
    )
    .join("\n")}\n`;
}

const NEWEST = join(CORPUS, "2.1.326");

test("agents of a workflow stand below its call", () => {
  const path = "interactive/projects/-home-dev-demo-app-src/55c39d67-41ae-49db-a225-e97c27a7c2ff.jsonl";
  const tree = treeOf(allSpans(join(NEWEST, path)));
  const call = tree.findIndex((line) => line.trim() === "Workflow");
  const depth = (line = "") => line.length - line.trimStart().length;
  const agents = tree.filter((line) => line.trim() === "workflow-subagent");
  expect(call).toBeGreaterThan(0);
  expect(agents.map(depth)).toEqual([depth(tree[call]) + 2, depth(tree[call]) + 2]);
});

test("a forked sub-agent has no span for what it repeats of its parent", () => {
  const path = "forks/projects/-home-dev-fork-app/f0f0f0f0-1111-4222-8333-000000000002.jsonl";
  const spans = allSpans(join(NEWEST, path));
  const ids = spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  const tree = treeOf(spans).map((line) => line.trim());
  expect(tree.filter((name) => name === "fork")).toHaveLength(1);
  expect(tree.filter((name) => name === "Agent")).toHaveLength(2);
});
