import { listAt } from "../../collections.js";
import { isTrueAt, stringAt } from "../../format/json.js";
import { findSubagentFiles, type SharedSubagents } from "../../format/layout/files-of-session.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { toAgentCall } from "../../format/record/content-block.js";
import { bodyPlace, type Node } from "../../session/graph/node.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { type InlineAgent, inlineAgents, type Outline, readSession } from "../../session/open-session.js";
import { ownText } from "../../session/prompts/classify-input.js";
import type { Totals } from "../../session/totals.js";
import { readBodies } from "../../session/turns/build-turn.js";
import { type WorkflowStep, workflowReader } from "./workflow-runs.js";

/** A sub-agent of a session, with its own totals. */
export interface Subagent {
  readonly agentId: string;
  /** The call that launched it; null for warm-ups, and where it is not recorded. */
  readonly toolUseId: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly path: string;
  /** Launched by Claude Code itself to fill the prompt cache: no call, no prompt, no tools. */
  readonly warmup: boolean;
  /** It began with the conversation of the session or sub-agent that made it. */
  readonly isFork: boolean;
  /** The sub-agent that launched it; null for the session itself, and where it is not recorded. */
  readonly parentAgentId: string | null;
  readonly workflow: WorkflowStep | null;
  readonly totals: Totals;
}

/** The session, or a sub-agent that may have launched others. */
export interface ReadFile {
  readonly path: string;
  readonly outline: Outline;
}

/** The file of a sub-agent, or its records in that of the session. */
interface AgentFile extends ReadFile {
  readonly agentId: string;
  readonly meta?: unknown;
}

/** Every sub-agent file of a session in any layout. */
export function readSubagentFiles(path: string, shared?: SharedSubagents, prices?: PriceTable): AgentFile[] {
  return findSubagentFiles(path, shared).subagents.map(({ agentId, path: file, meta }) => ({
    agentId,
    meta,
    path: file,
    outline: readOutline(file, prices),
  }));
}

/** Those of the files, then those whose records are in the session file itself (1.x). */
export function listSubagents(path: string, outline: Outline, files: readonly AgentFile[]): Subagent[] {
  const inline = inlineAgents(outline);
  const agents = [...files, ...inline.map((agent): AgentFile => ({ ...agent, path }))];
  const readers = [{ path, outline }, ...files];
  const launches = findLaunches(agents, readers);
  const unlinked = inline.filter(({ agentId }) => !launches.has(agentId));
  const byPrompt = linkByPrompt(path, outline, unlinked, new Set(launches.values()));
  const calls = agents.length === 0 ? new Map<string, CallPlace>() : indexCalls(readers);
  const readWorkflow = workflowReader();
  return agents.map((agent) => {
    const workflow = readWorkflow(agent.path, agent.meta) ?? null;
    const toolUseId = launches.get(agent.agentId) ?? byPrompt.get(agent.agentId) ?? launches.get(workflow?.runId ?? "");
    return toSubagent(agent, toolUseId, calls, workflow);
  });
}

function readOutline(path: string, prices?: PriceTable): Outline {
  return readSession(path).session.view(prices === undefined ? {} : { prices });
}

/** Sub-agents may launch sub-agents, so the link may be in any file of the session. */
function findLaunches(agents: readonly AgentFile[], readers: readonly ReadFile[]): Map<string, string> {
  const launches = new Map(readers.toReversed().flatMap(({ outline }) => [...outline.tasks]));
  for (const { agentId, meta, outline } of agents) {
    const toolUseId = stringAt(meta, "toolUseId") ?? forkCallOf(outline);
    if (toolUseId !== undefined) launches.set(agentId, toolUseId);
  }
  return launches;
}

function forkCallOf({ active }: Outline): string | undefined {
  return active[0]?.forkCall;
}

interface CallPlace {
  readonly path: string;
  readonly node: Node;
}

function indexCalls(readers: readonly ReadFile[]): Map<string, CallPlace> {
  const places = new Map<string, CallPlace>();
  for (const { path, outline } of readers) {
    for (const node of outline.active) {
      for (const { id } of node.calls ?? []) if (!places.has(id)) places.set(id, { path, node });
    }
  }
  return places;
}

function toSubagent(
  { agentId, meta, path, outline }: AgentFile,
  toolUseId: string | undefined,
  calls: ReadonlyMap<string, CallPlace>,
  workflow: WorkflowStep | null,
): Subagent {
  const call = toAgentCall(toolUseId === undefined ? undefined : readCallInput(toolUseId, calls.get(toolUseId)));
  return {
    agentId,
    toolUseId: toolUseId ?? null,
    type: stringAt(meta, "agentType") ?? call.type ?? null,
    description: stringAt(meta, "description") ?? call.description ?? null,
    path,
    warmup: toolUseId === undefined && isIdle(outline),
    isFork: isTrueAt(meta, "isFork") || forkCallOf(outline) !== undefined,
    parentAgentId: stringAt(meta, "parentAgentId") ?? null,
    workflow,
    totals: outline.totals,
  };
}

function readCallInput(toolUseId: string, place: CallPlace | undefined): unknown {
  if (!place) return undefined;
  for (const record of readRecordsAt(place.path, [bodyPlace(place.node)])) {
    if (record.kind !== "assistant") continue;
    const call = record.blocks.find((block) => block.kind === "toolCall" && block.id === toolUseId);
    if (call?.kind === "toolCall") return call.input;
  }
  return undefined;
}

/** Claude Code 2.0.50 writes no prompt into warm-ups, 2.0.76 the word "warmup". */
function isIdle({ totals, active }: Outline): boolean {
  const isAsked = active.some(({ kind, text }) => kind === "user" && text?.trim().toLowerCase() !== "warmup");
  return totals.toolCalls === 0 && !isAsked;
}

/** Old and new name of the tool that launches sub-agents. */
const LAUNCHERS: ReadonlySet<string> = new Set(["Task", "Agent"]);

/**
 * Finds the calls that launched sub-agents where no id links them (1.x): the first user record of such an agent is the
 * prompt of its call. Calls with the same prompt launched their agents in the same order.
 */
function linkByPrompt(
  path: string,
  { active }: Outline,
  agents: readonly InlineAgent[],
  taken: ReadonlySet<string>,
): Map<string, string> {
  if (agents.length === 0) return new Map();
  const calls = callsByPrompt(path, active, taken);
  const firsts = agents.map(({ nodes }) => nodes.find(({ kind }) => kind === "user"));
  const bodies = readBodies(
    path,
    firsts.flatMap((node) => node ?? []),
  );
  const launches = new Map<string, string>();
  agents.forEach(({ agentId }, at) => {
    const first = firsts[at] && bodies.of(firsts[at]);
    const call = first?.kind === "user" ? calls.get(ownText(first.blocks))?.shift() : undefined;
    if (call !== undefined) launches.set(agentId, call);
  });
  return launches;
}

function callsByPrompt(path: string, active: readonly Node[], taken: ReadonlySet<string>): Map<string, string[]> {
  const byPrompt = new Map<string, string[]>();
  const seen = new Set(taken);
  const launching = active.filter(({ calls }) => calls?.some(({ name }) => LAUNCHERS.has(name)));
  for (const record of readRecordsAt(path, launching.map(bodyPlace))) {
    if (record.kind !== "assistant") continue;
    for (const block of record.blocks) {
      if (block.kind !== "toolCall" || !LAUNCHERS.has(block.name) || seen.has(block.id)) continue;
      seen.add(block.id);
      const { prompt } = toAgentCall(block.input);
      if (prompt) listAt(byPrompt, prompt).push(block.id);
    }
  }
  return byPrompt;
}
