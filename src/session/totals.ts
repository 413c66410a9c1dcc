import type { Facts } from "./facts/facts.js";
import type { BranchNodes } from "./graph/find-branches.js";
import type { Node } from "./graph/node.js";
import { costOfSpend, type PriceTable, spentByModel } from "./messages/cost.js";
import { countOnce, isCountedMessage, isOutputKnown, type MessageOutline, usageOf } from "./messages/message.js";
import { sumUsage, type Usage } from "./messages/usage.js";
import type { QueuedTest } from "./turns/follow-ups.js";
import { outlineTurns } from "./turns/outline-turns.js";
import type { CallOutline } from "./turns/tool-calls.js";

/** Turns, messages and calls are of the shown branch; usage and cost of the whole file, rewound branches included. */
export interface Totals {
  readonly turns: number;
  readonly messages: number;
  readonly toolCalls: number;
  /** Calls whose result is marked as an error, whatever the reason: failed, denied, or interrupted. */
  readonly toolErrors: number;
  /** Calls that ran and failed. */
  readonly failedToolCalls: number;
  /** Calls that a person, a rule, a hook or the settings did not allow. */
  readonly deniedToolCalls: number;
  readonly interruptedToolCalls: number;
  readonly orphanToolCalls: number;
  readonly orphanToolResults: number;
  readonly apiErrors: number;
  readonly usage: Usage;
  readonly unknownOutputs: number; // messages whose output tokens are not recorded
  readonly costUsd: number | null;
  readonly records: number;
  readonly otherRecords: number;
  readonly brokenLines: number;
}

/** How the tool calls of a conversation ended badly, each call once, and the requests that the API refused. */
export type Failures = Pick<Totals, "failedToolCalls" | "deniedToolCalls" | "interruptedToolCalls" | "apiErrors">;

type SpentTotals = Pick<Totals, "usage" | "unknownOutputs" | "costUsd" | "records" | "otherRecords" | "brokenLines">;

/** Spending over all branches, and what the file is made of. */
export function countSpent(
  { facts, messages }: { readonly facts: Facts; readonly messages: ReadonlyMap<string, MessageOutline> },
  prices: PriceTable | undefined,
): SpentTotals {
  const spent = countOnce(messages.values()).filter(isSpentHere);
  return {
    usage: sumUsage(spent.map(usageOf)),
    unknownOutputs: spent.filter((message) => !isOutputKnown(message)).length,
    costUsd: costOfSpend(spentByModel(spent), prices),
    records: facts.records,
    otherRecords: facts.otherRecords,
    brokenLines: facts.brokenLines,
  };
}

function isSpentHere(message: MessageOutline): boolean {
  return isCountedMessage(message) && !message.isInherited;
}

type ConversationTotals = Omit<Totals, "turns" | keyof SpentTotals>;

export function countConversation(
  active: readonly Node[],
  calls: ReadonlyMap<string, CallOutline>,
): ConversationTotals {
  const answers = new Set(active.filter(({ role }) => role === "answer").map(({ message }) => message));
  const list = [...calls.values()];
  const ended = (wanted: CallOutline["status"]) => list.filter(({ status }) => status === wanted).length;
  return {
    messages: answers.size,
    toolCalls: list.length,
    toolErrors: list.filter(({ isError }) => isError).length,
    failedToolCalls: ended("error"),
    deniedToolCalls: ended("denied"),
    interruptedToolCalls: ended("interrupted"),
    orphanToolCalls: ended("orphan"),
    orphanToolResults: countOrphanResults(active, calls),
    apiErrors: active.filter(({ role }) => role === "apiError").length,
  };
}

function countOrphanResults(active: readonly Node[], calls: ReadonlyMap<string, CallOutline>): number {
  const results = active.flatMap(({ results = [], forkCall }) => (forkCall === undefined ? results : []));
  return results.filter(({ id }) => !calls.has(id)).length;
}

export interface DeadBranch {
  readonly leaf: string | null;
  readonly turns: number;
  readonly usage: Usage;
}

/** Rewound branches, with what was spent on them alone. */
export function countDead(
  dead: readonly BranchNodes[],
  { nodes, messages }: { readonly nodes: readonly Node[]; readonly messages: ReadonlyMap<string, MessageOutline> },
  active: readonly Node[],
  wasQueued: QueuedTest,
): DeadBranch[] {
  const alive = new Set(active.map(({ message }) => message));
  return dead.map((branch) => {
    const own = branch.nodes.flatMap((index) => nodes[index] ?? []);
    const lost = [...new Set(own.map(({ message }) => message))].filter((key) => !alive.has(key));
    return {
      leaf: nodes[branch.leaf]?.uuid ?? null,
      turns: outlineTurns(own, wasQueued).turns.length,
      usage: sumUsage(lost.flatMap((key) => messages.get(key ?? "") ?? []).map(usageOf)),
    };
  });
}
