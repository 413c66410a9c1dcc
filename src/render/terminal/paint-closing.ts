import type { Turn } from "../../session/build-turn.js";
import { formatCost, formatDuration, formatTokens, totalTokens } from "../format-values.js";
import type { PaintOptions } from "./paint-options.js";
import { paintWords } from "./paint-text.js";
import { toSpan } from "./span.js";

/** What a turn took. */
export function paintClosing(turn: Turn, costUsd: number | null, { style, columns }: PaintOptions): string[] {
  const facts = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.complete ? "" : "open",
    !turn.durationMs ? "" : formatDuration(turn.durationMs),
    `${formatTokens(totalTokens(turn.usage))} tokens`,
    formatCost(costUsd),
  ];
  const figures = toSpan(facts.filter((fact) => fact !== "").join(" · "), style.dim);
  const line = turn.interrupted ? [toSpan("✗ interrupted", style.red), toSpan(" · ", style.dim), figures] : [figures];
  return paintWords(line, { columns });
}
