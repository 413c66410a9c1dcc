import { findSubagentFiles, type SharedSubagents } from "../format/find-subagents.js";
import { stringAt } from "../format/json.js";
import { readRecords, readRecordsAt } from "../format/record-reader.js";
import { emptyFacts } from "../session/facts.js";
import { bodyPlace, type Node } from "../session/node.js";
import { openSession } from "../session/open-session.js";
import { type Outline, type Totals, viewOutline } from "../session/outline.js";

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

interface AgentFile extends ReadFile {
  readonly agentId: string;
  readonly meta: unknown;
}

/** Every sub-agent file of a session in any layout, then those whose records stand in the session file itself (1.x). */
export function listSubagents(path: string, outline: Outline, shared?: SharedSubagents): Subagent[] {
  const agents = findSubagentFiles(path, shared).subagents.map(
    ({ agentId, path: file, meta }): AgentFile => ({ agentId, meta, path: file, outline: readOutline(file) }),
  );
  const readers = [{ path, outline }, ...agents];
  return [
    ...agents.map((agent) => toSubagent(agent, readers)),
    ...inlineAgents(outline).map((agent) => toSubagent({ ...agent, path }, readers)),
  ];
}

function readOutline(path: string): Outline {
  const session = openSession();
  for (const record of readRecords(path, { abridge: true })) session.push(record);
  return session.view();
}

function toSubagent(agent: AgentFile, readers: readonly ReadFile[]): Subagent {
  const { agentId, meta, path, outline } = agent;
  const toolUseId = stringAt(meta, "toolUseId") ?? findLaunch(agent, readers);
  const input = toolUseId === undefined ? undefined : readCallInput(toolUseId, readers);
  return {
    agentId,
    toolUseId: toolUseId ?? null,
    type: stringAt(meta, "agentType") ?? stringAt(input, "subagent_type") ?? null,
    description: stringAt(meta, "description") ?? stringAt(input, "description") ?? null,
    path,
    warmup: toolUseId === undefined && isIdle(outline),
    totals: outline.totals,
  };
}

/** Nested agents are launched by other agents, so the link may stand in any file of the session. */
function findLaunch({ agentId }: AgentFile, readers: readonly ReadFile[]): string | undefined {
  for (const { outline } of readers) {
    const call = outline.tasks.get(agentId);
    if (call !== undefined) return call;
  }
  return undefined;
}

/** 2.0.50 writes no prompt into them, 2.0.76 the word itself. */
function isIdle({ totals, turns, preamble }: Outline): boolean {
  const nodes = [...preamble.nodes, ...turns.flatMap((turn) => turn.nodes)];
  const isAsked = nodes.some(({ kind, text }) => kind === "user" && text?.trim().toLowerCase() !== "warmup");
  return totals.toolCalls === 0 && !isAsked;
}

function readCallInput(toolUseId: string, readers: readonly ReadFile[]): unknown {
  for (const { path, outline } of readers) {
    const node = findCallNode(toolUseId, outline);
    if (!node) continue;
    for (const record of readRecordsAt(path, [bodyPlace(node)])) {
      if (record.kind !== "assistant") continue;
      const call = record.blocks.find((block) => block.kind === "toolCall" && block.id === toolUseId);
      if (call?.kind === "toolCall") return call.input;
    }
  }
  return undefined;
}

function findCallNode(toolUseId: string, { preamble, turns }: Outline): Node | undefined {
  for (const { nodes } of [preamble, ...turns]) {
    const node = nodes.find(({ calls }) => calls?.some(({ id }) => id === toolUseId));
    if (node) return node;
  }
  return undefined;
}

/** Sub-agent records inside the session file: one agent per id, or per root where they have none. */
function inlineAgents({ sidechains, messages }: Outline): Omit<AgentFile, "path">[] {
  const groups = new Map<string, Node[]>();
  const groupOf = new Map<string, string>();
  for (const node of sidechains) {
    const key = node.agentId ?? groupOf.get(node.parentUuid ?? "") ?? node.uuid ?? `line-${node.line}`;
    if (node.uuid !== undefined) groupOf.set(node.uuid, key);
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups].map(([agentId, nodes]) => {
    const own = new Set(nodes.map(({ message }) => message));
    const facts = { ...emptyFacts(), records: nodes.length };
    const spoken = new Map([...messages].filter(([key]) => own.has(key)));
    return { agentId, meta: undefined, outline: viewOutline({ facts, nodes, messages: spoken }) };
  });
}
