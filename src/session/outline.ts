import { listAt } from "../collections.js";
import { once } from "../lazy.js";
import { chooseTitle, type Title } from "./choose-title.js";
import { emptyFacts, type Facts, type Warning } from "./facts/facts.js";
import { type BranchNodes, branchFinder } from "./graph/find-branches.js";
import { type Links, linkNodes } from "./graph/link-nodes.js";
import type { Node } from "./graph/node.js";
import { costOfSpend, type PriceTable, spentByModel } from "./messages/cost.js";
import { isCountedMessage, isOutputKnown, type MessageOutline, usageOf } from "./messages/message.js";
import { sumUsage, type Usage } from "./messages/usage.js";
import { type CompactionOutline, outlineCompactions } from "./turns/compactions.js";
import { typedDuring, undeliveredMessages } from "./turns/follow-ups.js";
import { isTurnOver, outlineTurns, type PreambleOutline, type TurnOutline } from "./turns/outline-turns.js";
import {
  type BranchCalls,
  type CallOutline,
  linkTasks,
  listNotifications,
  listResults,
  outlineCalls,
} from "./turns/tool-calls.js";

/** What was read so far; the outline is a pure function of it. */
export interface SessionState {
  readonly facts: Facts;
  readonly nodes: readonly Node[];
  readonly messages: ReadonlyMap<string, MessageOutline>;
}

export interface OutlineOptions {
  /** Show the branch that ends at this record instead of the active one. */
  readonly leaf?: string;
  /** A session with a record of this time (ms since the epoch) or later may still be running: its last turn stays open. */
  readonly liveSince?: number;
  readonly prices?: PriceTable;
  readonly sidecarTitle?: string;
  readonly roundGapMinutes?: number;
}

/** A session without its bodies: everything that can be counted, and where the records of each turn are. */
export interface Outline extends BranchCalls {
  readonly facts: Facts;
  readonly title: Title | undefined;
  readonly models: readonly string[];
  readonly preamble: PreambleOutline;
  readonly turns: readonly TurnOutline[];
  readonly compactions: readonly CompactionOutline[];
  readonly activeLeaf: string | null;
  /** Everything on the shown branch, in reading order. */
  readonly active: readonly Node[];
  readonly deadBranches: readonly DeadBranch[];
  readonly messages: ReadonlyMap<string, MessageOutline>;
  /** Every link between a task or sub-agent and the call that launched it. */
  readonly tasks: ReadonlyMap<string, string>;
  readonly totals: Totals;
  readonly warnings: readonly Warning[];
  /** A file with records of a sub-agent only. */
  readonly isAgentFile: boolean;
  readonly sidechains: readonly Node[];
  /** Of all records of the conversation, whatever their branch. */
  readonly uuids: ReadonlyMap<string, number>;
  /** Parents assigned to records that name none, or none that can be followed: in a cycle, or not in the file. */
  readonly mendedParents: ReadonlyMap<string, string | null>;
}

export interface DeadBranch {
  readonly leaf: string | null;
  readonly turns: number;
  readonly usage: Usage;
}

export interface Totals {
  readonly turns: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
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

/**
 * Views any branch by its leaf, the one that Claude Code resumes without one. What all branches share is worked out once.
 * Bodies come later, turn by turn: `buildTurn` assembles the messages and pairs the calls of one turn.
 */
export function outlineViewer(state: SessionState, options: OutlineOptions = {}): (leaf?: string) => Outline {
  const { facts, nodes, messages } = state;
  const links = linkNodes(nodes);
  const findBranches = branchFinder(nodes, links, facts);
  const results = once(() => listResults(nodes.filter((_, index) => links.isMain(index))));
  const shared = describeFile(state, links);
  const spent = once(() => countSpent(state, options.prices));
  const undelivered = undeliveredMessages(facts, nodes);
  const isLive = options.liveSince !== undefined && Date.parse(facts.endedAt ?? "") >= options.liveSince;
  const isOver = (turn: TurnOutline) => !isLive || isTurnOver(turn, outlineCalls(turn.nodes, results()), messages);
  return (leaf) => {
    const branches = findBranches(leaf);
    const active = branches.active.nodes.flatMap((index) => nodes[index] ?? []);
    const { preamble, turns } = outlineTurns(active, facts, {
      undelivered: typedDuring(active, undelivered, nodes),
      roundGapMinutes: options.roundGapMinutes,
      isOver,
    });
    // Lazy: readers of all branches need these of the first one only.
    const calls = once(() => outlineCalls(active, results()));
    const title = once(() => chooseTitle(facts, active, links.indexOf, options.sidecarTitle));
    const deadBranches = once(() => describeDead(branches.dead(), state, active));
    const totals = once(() => ({ turns: turns.length, ...countConversation(active, calls()), ...spent() }));
    return {
      ...shared,
      preamble,
      turns,
      compactions: outlineCompactions(active, facts),
      activeLeaf: nodes[branches.active.leaf]?.uuid ?? null,
      active,
      get title() {
        return title();
      },
      get calls() {
        return calls();
      },
      get deadBranches() {
        return deadBranches();
      },
      get totals() {
        return totals();
      },
    };
  };
}

type Shared =
  | "facts"
  | "messages"
  | "models"
  | "tasks"
  | "notifications"
  | "warnings"
  | "isAgentFile"
  | "sidechains"
  | "uuids"
  | "mendedParents";

function describeFile({ facts, nodes, messages }: SessionState, links: Links): Pick<Outline, Shared> {
  const tasks = linkTasks(nodes);
  return {
    facts,
    messages,
    models: listModels(messages),
    tasks,
    notifications: listNotifications(nodes, tasks),
    warnings: [...facts.warnings, ...links.warnings].sort((a, b) => a.line - b.line),
    isAgentFile: nodes.some(({ isSidechain }, index) => isSidechain && links.isMain(index)),
    sidechains: nodes.filter((_, index) => !links.isMain(index)),
    uuids: links.indexOf,
    mendedParents: links.mended,
  };
}

function listModels(messages: ReadonlyMap<string, MessageOutline>): string[] {
  const models = [...messages.values()].flatMap((message) =>
    isCountedMessage(message) && message.model ? [message.model] : [],
  );
  return [...new Set(models)];
}

/** Spending over all branches, and what the file is made of. */
function countSpent(
  { facts, messages }: SessionState,
  prices: PriceTable | undefined,
): Omit<Totals, "turns" | keyof ConversationTotals> {
  const spent = [...messages.values()].filter(isCountedMessage);
  return {
    usage: sumUsage(spent.map(usageOf)),
    unknownOutputs: spent.filter((message) => !isOutputKnown(message)).length,
    costUsd: costOfSpend(spentByModel(spent), prices),
    records: facts.records,
    otherRecords: facts.otherRecords,
    brokenLines: facts.brokenLines,
  };
}

function describeDead(dead: readonly BranchNodes[], state: SessionState, active: readonly Node[]): DeadBranch[] {
  const alive = new Set(active.map(({ message }) => message));
  return dead.map((branch) => toDeadBranch(branch, state, alive));
}

function toDeadBranch(
  branch: BranchNodes,
  state: SessionState,
  alive: ReadonlySet<string | undefined>, // messages
): DeadBranch {
  const own = branch.nodes.flatMap((index) => state.nodes[index] ?? []);
  const dead = [...new Set(own.map(({ message }) => message))].filter((key) => !alive.has(key));
  return {
    leaf: state.nodes[branch.leaf]?.uuid ?? null,
    turns: outlineTurns(own, state.facts).turns.length,
    usage: sumUsage(dead.flatMap((key) => state.messages.get(key ?? "") ?? []).map(usageOf)),
  };
}

type ConversationTotals = Pick<
  Totals,
  "messages" | "toolCalls" | "toolErrors" | "orphanToolCalls" | "orphanToolResults" | "apiErrors"
>;

function countConversation(active: readonly Node[], calls: ReadonlyMap<string, CallOutline>): ConversationTotals {
  const answers = new Set(active.filter(({ role }) => role === "answer").map(({ message }) => message));
  const list = [...calls.values()];
  return {
    messages: answers.size,
    toolCalls: list.length,
    toolErrors: list.filter(({ isError }) => isError).length,
    orphanToolCalls: list.filter(({ status }) => status === "orphan").length,
    orphanToolResults: countOrphanResults(active, calls),
    apiErrors: active.filter(({ role }) => role === "apiError").length,
  };
}

function countOrphanResults(active: readonly Node[], calls: ReadonlyMap<string, CallOutline>): number {
  return active.flatMap(({ results = [] }) => results).filter(({ id }) => !calls.has(id)).length;
}

/** The number of the turn in which each call was made. */
export function callTurns({ turns }: Outline): Map<string, number> {
  return new Map(
    turns.flatMap(({ index, nodes }) => nodes.flatMap(({ calls = [] }) => calls.map(({ id }) => [id, index] as const))),
  );
}

/** A sub-agent whose records are in the session file itself (1.x). */
export interface InlineAgent {
  readonly agentId: string;
  readonly nodes: readonly Node[];
  readonly outline: Outline;
}

/** One agent per id, or per root where they have none. */
export function inlineAgents({ sidechains, messages }: Outline): InlineAgent[] {
  const groups = new Map<string, Node[]>();
  const groupOf = new Map<string, string>();
  for (const node of sidechains) {
    const key = node.agentId ?? groupOf.get(node.parentUuid ?? "") ?? node.uuid ?? `line-${node.line}`;
    if (node.uuid !== undefined) groupOf.set(node.uuid, key);
    listAt(groups, key).push(node);
  }
  return [...groups].map(([agentId, nodes]) => ({ agentId, nodes, outline: outlineOf(nodes, messages) }));
}

function outlineOf(nodes: readonly Node[], messages: Outline["messages"]): Outline {
  const own = nodes.flatMap(({ message }) => messages.get(message ?? "") ?? []);
  const facts = { ...emptyFacts(), records: nodes.length };
  return outlineViewer({ facts, nodes, messages: new Map(own.map((message) => [message.key, message])) })();
}
