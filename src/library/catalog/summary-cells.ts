import type { SessionHeader } from "../../session/describe-session.js";
import { type ModelSpend, spentByModel } from "../../session/messages/cost.js";
import { countOnce } from "../../session/messages/message.js";
import type { Outline } from "../../session/open-session.js";

/** The list columns of a session as one JSON array: reading many columns takes several times as long. */
export type SummaryCells = readonly [
  startedAt: string | null,
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

/** JSON paths of cells, for SQL. */
export const ERROR_PATHS = ["$[3]", "$[4]"] as const;
export const TOOLS_PATH = "$[6]";

export function packSummary({ totals, calls, messages }: Outline, header: SessionHeader): string {
  const cells: SummaryCells = [
    header.startedAt,
    totals.turns,
    totals.toolCalls,
    totals.toolErrors,
    totals.apiErrors,
    header.models,
    [...new Set([...calls.values()].map(({ name }) => name))],
    header.gitBranch,
    spentByModel(countOnce(messages.values())).map(packSpent),
  ];
  return JSON.stringify(cells);
}

function packSpent({ model, speed, usage }: ModelSpend): SpentCells {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  return [model, speed, input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
}

export function unpackSpent(cells: SpentCells): ModelSpend {
  const usage = {
    input: cells[2],
    output: cells[3],
    cacheRead: cells[4],
    cacheWrite5m: cells[5],
    cacheWrite1h: cells[6],
    webSearches: cells[7],
    webFetches: cells[8],
  };
  return { model: cells[0], speed: cells[1], usage };
}
