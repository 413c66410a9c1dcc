import type { LoadedSession } from "../../library/load-session.js";
import { callTurns } from "../../session/call-turns.js";
import type { AgentSpan } from "../api/context.js";
import { viewCalls } from "./view-outline.js";

/** Sub-agents on the clock, those that only warmed up left out. */
export function viewAgents(session: LoadedSession): AgentSpan[] {
  const turnOfCall = callTurns(session.outline);
  return session
    .subagents()
    .filter(({ warmup }) => !warmup)
    .map((agent) => {
      const { outline } = session.subagentSession(agent);
      const times = outline.active.flatMap(({ time }) => time ?? []);
      return {
        agentId: agent.agentId,
        turn: turnOfCall.get(agent.toolUseId ?? "") ?? null,
        name: [agent.type, agent.description].filter((part) => part).join(": ") || agent.agentId,
        startedAt: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
        endedAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
        calls: viewCalls(outline.active, outline),
      };
    });
}
