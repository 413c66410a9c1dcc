import { costOfSpend, type ModelSpend, type PriceTable } from "./messages/cost.js";
import { sumUsage, type Usage } from "./messages/usage.js";
import {
  type CallFigures,
  type Copyable,
  listRows,
  type MessageFigures,
  type SpentPart,
  type TurnFigures,
} from "./number-rows.js";
import type { Outline } from "./open-session.js";
import type { Totals } from "./totals.js";

export interface PartSpend extends ModelSpend {
  readonly part: SpentPart;
}

/** How often something happened. */
export type Counts = Pick<Totals, (typeof COUNTED)[number]>;

export const COUNTED = [
  ...["turns", "messages", "toolCalls", "toolErrors"],
  ...["failedToolCalls", "deniedToolCalls", "interruptedToolCalls", "apiErrors"],
] as const;

/**
 * What a session did and spent: each message, call and turn once, in the session that made it, with those of its sub-agents. Messages
 * are of all branches, calls and turns of the active one. Added up over a library, these are the totals of its statistics.
 */
export interface SessionCosts extends Counts {
  /** On all branches and in sub-agents, without messages copied from another session: those count there. */
  readonly totalUsage: Usage;
  /** Null if any model has no known price, like all of these. */
  readonly totalCostUsd: number | null;
  /** Of the total, in sub-agents. */
  readonly subagentCostUsd: number | null;
  /** Of the total, on rewound branches only. */
  readonly rewoundCostUsd: number | null;
  /** Not in the total: of the messages in the session's file that another session made. */
  readonly copiedCostUsd: number | null;
  /** Not in `turns`: those of the session's file that another session made. */
  readonly copiedTurns: number;
}

/** Of a session of a list, for example. */
export function pickCosts(session: SessionCosts): SessionCosts {
  const { totalUsage, totalCostUsd, subagentCostUsd, rewoundCostUsd, copiedCostUsd, copiedTurns } = session;
  const costs = { totalUsage, totalCostUsd, subagentCostUsd, rewoundCostUsd, copiedCostUsd, copiedTurns };
  return { ...pickCounts(session), ...costs };
}

export function pickCounts(from: Counts): Counts {
  const { turns, messages, toolCalls, toolErrors } = from;
  const { failedToolCalls, deniedToolCalls, interruptedToolCalls, apiErrors } = from;
  return {
    turns,
    messages,
    toolCalls,
    toolErrors,
    failedToolCalls,
    deniedToolCalls,
    interruptedToolCalls,
    apiErrors,
  };
}

/** The totals of a session as they are shown. */
export interface SessionTotals extends Omit<Totals, keyof Counts>, SessionCosts {
  /** Of the branch that is shown of the session's own file, whoever made it. */
  readonly conversation: Counts;
}

export function toSessionTotals(totals: Totals, costs: SessionCosts): SessionTotals {
  return { ...totals, ...costs, conversation: pickCounts(totals) };
}

interface Figures {
  readonly messages?: readonly MessageFigures[];
  readonly calls?: readonly CallFigures[];
  readonly turns?: readonly TurnFigures[];
}

export function countFigures({ messages = [], calls = [], turns = [] }: Figures): Counts {
  const ended = (wanted: CallFigures["status"]) => calls.filter(({ status }) => status === wanted).length;
  return {
    turns: turns.filter(({ isTurn }) => isTurn).length,
    messages: messages.length,
    toolCalls: calls.length,
    toolErrors: calls.filter(({ isError }) => isError).length,
    failedToolCalls: ended("error"),
    deniedToolCalls: ended("denied"),
    interruptedToolCalls: ended("interrupted"),
    apiErrors: turns.reduce((sum, { apiErrors }) => sum + apiErrors, 0),
  };
}

export function addCounts(a: Counts, b: Counts, factor = 1): Counts {
  return {
    turns: a.turns + factor * b.turns,
    messages: a.messages + factor * b.messages,
    toolCalls: a.toolCalls + factor * b.toolCalls,
    toolErrors: a.toolErrors + factor * b.toolErrors,
    failedToolCalls: a.failedToolCalls + factor * b.failedToolCalls,
    deniedToolCalls: a.deniedToolCalls + factor * b.deniedToolCalls,
    interruptedToolCalls: a.interruptedToolCalls + factor * b.interruptedToolCalls,
    apiErrors: a.apiErrors + factor * b.apiErrors,
  };
}

/** By part, model and speed. */
export function spentByPart(messages: readonly PartSpend[]): PartSpend[] {
  const groups = new Map<string, PartSpend>();
  for (const { part, model, speed, usage } of messages) {
    const key = `${part} ${model} ${speed}`;
    const known = groups.get(key);
    groups.set(key, { part, model, speed, usage: known ? sumUsage([known.usage, usage]) : usage });
  }
  return [...groups.values()];
}

export const PARTS: readonly SpentPart[] = ["active", "rewound", "subagent"];

interface CopiedFigures {
  readonly spent: readonly ModelSpend[];
  readonly turns: number;
}

/** `own` and `counts` without what was copied. */
export function sumCosts(
  own: readonly PartSpend[],
  counts: Counts,
  copied: CopiedFigures,
  prices: PriceTable | undefined,
): SessionCosts {
  const of = (part: SpentPart) => own.filter((spent) => spent.part === part);
  return {
    // Named one by one: of ten thousand sessions of a list, a spread takes longer than all sums.
    turns: counts.turns,
    messages: counts.messages,
    toolCalls: counts.toolCalls,
    toolErrors: counts.toolErrors,
    failedToolCalls: counts.failedToolCalls,
    deniedToolCalls: counts.deniedToolCalls,
    interruptedToolCalls: counts.interruptedToolCalls,
    apiErrors: counts.apiErrors,
    totalUsage: sumUsage(own.map(({ usage }) => usage)),
    totalCostUsd: costOfSpend(own, prices),
    subagentCostUsd: costOfSpend(of("subagent"), prices),
    rewoundCostUsd: costOfSpend(of("rewound"), prices),
    copiedCostUsd: costOfSpend(copied.spent, prices),
    copiedTurns: copied.turns,
  };
}

/**
 * The costs of a session as its own files tell them: a message counts as copied where its record says so, and a message that
 * several files of the session hold counts in the first.
 */
export function costsOfFiles(outline: Outline, subagents: readonly Outline[], prices?: PriceTable): SessionCosts {
  const own = listRows(outline, false);
  const seen = new Set<number>();
  const take = <Row extends Copyable>(rows: readonly Row[]) => {
    const counted = rows.filter(({ key, isCopied }) => !isCopied && !seen.has(key));
    for (const { key } of rows) seen.add(key);
    return counted;
  };
  const counted = [own, ...subagents.map((agent) => listRows(agent, true))].map(({ messages, calls, turns }) => {
    return { messages: take(messages), calls: take(calls), turns: take(turns) };
  });
  const counts = counted.map(countFigures).reduce((sum, more) => addCounts(sum, more));
  const copied = {
    spent: spentByPart(own.messages.filter(({ isCopied }) => isCopied)),
    turns: countFigures(own).turns - counts.turns,
  };
  return sumCosts(spentByPart(counted.flatMap(({ messages }) => messages)), counts, copied, prices);
}
