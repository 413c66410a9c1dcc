import { toAgentCall } from "../format/agent-call.js";
import { findSubagentFiles, type SharedSubagents } from "../format/find-subagents.js";
import { stringAt } from "../format/json.js";
import { readRecords, readRecordsAt } from "../format/record-reader.js";
import type { PriceTable } from "../session/cost.js";
import { inlineAgents } from "../session/inline-agents.js";
import { bodyPlace, type Node } from "../session/node.js";
import { openSession } from "../session/open-session.js";
import type { Outline, Totals } from "../session/outline.js";
import { linkByPrompt } from "./link-by-prompt.js";

/** A sub-agent of a session, with its own totals. */
export interface Subagent {
  readonly agentId: string;
  /** The call that launched it; null for warm-ups, and where no record tells. */
  readonly toolUseId: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly path: string;
  /** Launched by the client itself to fill the cache: no call, no prompt, no tools. */
  readonly warmup: boolean;
  readonly totals: Totals;
}

/** One read file of the session: the session itself, or a sub-agent that may have launched others. */
interface ReadFile {
  readonly path: string;
  readonly outline: Outline;
}

interface Agent extends ReadFile {
  readonly agentId: string;
  readonly meta?: unknown;
}

/** Every sub-agent file of a session in any layout, then those whose records stand in the session file itself (1.x). */
export function listSubagents(
  path: string,
  outline: Outline,
  shared?: SharedSubagents,
  prices?: PriceTable,
): Subagent[] {
  const files = findSubagentFiles(path, shared).subagents.map(
    ({ agentId, path: file, meta }): Agent => ({ agentId, meta, path: file, outline: readOutline(file, prices) }),
  );
  const inline = inlineAgents(outline);
  const agents = [...files, ...inline.map((agent): Agent => ({ ...agent, path }))];
  const readers = [{ path, outline }, ...files];
  const launches = findLaunches(agents, readers);
  const unlinked = inline.filter(({ agentId }) => !launches.has(agentId));
  const byPrompt = linkByPrompt(path, outline, unlinked, new Set(launches.values()));
  const calls = agents.length === 0 ? new Map<string, CallPlace>() : indexCalls(readers);
  return agents.map((agent) => {
    const toolUseId = launches.get(agent.agentId) ?? byPrompt.get(agent.agentId);
    return toSubagent(agent, toolUseId, calls);
  });
}

function readOutline(path: string, prices: PriceTable | undefined): Outline {
  const session = openSession();
  for (const record of readRecords(path, { abridge: true })) session.push(record);
  return session.view(prices === undefined ? {} : { prices });
}

/** Nested agents are launched by other agents, so the link may stand in any file of the session. */
function findLaunches(agents: readonly Agent[], readers: readonly ReadFile[]): Map<string, string> {
  const launches = new Map(readers.toReversed().flatMap(({ outline }) => [...outline.tasks]));
  for (const { agentId, meta } of agents) {
    const told = stringAt(meta, "toolUseId");
    if (told !== undefined) launches.set(agentId, told);
  }
  return launches;
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
  { agentId, meta, path, outline }: Agent,
  toolUseId: string | undefined,
  calls: ReadonlyMap<string, CallPlace>,
): Subagent {
  const call = toAgentCall(toolUseId === undefined ? undefined : readCallInput(toolUseId, calls.get(toolUseId)));
  return {
    agentId,
    toolUseId: toolUseId ?? null,
    type: stringAt(meta, "agentType") ?? call.type ?? null,
    description: stringAt(meta, "description") ?? call.description ?? null,
    path,
    warmup: toolUseId === undefined && isIdle(outline),
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

/** 2.0.50 writes no prompt into them, 2.0.76 the word itself. */
function isIdle({ totals, active }: Outline): boolean {
  const isAsked = active.some(({ kind, text }) => kind === "user" && text?.trim().toLowerCase() !== "warmup");
  return totals.toolCalls === 0 && !isAsked;
}
