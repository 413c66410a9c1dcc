import type { TurnItem } from "../turn-items.js";

export type ItemGroup =
  | { readonly kind: "one"; readonly item: TurnItem }
  | { readonly kind: "run"; readonly items: readonly TurnItem[]; readonly summary: RunSummary };

export interface RunSummary {
  readonly calls: number;
  readonly failed: number;
  readonly durationMs: number;
}

const LONGEST_OPEN_RUN = 5; // calls

/** Long runs of tool calls, with the thinking between them, are folded together. */
export function groupItems(items: readonly TurnItem[]): ItemGroup[] {
  return splitRuns(items).flatMap((run): ItemGroup[] => {
    const summary = summarize(run);
    return summary.calls > LONGEST_OPEN_RUN
      ? [{ kind: "run", items: run, summary }]
      : run.map((item) => ({ kind: "one", item }));
  });
}

function splitRuns(items: readonly TurnItem[]): TurnItem[][] {
  const runs: TurnItem[][] = [];
  let isRunning = false;
  for (const item of items) {
    const isPart = item.kind === "call" || item.kind === "thinking";
    if (isPart && isRunning) runs.at(-1)?.push(item);
    else runs.push([item]);
    isRunning = isPart;
  }
  return runs;
}

function summarize(run: readonly TurnItem[]): RunSummary {
  const calls = run.flatMap((item) => (item.kind === "call" ? [item.call] : []));
  return {
    calls: calls.length,
    failed: calls.filter(({ status }) => status !== "ok" && status !== "orphan").length,
    durationMs: calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  };
}
