import type { ToolView } from "../../render/tools/tool-view.js";
import type { TurnItem } from "../../render/turn-items.js";
import type { Turn } from "../../session/build-turn.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import type { SessionAnswer } from "./session.js";

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
