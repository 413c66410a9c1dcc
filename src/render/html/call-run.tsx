import type { ComponentChildren } from "preact";
import { formatCount, formatDuration } from "../format-values.js";
import type { RunSummary } from "./group-items.js";

/** Many tool calls in one line; those that failed stay visible. */
export function CallRun({ summary, children }: { readonly summary: RunSummary; readonly children: ComponentChildren }) {
  const { calls, failed, durationMs } = summary;
  const words = [
    formatCount(calls, "tool call"),
    failed > 0 ? `${failed} failed` : "",
    durationMs > 0 ? formatDuration(durationMs) : "",
  ];
  return (
    <details class="run">
      <summary>{words.filter((word) => word !== "").join(", ")}</summary>
      {children}
    </details>
  );
}
