import { costOfSpend, type PriceTable } from "../../session/messages/cost.js";
import { sumUsage } from "../../session/messages/usage.js";
import type { Counts } from "../../session/session-spend.js";
import { type SummaryCells, unpackCounts, unpackLinks, unpackSpent } from "../entries/summary-cells.js";
import { knownFacts, type UserData } from "../found-session.js";
import { joinLinks, type SessionSummary } from "../load/session-summary.js";
import { sourceOf } from "../sources/below-roots.js";
import { type AgentFigures, type Copies, costsInLibrary } from "./copies.js";

export type FileCells = readonly [
  path: string,
  sessionId: string,
  size: number,
  archive: string | null,
  endedAt: string | null,
  project: string | null,
  title: string,
  hasSecret: number,
];

export interface ListOptions extends UserData {
  readonly prices?: PriceTable;
}

/** What concerns a session besides its own row. */
export interface OtherFiles {
  readonly subagents: readonly AgentFigures[];
  readonly copies: Copies;
}

/** Cells are read by index and properties named one by one: destructuring or spreading them takes longer than everything else here. */
export function toSummary(
  file: FileCells,
  cells: SummaryCells,
  others: OtherFiles,
  options: ListOptions,
): SessionSummary {
  const [path, id] = [file[0], file[1]];
  const facts = knownFacts(id, options, { source: sourceOf(path, options), archived: file[3] !== null });
  const spent = cells[8].map(unpackSpent);
  const own = { path, spent, counts: unpackCounts(cells[13]) };
  const costs = costsInLibrary(own, others.subagents, others.copies, options.prices);
  const links = joinLinks([unpackLinks(cells[14]), ...others.subagents.map((agent) => agent.links)]);
  return {
    id,
    path,
    project: file[5],
    title: facts.userTitle ?? file[6],
    startedAt: cells[0],
    endedAt: file[4],
    models: cells[5],
    usage: sumUsage(spent.map(({ usage }) => usage)),
    costUsd: costOfSpend(spent, options.prices),
    sizeBytes: file[2],
    subagents: others.subagents.length,
    gitBranch: cells[7],
    conversation: toConversation(cells),
    tools: cells[6],
    userTitle: facts.userTitle,
    tags: facts.tags,
    favourite: facts.favourite,
    note: facts.note,
    source: facts.source,
    archived: facts.archived,
    pullRequests: links.pullRequests,
    commits: links.commits,
    turns: costs.turns,
    messages: costs.messages,
    toolCalls: costs.toolCalls,
    toolErrors: costs.toolErrors,
    failedToolCalls: costs.failedToolCalls,
    deniedToolCalls: costs.deniedToolCalls,
    interruptedToolCalls: costs.interruptedToolCalls,
    apiErrors: costs.apiErrors,
    totalUsage: costs.totalUsage,
    totalCostUsd: costs.totalCostUsd,
    subagentCostUsd: costs.subagentCostUsd,
    rewoundCostUsd: costs.rewoundCostUsd,
    copiedCostUsd: costs.copiedCostUsd,
    copiedTurns: costs.copiedTurns,
  };
}

function toConversation(cells: SummaryCells): Counts {
  return {
    turns: cells[1],
    messages: cells[12],
    toolCalls: cells[2],
    toolErrors: cells[3],
    failedToolCalls: cells[9],
    deniedToolCalls: cells[10],
    interruptedToolCalls: cells[11],
    apiErrors: cells[4],
  };
}
