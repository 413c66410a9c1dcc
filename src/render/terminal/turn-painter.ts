import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { cutToColumns } from "../../text-width.js";
import { neutralize } from "../safe-text.js";
import type { ShownTurn } from "../show-session.js";
import { shownToolName } from "../tools/view-parts.js";
import type { TurnItem } from "../turn-items.js";
import { paintBeside, sameMargin } from "./margin.js";
import { type FoldedCalls, foldCalls, paintCall } from "./paint-call.js";
import type { PaintOptions } from "./paint-options.js";
import { toText } from "./paint-text.js";
import { paintClosing, paintItem, paintPrompt } from "./paint-turn.js";
import { toSpan } from "./spans.js";

/** Paints turns one below the other, each item as soon as it is known. */
export interface TurnPainter {
  opening(shown: Pick<ShownTurn, "turn">): string;
  items(items: readonly TurnItem[]): Generator<string>;
  closing(turn: Turn, costUsd: number | null): string;
  /** A slow call whose result is not known yet. */
  running(call: ToolCall): string;
  /** A call of a sub-agent, among the items of its session. */
  agentCall(agent: string, call: ToolCall): string;
}

/** Paints sub-agents below the call that launched them. */
export interface SubagentPainter {
  hasAgents(call: ToolCall): boolean;
  paint(call: ToolCall, options: PaintOptions): Iterable<string>;
}

const NO_AGENTS: SubagentPainter = { hasAgents: () => false, paint: () => [] };

const BODY_MARGIN = sameMargin("  ");

export function createTurnPainter(options: PaintOptions, agents = NO_AGENTS): TurnPainter {
  const spaced = createSpacing();
  const inBody = (paint: (inner: PaintOptions) => readonly string[]) => paintBeside(BODY_MARGIN, options, paint);
  return {
    opening: ({ turn }) => spaced(paintPrompt(turn, options), "apart"),
    *items(items) {
      const isFolding = options.tools === "brief" && !options.isPlain;
      for (const item of isFolding ? foldCalls(items) : items) {
        const isAgentShown = item.kind === "call" && options.tools !== "none" && agents.hasAgents(item.call);
        yield spaced(
          inBody((inner) => paintItem(item, isAgentShown, inner)),
          distanceOf(item, options),
        );
        if (isAgentShown) yield* agents.paint(item.call, options);
      }
    },
    closing: (turn, costUsd) =>
      spaced(
        inBody((inner) => paintClosing(turn, costUsd, inner)),
        "apart",
      ),
    running: (call) =>
      spaced(
        inBody((inner) => paintRunning(call, inner)),
        "near",
      ),
    agentCall: (agent, call) =>
      spaced(
        inBody((inner) => paintCall(call, inner, { before: [toSpan(`[${agent}] `, inner.style.cyan)] })),
        "near",
      ),
  };
}

type Distance = "near" | "apart";

/** A blank line between two blocks, unless both are `near`. */
function createSpacing(): (lines: readonly string[], distance: Distance) => string {
  let last: Distance = "apart";
  return (lines, distance) => {
    if (lines.length === 0) return "";
    const gap = last === "near" && distance === "near" ? "" : "\n";
    last = distance;
    return gap + toText(lines);
  };
}

function distanceOf({ kind }: TurnItem | FoldedCalls, { tools, thinking }: PaintOptions): Distance {
  switch (kind) {
    case "call":
    case "orphanResult":
      return tools === "full" ? "apart" : "near";
    case "thinking":
      return thinking ? "apart" : "near";
    case "foldedCalls":
    case "notice":
    case "file":
      return "near";
    case "text":
    case "followUp":
    case "words":
    case "local":
    case "compaction":
      return "apart";
  }
}

function paintRunning({ name, summary }: ToolCall, { style, columns }: PaintOptions): string[] {
  return [
    style.dim(cutToColumns(neutralize(`… running ${shownToolName(name)} ${summary}`).replaceAll("\n", " "), columns)),
  ];
}
