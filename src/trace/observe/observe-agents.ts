import { listAt } from "../../collections.js";
import { stringAt } from "../../format/json.js";
import { findSubagentFiles, type SharedSubagents } from "../../format/layout/files-of-session.js";
import { workflowRunOf } from "../../format/layout/session-paths.js";
import { toAgentCall } from "../../format/record/content-block.js";
import type { Node } from "../../session/graph/node.js";
import { type BranchViewer, inlineAgents, type Outline, readSession } from "../../session/open-session.js";
import { buildPreamble, buildTurn, type ReadBodies, readBodies } from "../../session/turns/build-turn.js";
import { buildCompaction, type CompactionOutline } from "../../session/turns/compactions.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { collectTurns } from "./collect-turns.js";
import { answerMessage, messagesContent, userMessage } from "./conversation.js";
import type { Exchange } from "./exchange.js";
import { type Draft, PLAIN, toMs } from "./observation.js";
import { type ExchangePlace, observeExchange, textOf } from "./observe-exchange.js";
import { spanIdOf } from "./span-ids.js";

/** A sub-agent with its messages and calls, from its own or the session's file. */
export interface Agent extends Exchange {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  /** From its own records; 2.0.50 writes none. */
  readonly prompt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Finds and reads the sub-agents a call launched; each is returned once. */
interface AgentFinder {
  launchedBy(call: ToolCall): readonly Agent[];
}

export interface AgentPlace extends Pick<ExchangePlace, "prices"> {
  readonly agents: AgentFinder;
  /** Each generation gets the whole conversation before it, not only what is new in it. */
  readonly keepsConversation: boolean;
}

/** The sub-agents of a call, and theirs, below its tool span. */
export function observeLaunched(call: ToolCall, toolSpanId: string, place: AgentPlace): Draft[] {
  return place.agents.launchedBy(call).flatMap((agent) => observeAgent(agent, call, toolSpanId, place));
}

/** `call` and `parentSpanId` are null for an agent that no call launched, such as Claude Code's cache warm-up. */
export function observeAgent(
  agent: Agent,
  call: ToolCall | null,
  parentSpanId: string | null,
  place: AgentPlace,
): Draft[] {
  const asked = toAgentCall(call?.input);
  const words = agent.prompt ?? asked.prompt;
  const prompt = words === undefined || words === null ? null : userMessage(words);
  const type = agent.type ?? asked.type ?? null;
  const startMs = startOf(agent, call);
  const spanId = spanIdOf("agent", agent.agentId);
  const answer = agent.messages.findLast((message) => message.author === "model" && textOf(message) !== "");
  const draft: Draft = {
    ...PLAIN,
    kind: "agent",
    spanId,
    parentSpanId,
    name: type ?? "sub-agent",
    startMs,
    endMs: toMs(agent.endedAt),
    input: prompt === null ? undefined : messagesContent(prompt),
    output: answer && messagesContent(answerMessage(answer, "words")),
    metadata: {
      agent_id: agent.agentId,
      ...(type === null ? {} : { agent_type: type }),
      ...describe(agent.description ?? asked.description),
    },
  };
  const inner = observeExchange(agent, {
    parentSpanId: spanId,
    prompt,
    startMs,
    earlier: place.keepsConversation ? [] : null,
    agent: { id: agent.agentId, type },
    prices: place.prices,
    inside: (inner, toolSpanId) => observeLaunched(inner, toolSpanId, place),
  });
  return [draft, ...inner];
}

/** Without a prompt the first record is an answer: the agent started when it was launched. */
function startOf({ prompt, startedAt }: Agent, call: ToolCall | null): number | null {
  const known = toMs(startedAt);
  return prompt === null ? (toMs(call?.startedAt) ?? known) : known;
}

function describe(description: string | null | undefined): { description?: string } {
  return description ? { description } : {};
}

export interface SessionAgents extends AgentFinder {
  /** Those that no call has claimed. */
  unclaimed(): Iterable<FoundAgent>;
  /** The agents that calls have claimed so far. */
  claimed(): readonly FoundAgent[];
}

/** A sub-agent whose records are not read yet. */
export interface FoundAgent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly size: number;
  /** The run of a workflow that it is a part of. */
  readonly workflowRun?: string | undefined;
  /** Its records are in the session file itself. */
  readonly isInline: boolean;
  read(): Agent;
}

/** The sub-agents of a session in any layout: files of their own, or records inside the session file (1.x). */
export function findAgents(path: string, outline: Outline, shared?: SharedSubagents): SessionAgents {
  const waiting = new Map<string, FoundAgent>();
  const launches = new Map<string, string[]>(); // agents by call
  const runs = new Map<string, string[]>(); // agents by run of a workflow
  const noteLaunches = (tasks: Outline["tasks"]) => {
    for (const [launched, call] of tasks) listAt(launches, call).push(...(runs.get(launched) ?? [launched]));
  };
  for (const agent of [...agentFiles(path, shared, noteLaunches), ...agentsInside(path, outline)]) {
    waiting.set(agent.agentId, agent);
    if (agent.toolUseId !== null) listAt(launches, agent.toolUseId).push(agent.agentId);
    if (agent.workflowRun !== undefined) listAt(runs, agent.workflowRun).push(agent.agentId);
  }
  noteLaunches(outline.tasks);
  let byWords: Map<string, string[]> | undefined;
  const claimed: FoundAgent[] = [];

  function take(agentId: string | null | undefined): Agent[] {
    const agent = waiting.get(agentId ?? "");
    if (!agent) return [];
    waiting.delete(agent.agentId);
    claimed.push(agent);
    return [agent.read()];
  }

  return {
    launchedBy: (call) => {
      const named = [...(launches.get(call.id) ?? []), call.agentId].flatMap(take);
      const { prompt } = toAgentCall(call.input);
      if (named.length > 0 || !prompt || waiting.size === 0) return named;
      byWords ??= groupByPrompt([...waiting.values()].filter(({ isInline }) => isInline));
      return take(byWords.get(prompt)?.shift());
    },
    unclaimed: () => waiting.values(),
    claimed: () => claimed,
  };
}

function agentFiles(
  path: string,
  shared: SharedSubagents | undefined,
  noteLaunches: (tasks: Outline["tasks"]) => void,
): FoundAgent[] {
  return findSubagentFiles(path, shared).subagents.map(({ path: file, agentId, meta, size }) => {
    const known = { type: stringAt(meta, "agentType"), description: stringAt(meta, "description") };
    const toolUseId = stringAt(meta, "toolUseId") ?? null;
    const workflowRun = workflowRunOf(file);
    return {
      agentId,
      toolUseId,
      workflowRun,
      size,
      isInline: false,
      read: () => readAgentFile(file, agentId, known, noteLaunches),
    };
  });
}

function agentsInside(path: string, outline: Outline): FoundAgent[] {
  return inlineAgents(outline).map(({ agentId, outline: own }) => ({
    agentId,
    toolUseId: null,
    size: 0,
    isInline: true,
    read: () => toAgent(agentId, {}, { view: () => own, viewEnd: () => own }, (wanted) => readBodies(path, wanted)),
  }));
}

/** Agents without an id (1.x) are matched by their prompt; with equal prompts, by order. */
function groupByPrompt(agents: readonly FoundAgent[]): Map<string, string[]> {
  const byPrompt = new Map<string, string[]>();
  for (const agent of agents) {
    const { prompt } = agent.read();
    if (prompt) listAt(byPrompt, prompt).push(agent.agentId);
  }
  return byPrompt;
}

function summaryOf({ summaryNode }: CompactionOutline): Node[] {
  return summaryNode ? [summaryNode] : [];
}

interface AgentMeta {
  readonly type?: string | undefined;
  readonly description?: string | undefined;
}

function readAgentFile(
  path: string,
  agentId: string,
  meta: AgentMeta,
  noteLaunches: (tasks: Outline["tasks"]) => void,
): Agent {
  const { session, bodiesOf } = readSession(path, { keepsBodies: true });
  const branches = session.viewer({});
  noteLaunches(branches.view().tasks);
  return toAgent(agentId, meta, branches, bodiesOf);
}

function toAgent(
  agentId: string,
  { type, description }: AgentMeta,
  branches: BranchViewer,
  bodiesOf: ReadBodies,
): Agent {
  const { active, turns, preamble } = collectTurns(branches);
  const nodes = [...preamble, ...turns.flatMap(({ sketch }) => sketch.nodes)];
  const bodies = bodiesOf(nodes);
  const before = buildPreamble({ nodes: [...preamble], locals: [], marks: [] }, bodies, active);
  const built = turns.map(({ sketch, outline }) => buildTurn(sketch, bodies, outline));
  const parts = [before, ...built];
  const times = [...before.messages, ...before.toolCalls, ...built].flatMap(({ startedAt, endedAt }) => [
    startedAt,
    endedAt,
  ]);
  const known = times.filter((time) => time !== null).sort();
  return {
    agentId,
    type: type ?? null,
    description: description ?? null,
    prompt: built[0]?.prompt ?? null,
    startedAt: known[0] ?? null,
    endedAt: known.at(-1) ?? null,
    messages: parts.flatMap(({ messages }) => messages),
    toolCalls: parts.flatMap(({ toolCalls }) => toolCalls),
    records: bodies.all(nodes),
    followUps: built.flatMap(({ followUps }) => followUps),
    notices: parts.flatMap(({ notices }) => notices),
    compactions: active.compactions.map((compaction) => buildCompaction(compaction, bodiesOf(summaryOf(compaction)))),
  };
}
