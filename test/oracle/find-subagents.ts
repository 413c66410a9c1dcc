import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { blocksOf } from "./classify-user.js";
import { stringAt } from "./json-at.js";
import { type Row, readSession } from "./read-session.js";
import { toolResultsOf } from "./tool-calls.js";

export interface SubagentFacts {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly warmup: boolean;
}

/** FACTS 9: the session's own folder, and the flat places where the rows' sessionId names the parent. */
export function findSubagents(file: string, rows: readonly Row[]): SubagentFacts[] {
  const [folder, id] = [dirname(file), basename(file, ".jsonl")];
  const own = join(folder, id, "subagents");
  const runs = foldersIn(join(own, "workflows"));
  const flat = [...agentFiles(folder), ...agentFiles(join(folder, "subagents"))].filter(
    (path) => path !== file && readSession(path).rows.some(({ json }) => json["sessionId"] === id),
  );
  return [own, ...runs]
    .flatMap(agentFiles)
    .concat(flat)
    .map((path) => toSubagent(path, rows))
    .toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1));
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

function agentFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^agent-.+\.jsonl$/.test(name))
    .map((name) => join(folder, name));
}

function toSubagent(path: string, parentRows: readonly Row[]): SubagentFacts {
  const agentId = basename(path, ".jsonl").replace(/^agent-/, "");
  const toolUseId = toolUseIdInMeta(path) ?? toolUseIdInParent(agentId, parentRows) ?? toolUseIdOfRun(path, parentRows);
  const { rows } = readSession(path);
  const hasUserRow = rows.some(({ type }) => type === "user");
  const hasToolUse = rows.flatMap(blocksOf).some((block) => block["type"] === "tool_use");
  return { agentId, toolUseId, warmup: toolUseId === null && !hasUserRow && !hasToolUse };
}

function toolUseIdInMeta(path: string): string | null {
  const meta = path.replace(/\.jsonl$/, ".meta.json");
  return existsSync(meta) ? stringAt(JSON.parse(readFileSync(meta, "utf8")), "toolUseId") : null;
}

function toolUseIdInParent(agentId: string, rows: readonly Row[]): string | null {
  const result = rows.find(({ json }) => stringAt(json, "toolUseResult", "agentId") === agentId);
  const progress = rows.find(({ json }) => stringAt(json, "data", "agentId") === agentId);
  const callId = result === undefined ? undefined : toolResultsOf(result)[0]?.callId;
  return callId ?? stringAt(progress?.json, "parentToolUseID");
}

/** FACTS-2.1.326 G1: agents of a workflow lie in the folder of its run, which the result of the Workflow call names. */
function toolUseIdOfRun(path: string, rows: readonly Row[]): string | null {
  const runId = basename(dirname(path));
  const result = rows.find(({ json }) => stringAt(json, "toolUseResult", "runId") === runId);
  return (result && toolResultsOf(result)[0]?.callId) ?? null;
}
