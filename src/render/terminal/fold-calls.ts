import { toFileCall } from "../../format/file-call.js";
import { formatCount, formatDuration } from "../format-values.js";
import { shownToolName } from "../tools/shown-tool-name.js";
import type { TurnItem } from "../turn-items.js";
import { paintCallLine } from "./paint-call.js";
import type { PaintOptions } from "./paint-options.js";
import { toSpan } from "./span.js";

type CallItem = Extract<TurnItem, { kind: "call" }>;

/** Calls that are told in one line, all together. */
export interface FoldedCalls {
  readonly kind: "foldedCalls";
  readonly calls: readonly CallItem[];
}

const LONGEST_RUN = 5;

/** Of a long run of calls the quiet ones fold into one line; what failed, changed a file or launched an agent stays below it. */
export function foldCalls(items: readonly TurnItem[]): (TurnItem | FoldedCalls)[] {
  return splitRuns(items).flatMap((run): (TurnItem | FoldedCalls)[] => {
    const quiet = run.filter(isQuiet);
    if (quiet.length <= LONGEST_RUN) return run;
    return [{ kind: "foldedCalls", calls: quiet }, ...run.filter((item) => !isQuiet(item))];
  });
}

/** Calls that follow each other are one run, everything else is alone. */
function splitRuns(items: readonly TurnItem[]): TurnItem[][] {
  const runs: TurnItem[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (item.kind === "call" && last?.[0]?.kind === "call") last.push(item);
    else runs.push([item]);
  }
  return runs;
}

function isQuiet(item: TurnItem): item is CallItem {
  if (item.kind !== "call" || item.isKept) return false;
  const { status, agentId } = item.call;
  const changesFile = (toFileCall(item.call)?.kind ?? "read") !== "read";
  return status === "ok" && agentId === null && !changesFile;
}

export function paintFoldedCalls({ calls }: FoldedCalls, options: PaintOptions): string[] {
  const { style } = options;
  const counts = new Map<string, number>();
  for (const { call } of calls) {
    const name = shownToolName(call.name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", ");
  const durations = calls.flatMap(({ call }) => call.durationMs ?? []);
  const took = durations.reduce((sum, duration) => sum + duration, 0);
  const facts = durations.length === 0 ? [] : [toSpan(formatDuration(took), style.dim)];
  const sign = toSpan("✓", style.green);
  return [paintCallLine({ sign, name: formatCount(calls.length, "tool call"), title: names, facts }, options)];
}
