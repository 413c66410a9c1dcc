import type { PaintOptions } from "../render/paint-messages.js";
import { paintAgentCall, paintRunningCall } from "../render/paint-messages.js";
import { paintItems, paintTurnClosing, paintTurnOpening } from "../render/paint-session.js";
import { viewTurnItems } from "../render/turn-items.js";
import { wrapLines } from "../render/wrap-lines.js";
import type { Turn } from "../session/build-turn.js";
import { callEvent, partEvents, promptEvent, type SessionEvent } from "../session/events.js";
import type { KeptRecords } from "../session/kept-records.js";
import type { ToolCall } from "../session/pair-tool-calls.js";
import type { TurnPart } from "../session/unseen-parts.js";
import type { Clean } from "./clean.js";
import type { Io } from "./io.js";

/** The session of which something is told. */
interface Teller {
  readonly sessionId: string;
  readonly kept: KeptRecords;
}

/** How what happens in a session is told: as text for reading, or as lines of JSON. */
export interface FollowView {
  /** Ahead of what a session tells; for reading only. */
  heading(text: string): string;
  opening(turn: Turn, teller: Teller): string;
  part(part: TurnPart, teller: Teller): string;
  closing(turn: Turn): string;
  running(call: ToolCall): string;
  agentCall(call: ToolCall, agent: { readonly id: string; readonly name: string }, sessionId: string): string;
}

export function textView(clean: Clean, paint: PaintOptions, { isTerminal, columns }: Io): FollowView {
  const wrapped = (text: string) => (isTerminal ? wrapLines(text, columns) : text);
  return {
    heading: wrapped,
    opening: (turn, { kept }) =>
      wrapped(paintTurnOpening({ turn: clean(turn, "turn"), isPromptKept: kept.lines.has(turn.line) }, paint)),
    part: (part, { kept }) => {
      const shown = clean(part, "turn");
      return wrapped(paintItems(viewTurnItems(shown, { compactions: shown.compactions, kept }), paint));
    },
    closing: (turn) => paintTurnClosing(turn, paint),
    running: (call) =>
      isTerminal && paint.tools !== "none" ? wrapped(paintRunningCall(clean(call, "call"), paint)) : "",
    agentCall: (call, { name }) =>
      paint.tools === "none" ? "" : wrapped(paintAgentCall(clean(name, "agent"), clean(call, "call"), paint)),
  };
}

export function jsonView(clean: Clean): FollowView {
  const line = (event: SessionEvent, sessionId: string, agentId: string | null = null) =>
    `${JSON.stringify({ sessionId, agentId, ...clean(event, "event") })}\n`;
  return {
    heading: () => "",
    opening: (turn, { sessionId }) => line(promptEvent(turn), sessionId),
    part: (part, { sessionId }) =>
      partEvents(part, part.followUps)
        .map((event) => line(event, sessionId))
        .join(""),
    closing: () => "",
    running: () => "",
    agentCall: (call, { id }, sessionId) => line(callEvent(call), sessionId, id),
  };
}
