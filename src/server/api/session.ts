import type { WorkflowStep } from "../../library/load/workflow-runs.js";
import type { ShownHeader, ShownTotals } from "../../render/show-session.js";
import type { ToolView } from "../../render/tools/view-parts.js";
import type { TurnItem } from "../../render/turn-items.js";
import type { Warning } from "../../session/facts/facts.js";
import type { ToolStatus } from "../../session/messages/tool-status.js";
import type { Usage } from "../../session/messages/usage.js";
import type { DeadBranch, Totals } from "../../session/totals.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** `GET /api/sessions/:id`: everything but the texts. `?branch=` selects a rewound branch, `?from=&to=` a range of turns. */
export interface SessionAnswer {
  readonly header: ServedHeader;
  readonly totals: ShownTotals;
  readonly live: boolean;
  readonly sizeBytes: number;
  /** Increases when the file changes: equal versions have equal turns. */
  readonly version: number;
  readonly turns: readonly OutlineTurn[];
  readonly compactions: readonly OutlineCompaction[];
  readonly branches: {
    readonly active: string | null;
    readonly shown: string | null;
    readonly dead: readonly OutlineBranch[];
  };
  readonly subagents: readonly ServedSubagent[];
  readonly warnings: readonly Warning[];
  /** The command that resumes it in Claude Code; null where the project folder is unknown. */
  readonly resumeCommand: string | null;
}

export interface ServedHeader extends ShownHeader {
  readonly userTitle: string | null;
}

export interface OutlineTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  /** Of its last user or assistant record. */
  readonly lastUuid: string | null;
  readonly line: number;
  readonly kind: Turn["kind"];
  readonly round: Turn["round"];
  readonly prompt: string; // shortened
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly complete: boolean;
  readonly interrupted: boolean;
  readonly calls: readonly OutlineCall[];
  readonly apiErrors: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface OutlineCall {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
}

export interface OutlineCompaction {
  readonly turn: number; // 0: before the first turn turn
  readonly line: number;
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
}

export interface OutlineBranch extends DeadBranch {
  /** Number of leading turns it shares with the active branch; null where that was not computed. */
  readonly sharedTurns: number | null;
}

export interface ServedSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly turn: number | null; // that launched it
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  /** It began with the conversation of the session or sub-agent that made it. */
  readonly isFork: boolean;
  /** The sub-agent that launched it; null for the session itself. */
  readonly parentAgentId: string | null;
  readonly workflow: WorkflowStep | null;
  readonly totals: Totals;
}

/**
 * `GET /api/sessions/:id/opening?turn=&branch=`: what is shown first, in one answer. Without `turn` it starts with the first
 * turn, or with the last ones of a live session.
 */
export interface OpeningAnswer {
  /** Its `turns` are only those around the visible ones. */
  readonly session: SessionAnswer;
  readonly turns: TurnsAnswer;
}

/** `GET /api/sessions/:id/turns?from=&to=&branch=`, also for a sub-agent. */
export interface TurnsAnswer {
  readonly total: number;
  readonly from: number;
  /** The last turn included; fewer than requested when they are long. */
  readonly to: number;
  readonly version: number;
  /** What precedes the first turn; empty unless turn 1 is requested. */
  readonly preamble: readonly ServedItem[];
  readonly turns: readonly ServedTurn[];
}

/** `GET /api/sessions/:id/subagents/:agentId/fork-context`: the conversation that a forked sub-agent began with. */
export interface ForkContextAnswer {
  readonly sessionId: string | null; // null: a sub-agent made the fork
  readonly uuid: string | null; // of its last record
  readonly records: number;
  /** Why it is empty. */
  readonly problem: string | null;
  readonly turns: readonly ServedTurn[];
  /** There are more turns than were sent. */
  readonly isCut: boolean;
}

export interface ServedTurn {
  readonly turn: ServedTurnFacts;
  readonly items: readonly ServedItem[];
  readonly costUsd: number | null;
  readonly isPromptKept: boolean;
  /** Long texts were shortened; `&whole=1` returns them in full. */
  readonly isCut: boolean;
}

/** A turn without what its items contain. */
export type ServedTurnFacts = Omit<
  Turn,
  "messages" | "toolCalls" | "followUps" | "locals" | "notices" | "orphanResults"
> & { readonly models: readonly string[] };

export type ServedItem =
  | Exclude<TurnItem, { readonly kind: "call" }>
  | (Omit<Extract<TurnItem, { readonly kind: "call" }>, "call"> & {
      readonly call: ServedCall;
      readonly view: ToolView;
    });

/** A tool call without input and result, which its view shows. */
export type ServedCall = Omit<ToolCall, "input" | "result" | "resultData" | "resultBlocks">;

/** `POST /api/sessions/:id/reveal`: turns, or a raw record, without masks. */
export type RevealRequest =
  | {
      readonly from: number;
      readonly to: number;
      readonly branch?: string | undefined;
      readonly agentId?: string | undefined;
    }
  | { readonly line: number; readonly agentId?: string | undefined };

/** `GET /api/sessions/:id/raw?line=`. */
export interface RawAnswer {
  readonly line: number;
  /** Several where the line holds more than one JSON object, none where it is blank. */
  readonly records: readonly RawRecord[];
  readonly isCut: boolean;
  /** No record follows. */
  readonly isLast: boolean;
}

export interface RawRecord {
  readonly kind: string;
  readonly raw: unknown; // the text of a broken line
}

/** `GET /api/sessions/:id/context`: what filled the context window, turn by turn. */
export interface ContextAnswer {
  readonly points: readonly ContextPoint[];
  readonly agents: readonly AgentSpan[];
}

/** When a sub-agent worked, with its tool calls. */
export interface AgentSpan {
  readonly agentId: string;
  readonly turn: number | null; // that launched it
  readonly name: string;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
  readonly calls: readonly OutlineCall[];
}

/** In tokens: estimates by text length, scaled to the recorded count where there is one. */
export interface ContextPoint {
  readonly turn: number;
  readonly at: string | null;
  /** Counted by the API at the end of the turn. */
  readonly recordedTokens: number | null;
  /** System prompt, tool definitions and everything else that is not in the records. */
  readonly system: number;
  readonly prompts: number;
  readonly answers: number;
  readonly thinking: number; // of this turn only: the API drops older thinking
  readonly toolInputs: number;
  readonly toolResults: Readonly<Record<string, number>>;
  readonly summary: number; // of the last compaction
  /** The part of the results that repeats files read before in the same window. */
  readonly readAgain: number;
  readonly compaction: { readonly preTokens: number | null; readonly postTokens: number | null } | null;
  /** By which the estimates were multiplied, so that they add up to what was counted. */
  readonly scale: number;
}

/** `GET /api/sessions/:id/context/window?turn=&branch=`: what was in the context window at the end of a turn, part by part. */
export interface WindowAnswer {
  readonly point: ContextPoint;
  /** The first turn whose messages are in the window: later than 1 after a compaction. */
  readonly from: number;
  /** The largest parts. */
  readonly parts: readonly WindowPart[];
  /** How many there are, with those that are too small to be listed. */
  readonly total: number;
}

export interface WindowPart {
  readonly kind: "prompt" | "answer" | "thinking" | "call" | "result";
  readonly turn: number;
  readonly callId: string | null;
  readonly tool: string | null;
  readonly title: string; // of the call, or the beginning of the text
  readonly tokens: number; // an estimate
  /** The file was read before in the same window. */
  readonly isAgain: boolean;
}
