import type { ComponentChildren } from "preact";
import type { ToolCall } from "../../../session/turns/tool-calls.js";
import { formatCount, formatDuration } from "../../format-values.js";
import { hasFailed } from "../../tools/view-parts.js";
import type { TurnItem } from "../../turn-items.js";

/** Many tool calls folded into one line. */
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

export type ItemGroup<Item> =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "run"; readonly items: readonly Item[]; readonly summary: RunSummary };

/** An item of a turn; of a call only status and duration are needed. */
export type GroupableItem =
  | Exclude<TurnItem, { readonly kind: "call" }>
  | { readonly kind: "call"; readonly call: Pick<ToolCall, "status" | "durationMs"> };

interface RunSummary {
  readonly calls: number;
  readonly failed: number;
  readonly durationMs: number;
}

const MAX_OPEN_CALLS = 5;

/** Long runs of tool calls, with the thinking between them, are folded together. */
export function groupItems<Item extends GroupableItem>(items: readonly Item[]): ItemGroup<Item>[] {
  return splitRuns(items).flatMap((run): ItemGroup<Item>[] => {
    const summary = summarize(run);
    return summary.calls > MAX_OPEN_CALLS
      ? [{ kind: "run", items: run, summary }]
      : run.map((item) => ({ kind: "one", item }));
  });
}

function splitRuns<Item extends GroupableItem>(items: readonly Item[]): Item[][] {
  const runs: Item[][] = [];
  let isRunning = false;
  for (const item of items) {
    const isPart = item.kind === "call" || item.kind === "thinking";
    if (isPart && isRunning) runs.at(-1)?.push(item);
    else runs.push([item]);
    isRunning = isPart;
  }
  return runs;
}

function summarize(run: readonly GroupableItem[]): RunSummary {
  const calls = run.flatMap((item) => (item.kind === "call" ? [item.call] : []));
  return {
    calls: calls.length,
    failed: calls.filter(hasFailed).length,
    durationMs: calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  };
}
