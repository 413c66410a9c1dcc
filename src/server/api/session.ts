import type { ShownHeader } from "../../render/show-session.js";
import type { ToolView } from "../../render/tools/view-parts.js";
import type { TurnItem } from "../../render/turn-items.js";
import type { Warning } from "../../session/facts/facts.js";
import type { ToolStatus } from "../../session/messages/tool-status.js";
import type { Usage } from "../../session/messages/usage.js";
import type { DeadBranch, Totals } from "../../session/outline.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** `GET /api/sessions/:id`: everything but the texts. `?branch=` the same along a rewound branch, `?from=&to=` some turns alone. */
export interface SessionAnswer {
  readonly header: ServedHeader;
  readonly totals: Totals;
  readonly live: boolean;
  readonly sizeBytes: number;
  /** Grows with the file: the same version has the same turns. */
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
  /** How its client goes on with it; null where the folder is not known. */
  readonly resumeCommand: string | null;
}

export interface ServedHeader extends ShownHeader {
  readonly userTitle: string | null;
}

export interface OutlineTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  /** Of the last that was said in it. */
  readonly lastUuid: string | null;
  readonly line: number;
  readonly kind: Turn["kind"];
  readonly round: Turn["round"];
  readonly prompt: string; // its beginning
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
  readonly turn: number; // 0: before the first
  readonly line: number;
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
}

export interface OutlineBranch extends DeadBranch {
  /** So many turns it begins with are those of the active branch; null where that was not looked for. */
  readonly sharedTurns: number | null;
}

export interface ServedSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly turn: number | null; // in which it was launched
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly totals: Totals;
}

/**
 * `GET /api/sessions/:id/opening?turn=&branch=`: what is painted first, in one answer. Without a turn, reading begins with
 * the first one, and at the end of a session that is running.
 */
export interface OpeningAnswer {
  /** With the turns around those in sight alone. */
  readonly session: SessionAnswer;
  readonly turns: TurnsAnswer;
}

/** `GET /api/sessions/:id/turns?from=&to=&branch=`, and the same of a sub-agent. */
export interface TurnsAnswer {
  readonly total: number;
  readonly from: number;
  /** The last turn that is given: fewer than asked for when they are long. */
  readonly to: number;
  readonly version: number;
  /** What stands before the first turn; empty unless that one is asked for. */
  readonly preamble: readonly ServedItem[];
  readonly turns: readonly ServedTurn[];
}

export interface ServedTurn {
  readonly turn: ServedTurnFacts;
  readonly items: readonly ServedItem[];
  readonly costUsd: number | null;
  readonly isPromptKept: boolean;
  /** Long texts were shortened: `&whole=1` gives them. */
  readonly isCut: boolean;
}

/** A turn without what its items say. */
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
  /** Several where lines were glued together, none where the line is blank. */
  readonly records: readonly RawRecord[];
  readonly isCut: boolean;
  /** No record follows. */
  readonly isLast: boolean;
}

export interface RawRecord {
  readonly kind: string;
  readonly raw: unknown; // the text of a broken line
}

/** `GET /api/sessions/:id/context`: what filled the window, turn by turn. */
export interface ContextAnswer {
  readonly points: readonly ContextPoint[];
  readonly agents: readonly AgentSpan[];
}

/** When a sub-agent worked, and at what. */
export interface AgentSpan {
  readonly agentId: string;
  readonly turn: number | null; // in which it was launched
  readonly name: string;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
  readonly calls: readonly OutlineCall[];
}

/** Parts are estimates from the length of texts, brought to the recorded figure where there is one. */
export interface ContextPoint {
  readonly turn: number;
  readonly at: string | null;
  /** What the API counted at the end of the turn. */
  readonly recordedTokens: number | null;
  /** System prompt, tools and all else that no record holds. */
  readonly system: number;
  readonly prompts: number;
  readonly answers: number;
  readonly thinking: number; // of this turn alone: the API drops older ones
  readonly toolInputs: number;
  readonly toolResults: Readonly<Record<string, number>>;
  readonly summary: number; // of the compaction before
  /** Of the results: files that were read before in the same window. */
  readonly readAgain: number;
  readonly compaction: { readonly preTokens: number | null; readonly postTokens: number | null } | null;
}
