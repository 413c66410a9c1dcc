import { toAgentCall } from "../format/agent-call.js";
import type { ToolCall } from "../session/pair-tool-calls.js";
import { type Draft, toMs } from "./observation.js";
import { type Exchange, type ExchangePlace, observeMessages, textOf } from "./observe-messages.js";
import { spanIdOf } from "./span-ids.js";

/** A sub-agent with all it said and did, in whatever file its records stand. */
export interface Agent extends Exchange {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  /** As its own records tell it; 2.0.50 writes none. */
  readonly prompt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Finds and reads what a call launched; each agent is given out once. */
export interface AgentFinder {
  launchedBy(call: ToolCall): readonly Agent[];
}

export type AgentPlace = Pick<ExchangePlace, "prices"> & { readonly agents: AgentFinder };

/** The sub-agents of a call, and theirs, below its tool span. */
export function observeLaunched(call: ToolCall, toolSpanId: string, place: AgentPlace): Draft[] {
  return place.agents.launchedBy(call).flatMap((agent) => observeAgent(agent, call, toolSpanId, place));
}

/** `call` and `parentSpanId` are null for an agent that no call launched: the client warmed up its cache. */
export function observeAgent(
  agent: Agent,
  call: ToolCall | null,
  parentSpanId: string | null,
  place: AgentPlace,
): Draft[] {
  const asked = toAgentCall(call?.input);
  const prompt = agent.prompt ?? asked.prompt ?? null;
  const input = prompt === null ? undefined : { role: "user", content: prompt };
  const type = agent.type ?? asked.type ?? null;
  const startMs = startOf(agent, call);
  const spanId = spanIdOf("agent", agent.agentId);
  const answer = agent.messages.findLast((message) => message.author === "model" && textOf(message) !== "");
  const draft: Draft = {
    kind: "agent",
    spanId,
    parentSpanId,
    name: type ?? "sub-agent",
    startMs,
    endMs: toMs(agent.endedAt),
    input,
    output: answer && { role: "assistant", content: textOf(answer) },
    level: "DEFAULT",
    statusMessage: null,
    metadata: {
      agent_id: agent.agentId,
      ...(type === null ? {} : { agent_type: type }),
      ...describe(agent.description ?? asked.description),
    },
    events: [],
    generation: null,
  };
  const inner = observeMessages(agent, {
    parentSpanId: spanId,
    input,
    startMs,
    agentId: agent.agentId,
    prices: place.prices,
    inside: (inner, toolSpanId) => observeLaunched(inner, toolSpanId, place),
  });
  return [draft, ...inner];
}

/** Where the file has no prompt, its first record is an answer: the agent began when it was launched. */
function startOf({ prompt, startedAt }: Agent, call: ToolCall | null): number | null {
  const told = toMs(startedAt);
  return prompt === null ? (toMs(call?.startedAt) ?? told) : told;
}

function describe(description: string | null | undefined): { description?: string } {
  return description ? { description } : {};
}
