import type { SessionHeader } from "../../session/describe-session.js";
import { emptyUsage } from "../../session/messages/usage.js";
import type { NumberRows } from "../../session/number-rows.js";
import type { Outline } from "../../session/open-session.js";
import { COUNTED, type Counts, countFigures, PARTS, type PartSpend, spentByPart } from "../../session/session-spend.js";
import { linksOf, type SessionLinks, toReported } from "../load/session-summary.js";
import { addUsage } from "./ledger.js";

/**
 * The list columns of a session as one JSON array: reading many columns takes several times as long. Its counts are first those of
 * the conversation, then what counts in its file (`CountCells`).
 */
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
  failedToolCalls: number,
  deniedToolCalls: number,
  interruptedToolCalls: number,
  messages: number,
  counts: CountCells,
  links: LinkCells,
];

/** In the order of `COUNTED`. */
export type CountCells = readonly number[];

/** Pull requests, each with its number, address, repository and time, and commits, each with sha, git branch, subject and time. */
export type LinkCells = readonly [
  pullRequests: readonly (readonly [number | null, string | null, string | null, string | null])[],
  commits: readonly (readonly [string, string | null, string | null, string | null])[],
];

/** What a sub-agent spent, did and left behind, as JSON of `SpentCells`, `CountCells` and `LinkCells`. */
export type AgentCells = readonly [spent: string, counts: string, links: string];

export type SpentCells = readonly [
  model: string | null,
  speed: string | null,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  webSearches: number,
  webFetches: number,
  part: number,
];

/** JSON paths of cells, for SQL. */
export const ERROR_PATHS = ["$[9]", "$[4]"] as const;
export const TOOLS_PATH = "$[6]";

export function packSummary(outline: Outline, header: SessionHeader, rows: NumberRows): string {
  const { totals, calls } = outline;
  const cells: SummaryCells = [
    header.startedAt,
    totals.turns,
    totals.toolCalls,
    totals.toolErrors,
    totals.apiErrors,
    header.models,
    [...new Set([...calls.values()].map(({ name }) => name))],
    header.gitBranch,
    toAllSpentCells(rows),
    totals.failedToolCalls,
    totals.deniedToolCalls,
    totals.interruptedToolCalls,
    totals.messages,
    toCountCells(countFigures(rows)),
    toLinkCells(linksOf([outline])),
  ];
  return JSON.stringify(cells);
}

export function packAgent(outline: Outline, rows: NumberRows): AgentCells {
  const links = toLinkCells(linksOf([outline]));
  return [
    JSON.stringify(toAllSpentCells(rows)),
    JSON.stringify(toCountCells(countFigures(rows))),
    JSON.stringify(links),
  ];
}

function toLinkCells({ pullRequests, commits }: SessionLinks): LinkCells {
  return [
    pullRequests.map(({ number, url, repository, at }) => [number, url, repository, at]),
    commits.map(({ sha, branch, subject, at }) => [sha, branch, subject, at]),
  ];
}

export function unpackLinks([pullRequests, commits]: LinkCells): SessionLinks {
  return {
    pullRequests: pullRequests.map(([number, url, repository, at]) => ({ number, url, repository, at })),
    commits: commits.map(([sha, branch, subject, at]) => toReported({ sha, branch, subject, at })),
  };
}

function toAllSpentCells({ messages }: NumberRows): SpentCells[] {
  return spentByPart(messages).map((spent) => toSpentCells(spent));
}

export function toCountCells(counts: Counts): CountCells {
  return COUNTED.map((name) => counts[name]);
}

export function unpackCounts(cells: CountCells): Counts {
  return {
    turns: cells[0] ?? 0,
    messages: cells[1] ?? 0,
    toolCalls: cells[2] ?? 0,
    toolErrors: cells[3] ?? 0,
    failedToolCalls: cells[4] ?? 0,
    deniedToolCalls: cells[5] ?? 0,
    interruptedToolCalls: cells[6] ?? 0,
    apiErrors: cells[7] ?? 0,
  };
}

/** With a factor of -1, cells that cancel these. */
export function toSpentCells({ part, model, speed, usage: figures }: PartSpend, factor = 1): SpentCells {
  const usage = emptyUsage();
  addUsage(usage, figures, factor);
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  return [
    model,
    speed,
    input,
    output,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    webSearches,
    webFetches,
    PARTS.indexOf(part),
  ];
}

export function unpackSpent(cells: SpentCells): PartSpend {
  const usage = {
    input: cells[2],
    output: cells[3],
    cacheRead: cells[4],
    cacheWrite5m: cells[5],
    cacheWrite1h: cells[6],
    webSearches: cells[7],
    webFetches: cells[8],
  };
  return { part: PARTS[cells[9]] ?? "active", model: cells[0], speed: cells[1], usage };
}
