import { listAt } from "../collections.js";
import { readRecords } from "../format/reader/record-reader.js";
import type { AssistantRecord, LogRecord, Place } from "../format/record/record.js";
import { once } from "../lazy.js";
import { chooseTitle, type SidecarTitle, type Title } from "./choose-title.js";
import { collectFacts, emptyFacts, type Facts, type Warning } from "./facts/facts.js";
import {
  type Branches,
  type BranchFinder,
  type BranchNodes,
  branchFinder,
  markInherited,
  splitAtFork,
} from "./graph/find-branches.js";
import { type Links, linkNodes } from "./graph/link-nodes.js";
import { bodyPlace, createSkeleton, type Node, toNode } from "./graph/node.js";
import type { PriceTable } from "./messages/cost.js";
import { listModels, type MessageOutline, markCut, messageKey, outlineMessage } from "./messages/message.js";
import { countConversation, countDead, countSpent, type DeadBranch, type Totals } from "./totals.js";
import { indexBodies, type ReadBodies, readBodies } from "./turns/build-turn.js";
import { type CompactionOutline, compactionOutliner } from "./turns/compactions.js";
import { queuedTest, undeliveredMessages, writtenDuring } from "./turns/follow-ups.js";
import {
  isTurnOver,
  outlineTurns,
  type PreambleOutline,
  type TurnOutline,
  type TurnsBefore,
} from "./turns/outline-turns.js";
import { partingTurns } from "./turns/parting-turns.js";
import { type BranchCalls, linkTasks, listNotifications, listResults, outlineCalls } from "./turns/tool-calls.js";

/**
 * A session being read: records in, in file order; an outline out, at any time.
 *
 * push: a record becomes a node (graph/node), its message is counted (messages/message), and what it says about the session is
 * noted (facts/facts). view: the nodes are linked (graph/link-nodes), a branch is chosen (graph/find-branches) and grouped into
 * turns (turns/outline-turns), its calls are paired with their results (turns/tool-calls). Bodies are read afterwards, turn by
 * turn (turns/build-turn).
 */
export interface OpenSession {
  /** Returns the place of the record that this one replaces. */
  push(record: LogRecord): Place | undefined;
  view(options?: OutlineOptions): Outline;
  /** Views many branches of what was read so far. */
  viewer(options?: OutlineOptions): BranchViewer;
  snapshot(): Snapshot;
}

export interface BranchViewer {
  /** The branch that ends at a record, by its uuid; the one that Claude Code resumes without it. */
  view(leaf?: string): Outline;
  /**
   * A rewound branch without the turns that it shares with the resumed one: its first turn is the one in which they part. All
   * rewound branches together cost in proportion to the session and to what they have for themselves.
   */
  viewEnd(leaf: string): Outline;
}

/** The state of an open session as JSON. Stored with a file position, it lets reading continue from there. */
export interface Snapshot {
  readonly version: number;
  readonly facts: Facts;
  readonly nodes: readonly Node[];
  readonly messages: readonly MessageOutline[];
  readonly seen: readonly string[];
}

const SNAPSHOT_VERSION = 8;

/** A snapshot of another version is ignored: read the file again. */
export function openSession(snapshot?: Snapshot): OpenSession {
  const known = snapshot?.version === SNAPSHOT_VERSION ? structuredClone(snapshot) : undefined;
  const facts = known?.facts ?? emptyFacts();
  const skeleton = createSkeleton(known?.nodes);
  const messages = new Map(known?.messages.map((message) => [message.key, message]));
  const seen = new Set(known?.seen);
  const { nodes } = skeleton;

  function push(record: LogRecord): Place | undefined {
    facts.records += 1;
    if (isRepeated(record, seen)) return undefined;
    const node = toNode(record);
    if (record.kind === "assistant") addToMessage(record);
    if (record.kind === "user" && record.followsCut) noteCut(skeleton.find(record.parentUuid));
    if (node && skeleton.has(node.uuid)) {
      const first = skeleton.replace(node);
      noteRewrite(first, node);
      return first && bodyPlace(first);
    }
    collectFacts(facts, record);
    if (node) skeleton.append(node);
    return undefined;
  }

  function addToMessage(record: AssistantRecord): void {
    const message = outlineMessage(record, messages.get(messageKey(record)));
    messages.set(message.key, message);
  }

  function noteCut(last: Node | undefined): void {
    const message = messages.get(last?.message ?? "");
    if (message) messages.set(message.key, markCut(message));
  }

  /** An exact repetition changes nothing; a rewrite replaces the first record, and its message where no other record has it. */
  function noteRewrite(first: Node | undefined, last: Node): void {
    if (!first || isSameContent(first, last)) return;
    if (first.message !== undefined && !skeleton.hasMessage(first.message)) messages.delete(first.message);
    const message = `line ${last.line} has the uuid of line ${first.line} with other content; the later content is used`;
    facts.warnings.push({ line: last.line, code: "duplicate-uuid", message });
  }

  function viewer(options: OutlineOptions = {}): BranchViewer {
    return outlineViewer({ facts: structuredClone(facts), nodes: [...nodes], messages: new Map(messages) }, options);
  }

  return {
    push,
    viewer,
    view: (options) => viewer(options).view(options?.leaf),
    snapshot: () =>
      structuredClone({ version: SNAPSHOT_VERSION, facts, nodes, messages: [...messages.values()], seen: [...seen] }),
  };
}

/** The outline of records that are in memory as a whole. */
export function outlineRecords(records: Iterable<LogRecord>, options: OutlineOptions = {}): Outline {
  const session = openSession();
  for (const record of records) session.push(record);
  return session.view(options);
}

export interface ReadSessionOptions {
  readonly offset?: number;
  readonly line?: number;
  /** Decode each record once, whole, and keep it. For files of up to `KEPT_BYTES` of which all turns will be read. */
  readonly keepsBodies?: boolean;
  /** Longer lines with successful tool results are read again abridged: only the start of each text. */
  readonly longestResult?: number | undefined; // bytes
}

/** Measured: keeping the records saves a tenth of the time of `show --json`, and takes as much memory as the file is long. */
export const KEPT_BYTES = 4_000_000;

/** Reads a session file. The bodies of its records are kept, or read again when they are asked for, turn by turn. */
export function readSession(
  path: string,
  { keepsBodies = false, longestResult, ...from }: ReadSessionOptions = {},
): { readonly session: OpenSession; readonly bodiesOf: ReadBodies } {
  const session = openSession();
  const kept: LogRecord[] = [];
  for (const record of readRecords(path, { ...from, abridge: !keepsBodies })) {
    session.push(record);
    if (keepsBodies) kept.push(record);
  }
  const bodies = indexBodies(kept);
  return { session, bodiesOf: keepsBodies ? () => bodies : (nodes) => readBodies(path, nodes, longestResult) };
}

/** A line without uuid that occurs twice in the file counts once. Rows without a time may be repeated on purpose. */
function isRepeated(record: LogRecord, seen: Set<string>): boolean {
  if (record.kind === "broken" || record.fingerprint === undefined) return false;
  if (record.kind !== "other" && record.timestamp === undefined) return false;
  const isKnown = seen.has(record.fingerprint);
  seen.add(record.fingerprint);
  return isKnown;
}

function isSameContent(a: Node, b: Node): boolean {
  const content = ({ line: _line, bodyLine: _bodyLine, offset: _offset, ...rest }: Node) => JSON.stringify(rest);
  return content(a) === content(b);
}

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
  readonly sidecarTitle?: SidecarTitle;
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
  /** The session was rewound to before its first record: Claude Code resumes it without a message, all turns are on dead branches. */
  readonly resumesEmpty: boolean;
  /** Claude Code resumes it at a record that may have others below it. */
  readonly endsExplicitly: boolean;
  /** Everything on the shown branch, in reading order. */
  readonly active: readonly Node[];
  /** In the file of a forked sub-agent: what it holds of the conversation that the fork began with. */
  readonly inherited: readonly Node[];
  readonly deadBranches: readonly DeadBranch[];
  readonly messages: ReadonlyMap<string, MessageOutline>;
  /** Every link between a task or sub-agent and the call that launched it. */
  readonly tasks: ReadonlyMap<string, string>;
  readonly totals: Totals;
  readonly warnings: readonly Warning[];
  /** A file with records of a sub-agent only. */
  readonly isAgentFile: boolean;
  readonly sidechains: readonly Node[];
  /** Of all records of the conversation, whatever their branch; also uuids under which a record was sent. */
  readonly uuids: ReadonlyMap<string, number>;
  /** The uuids of records by those under which they were sent, where other records name them so. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Parents assigned to records that name none, or none that can be followed: in a cycle, or not in the file. */
  readonly mendedParents: ReadonlyMap<string, string | null>;
}

/**
 * What all branches share is worked out once. Bodies come later, turn by turn: `buildTurn` assembles the messages and pairs the
 * calls of one turn.
 */
function outlineViewer(read: SessionState, options: OutlineOptions = {}): BranchViewer {
  const { facts, nodes } = read;
  const links = linkNodes(nodes);
  const state = { ...read, messages: markInherited(read.messages, nodes, links) };
  const { messages } = state;
  const branchesOf = branchFinder(nodes, links, facts);
  const results = once(() => listResults(nodes.filter((_, index) => links.isMain(index))));
  const shared = describeFile(state, links);
  const spent = once(() => countSpent(state, options.prices));
  const wasQueued = queuedTest(facts);
  const undelivered = writtenDuring(undeliveredMessages(facts, nodes), nodes);
  const marks = writtenDuring(facts.marks, nodes);
  const compactionsOf = compactionOutliner(facts);
  const isLive = options.liveSince !== undefined && Date.parse(facts.endedAt ?? "") >= options.liveSince;
  const isOver = (turn: TurnOutline) => !isLive || isTurnOver(turn, outlineCalls(turn.nodes, results()), messages);
  const nodesAt = (branch: BranchNodes): readonly Node[] => branch.nodes.flatMap((index) => nodes[index] ?? []);
  const outline: OutlineBranch = (branches, branch = nodesAt(branches.active), before) => {
    const { inherited, active } = splitAtFork(branch, shared.isAgentFile);
    const { preamble, turns } = outlineTurns(active, wasQueued, {
      undelivered: undelivered(active, before !== undefined),
      marks: marks(active, before !== undefined),
      roundGapMinutes: options.roundGapMinutes,
      isOver,
      before,
    });
    // Lazy: readers of all branches need these of the first one only.
    const calls = once(() => outlineCalls(active, results()));
    const title = once(() => {
      const named = branches.resumesEmpty ? nodes.filter((_, index) => links.isMain(index)) : active;
      return chooseTitle(facts, named, links.indexOf, options.sidecarTitle);
    });
    const deadBranches = once(() => countDead(branches.dead(), state, active, wasQueued));
    const totals = once(() => ({ turns: turns.length, ...countConversation(active, calls()), ...spent() }));
    return {
      ...shared,
      preamble,
      turns,
      compactions: compactionsOf(active),
      activeLeaf: nodes[branches.active.leaf]?.uuid ?? null,
      resumesEmpty: branches.resumesEmpty,
      endsExplicitly: branches.endsExplicitly,
      active,
      inherited,
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
  return branchViewer(outline, { branchesOf, nodesAt, links, isAgentFile: shared.isAgentFile });
}

type OutlineBranch = (branches: Branches, branch?: readonly Node[], before?: TurnsBefore) => Outline;

interface ViewedFile {
  readonly branchesOf: BranchFinder;
  readonly nodesAt: (branch: BranchNodes) => readonly Node[];
  readonly links: Links;
  readonly isAgentFile: boolean;
}

function branchViewer(outline: OutlineBranch, { branchesOf, nodesAt, links, isAgentFile }: ViewedFile): BranchViewer {
  const resumed = once(() => outline(branchesOf.find()));
  const view = (leaf?: string) => (leaf === undefined ? resumed() : outline(branchesOf.find(leaf)));
  const part = once(() => partingTurns(resumed()));
  return {
    view,
    viewEnd(leaf) {
      if (isAgentFile || !links.indexOf.has(leaf)) return view(leaf);
      const readFrom = (from: number) => nodesAt(branchesOf.findEndOf(leaf, from));
      const { nodes: own, before } = part()(branchesOf.placeOfParting(leaf), readFrom);
      // What a compaction preserved may be in turns that both branches have.
      if (own.some(({ preserved }) => preserved)) return view(leaf);
      return outline(endAt(leaf, links), own, before);
    },
  };
}

/** The end of a rewound branch: what else is rewound is known of the branch that Claude Code resumes. */
function endAt(leaf: string, { indexOf }: Links): Branches {
  const active = { leaf: indexOf.get(leaf) ?? -1, nodes: [] };
  return { active, dead: () => [], resumesEmpty: false, endsExplicitly: false };
}

type Shared =
  | "facts"
  | "messages"
  | "models"
  | "tasks"
  | "notifications"
  | "replacements"
  | "warnings"
  | "isAgentFile"
  | "sidechains"
  | "uuids"
  | "sentAs"
  | "mendedParents";

function describeFile({ facts, nodes, messages }: SessionState, links: Links): Pick<Outline, Shared> {
  const tasks = linkTasks(nodes);
  return {
    facts,
    messages,
    models: listModels(messages),
    tasks,
    notifications: listNotifications(nodes, tasks),
    replacements: new Map(facts.replacedResults.map(({ toolUseId, text }) => [toolUseId, text])),
    warnings: [...facts.warnings, ...links.warnings].sort((a, b) => a.line - b.line),
    isAgentFile: nodes.some(({ isSidechain }, index) => isSidechain && links.isMain(index)),
    sidechains: nodes.filter((_, index) => !links.isMain(index)),
    uuids: links.indexOf,
    sentAs: links.sentAs,
    mendedParents: links.mended,
  };
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

/** What the file of a forked sub-agent itself holds of the conversation before it; its own call to be made is no part of it. */
export function outlineInherited({ inherited, active, messages }: Outline): Outline {
  const made = active[0]?.forkCall;
  const isMaking = ({ calls = [] }: Node) => calls.some(({ id }) => id === made);
  const before = inherited.filter((node) => !isMaking(node));
  return outlineOf(before, messages);
}

function outlineOf(nodes: readonly Node[], messages: Outline["messages"]): Outline {
  const own = nodes.flatMap(({ message }) => messages.get(message ?? "") ?? []);
  const facts = { ...emptyFacts(), records: nodes.length };
  return outlineViewer({ facts, nodes, messages: new Map(own.map((message) => [message.key, message])) }).view();
}
