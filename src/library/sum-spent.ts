import type { Totals } from "../session/outline.js";
import { sumUsage } from "../session/usage.js";
import type { Subagent } from "./list-subagents.js";

export type Spent = Pick<Totals, "usage" | "costUsd" | "unknownOutputs">;

/**
 * What a session and its sub-agents spent together. Sub-agents whose records stand in the session file itself (1.x) are in
 * the session's totals already.
 */
export function sumSpent(path: string, totals: Totals, subagents: readonly Subagent[]): Spent {
  const apart = subagents.filter((agent) => agent.path !== path).map((agent) => agent.totals);
  const all = [totals, ...apart];
  return {
    usage: sumUsage(all.map(({ usage }) => usage)),
    costUsd: all.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
    unknownOutputs: all.reduce((sum, { unknownOutputs }) => sum + unknownOutputs, 0),
  };
}
