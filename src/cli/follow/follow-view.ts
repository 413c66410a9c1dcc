import type { Clean } from "../../redact/create-redactor.js";
import { costOfTurn } from "../../render/show-session.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { createTurnPainter } from "../../render/terminal/turn-painter.js";
import { viewTurnItems } from "../../render/turn-items.js";
import type { PriceTable } from "../../session/messages/cost.js";
import type { PreservedRecords } from "../../session/replay/select-replay.js";
import type { Turn } from "../../session/turns/build-turn.js";
import { callEvent, partEvents, promptEvent, type SessionEvent } from "../../session/turns/session-events.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import type { TurnContent } from "../../session/turns/unseen-parts.js";
import type { Io } from "../io.js";
import { printedLine } from "../terminal/printed-json.js";

/** The session that output is about. */
interface SessionContext {
  readonly sessionId: string;
  readonly kept: PreservedRecords;
}

/** How events are printed: as text, or as lines of JSON. */
export interface FollowView {
  /** Printed before the output of a session; text only. */
  heading(text: string): string;
  opening(turn: Turn, context: SessionContext): string;
  part(part: TurnContent, context: SessionContext): string;
  closing(turn: Turn): string;
  running(call: ToolCall): string;
  agentCall(call: ToolCall, agent: { readonly id: string; readonly name: string }, sessionId: string): string;
}

export interface TextOptions {
  readonly paint: PaintOptions;
  readonly prices: PriceTable | undefined;
  /** Unfinished parts are shown on a terminal only. */
  readonly isTerminal: boolean;
}

export function textView(clean: Clean, { paint, prices, isTerminal }: TextOptions): FollowView {
  const painter = createTurnPainter(paint);
  return {
    heading: (text) => text,
    opening: (turn) => painter.opening({ turn: clean(turn, "turn") }),
    part: (part, { kept }) => {
      const shown = clean(part, "turn");
      return [...painter.items(viewTurnItems(shown, { compactions: shown.compactions, kept }))].join("");
    },
    closing: (turn) => painter.closing(turn, costOfTurn(turn, prices)),
    running: (call) => (isTerminal && paint.tools !== "none" ? painter.running(clean(call, "call")) : ""),
    agentCall: (call, { name }) =>
      paint.tools === "none" ? "" : painter.agentCall(clean(name, "agent"), clean(call, "call")),
  };
}

export function jsonView(clean: Clean, io: Pick<Io, "isTerminal">): FollowView {
  const line = (event: SessionEvent, sessionId: string, agentId: string | null = null) =>
    printedLine({ sessionId, agentId, ...clean(event, "event") }, io);
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
