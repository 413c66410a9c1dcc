import type { SessionHeader } from "../../session/describe-session.js";
import type { Outline } from "../../session/outline.js";
import { type ModelSpend, spentByModel } from "../../session/spent-by-model.js";

/** What a list tells of a session besides its name and place, as it is kept: reading many columns takes several times as long. */
export type SummaryCells = readonly [
  startedAt: string | null,
  endedAt: string | null,
  turns: number,
  toolCalls: number,
  toolErrors: number,
  apiErrors: number,
  models: readonly string[],
  tools: readonly string[],
  gitBranch: string | null,
  spent: readonly SpentCells[],
];

type SpentCells = readonly [
  model: string | null,
  speed: string | null,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  webSearches: number,
  webFetches: number,
];

/** Where SQLite finds them. */
export const ERROR_PATHS = ["$[4]", "$[5]"] as const;
export const TOOLS_PATH = "$[7]";

export function packSummary({ totals, calls, messages }: Outline, header: SessionHeader): string {
  const cells: SummaryCells = [
    header.startedAt,
    header.endedAt,
    totals.turns,
    totals.toolCalls,
    totals.toolErrors,
    totals.apiErrors,
    header.models,
    [...new Set([...calls.values()].map(({ name }) => name))],
    header.gitBranch,
    spentByModel(messages.values()).map(packSpent),
  ];
  return JSON.stringify(cells);
}

function packSpent({ model, speed, usage }: ModelSpend): SpentCells {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  return [model, speed, input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
}

export function unpackSpent([model, speed, ...counters]: SpentCells): ModelSpend {
  const [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches] = counters;
  return {
    model,
    speed,
    usage: { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches },
  };
}
