import { listAt } from "../../collections.js";
import { once } from "../../lazy.js";
import type { Facts } from "../facts/facts.js";
import type { MessageOutline } from "../messages/message.js";
import { isMessageNode, type Links } from "./link-nodes.js";
import type { Node } from "./node.js";

/** A path through the conversation: its nodes in reading order, and the message at its end. */
export interface BranchNodes {
  readonly leaf: number; // -1 in a session without conversation
  readonly nodes: readonly number[];
}

export interface Branches {
  readonly active: BranchNodes;
  /** Rewound or superseded ones, each without what it shares with the active branch or a newer dead one. */
  readonly dead: () => readonly BranchNodes[];
  /** The conversation was rewound to before its first record: the active branch has no message. */
  readonly resumesEmpty: boolean;
  /** A `last-prompt` record ends it at a record that may have others below it. */
  readonly endsExplicitly: boolean;
}

export interface BranchFinder {
  /** The active branch ends at `leaf`, by default where Claude Code resumes. */
  find(leaf?: string): Branches;
  /** The last record that the branch which ends at `leaf` shares with the resumed one, by its place there; -1 for none. */
  placeOfParting(leaf: string): number;
  /** The branch that ends at `leaf`, without what is before a place of the resumed one. */
  findEndOf(leaf: string, from: number): BranchNodes;
}

export function branchFinder(nodes: readonly Node[], links: Links, facts: Facts): BranchFinder {
  const context = createBranchContext(nodes, links);
  const follow = (leaf: number) => {
    const walk = startWalk(context);
    return { walk, active: walk.take(leaf), dead: once(() => takeDead(walk, context)) };
  };
  const end = once(() => findEnd(context, facts));
  const resumed = once(() => follow(end()));
  /** Nodes without a message of their own that no branch holds. */
  const loose = once(() => {
    const { walk, dead } = resumed();
    dead();
    return links.order.filter((index) => !walk.isTaken(index) && links.isMain(index));
  });
  const withLoose = ({ walk, active }: Pick<ReturnType<typeof follow>, "walk" | "active">): BranchNodes => {
    const rest = loose().filter((index) => !walk.isTaken(index));
    return { ...active, nodes: context.inReadingOrder([...active.nodes, ...rest]) };
  };
  const places = once(() => {
    const places = new Int32Array(nodes.length).fill(NOWHERE);
    withLoose(resumed()).nodes.forEach((index, place) => {
      places[index] = place;
    });
    return places;
  });
  const ends = once(() => new Uint8Array(nodes.length)); // what a walk takes is given back, so all of them share it
  return {
    find(leaf) {
      const asked = leaf === undefined ? undefined : links.indexOf.get(leaf);
      const followed = asked === undefined ? resumed() : follow(asked);
      const isExplicit = asked === undefined && isEndExplicit(context, facts);
      return {
        active: withLoose(followed),
        dead: followed.dead,
        resumesEmpty: isExplicit && facts.leafHint?.uuid === null,
        endsExplicitly: isExplicit && links.indexOf.has(facts.leafHint?.uuid ?? ""),
      };
    },
    placeOfParting(leaf) {
      let at = links.indexOf.get(leaf) ?? NOWHERE;
      while (at >= 0 && places()[at] === NOWHERE) at = links.parent[at] ?? NOWHERE;
      return places()[at] ?? NOWHERE;
    },
    findEndOf(leaf, from) {
      const isBefore = (index: number) => {
        const place = places()[index] ?? NOWHERE;
        return place !== NOWHERE && place < from;
      };
      const walk = startWalk(context, { taken: ends(), isBefore });
      const end = walk.take(links.indexOf.get(leaf) ?? NOWHERE);
      for (const index of end.nodes) ends()[index] = 0;
      return end;
    },
  };
}

function takeDead(walk: BranchWalk, { nodes, links, newestBelow }: BranchContext): BranchNodes[] {
  const dead: BranchNodes[] = [];
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (!isMessageNode(nodes[at]) || !links.isMain(at) || walk.isTaken(at)) continue;
    const end = newestBelow()[at] ?? at;
    dead.push(walk.take(walk.isTaken(end) ? at : end));
  }
  return dead.sort((a, b) => a.leaf - b.leaf);
}

function isLeafCandidate(node: Node | undefined): boolean {
  return isMessageNode(node) || node?.kind === "system" || node?.kind === "attachment";
}

const NOWHERE = -1;

/**
 * Where Claude Code resumes: at the last record of the file, unless a `last-prompt` record after it names another. An explicit one
 * (2.1.301) is the end itself, or leaves nothing; otherwise the newest record below is.
 */
function findEnd(context: BranchContext, facts: Facts): number {
  const { nodes, links, newestBelow } = context;
  if (isEndExplicit(context, facts) && facts.leafHint?.uuid === null) return NOWHERE;
  const hinted = isOvertaken(context, facts) ? undefined : links.indexOf.get(facts.leafHint?.uuid ?? "");
  if (hinted !== undefined && links.isMain(hinted)) {
    return facts.leafHint?.isExplicit ? hinted : (newestBelow()[hinted] ?? hinted);
  }
  const isLate = lateResultTest(context);
  const last = nodes.findLastIndex((node, index) => isLeafCandidate(node) && links.isMain(index) && !isLate(index));
  return newestBelow()[last] ?? last;
}

function isEndExplicit(context: BranchContext, facts: Facts): boolean {
  return facts.leafHint?.isExplicit === true && !isOvertaken(context, facts);
}

/** A hint counts only while no record of the conversation follows it. */
function isOvertaken({ nodes, links }: BranchContext, { leafHint }: Facts): boolean {
  const line = leafHint?.line ?? 0;
  return nodes.some((node, index) => node.line > line && links.isMain(index) && isLeafCandidate(node));
}

/** A result that came after the conversation continued from its call is not an end. */
function lateResultTest({ nodes, links }: BranchContext): (index: number) => boolean {
  const firstPromptBelow = once(() => findFirstPromptsBelow(nodes, links));
  return (index) => {
    if (nodes[index]?.role !== "toolResult" || links.children[index]?.length) return false;
    return (firstPromptBelow()[links.parent[index] ?? -1] ?? index) < index;
  };
}

function findFirstPromptsBelow(nodes: readonly Node[], { order, parent, isMain }: Links): Float64Array {
  const first = new Float64Array(nodes.length).fill(Number.POSITIVE_INFINITY);
  for (const index of order.toReversed()) {
    const above = parent[index] ?? -1;
    const own = nodes[index]?.role === "prompt" && isMain(index) ? index : Number.POSITIVE_INFINITY;
    if (above >= 0) first[above] = Math.min(first[above] ?? own, own, first[index] ?? own);
  }
  return first;
}

/** For each node the last one of its subtree at which a conversation may end. */
function findNewestBelow(nodes: readonly Node[], { order, parent, isMain }: Links): Int32Array {
  const NONE = -1;
  const newest = new Int32Array(nodes.length).fill(NONE);
  const isContinued = new Uint8Array(nodes.length);
  for (const index of order.toReversed()) {
    const isCandidate = isLeafCandidate(nodes[index]) && isMain(index);
    if (isCandidate && !isContinued[index]) newest[index] = Math.max(newest[index] ?? NONE, index);
    const above = parent[index] ?? NONE;
    if (above < 0) continue;
    if (isCandidate) isContinued[above] = 1;
    newest[above] = Math.max(newest[above] ?? NONE, newest[index] ?? NONE);
  }
  return newest.map((end, index) => (end === NONE ? index : end));
}

interface BranchWalk {
  /** A branch without what this walk has taken before. */
  take(leaf: number): BranchNodes;
  isTaken(index: number): boolean;
}

/** What all walks share. */
interface BranchContext {
  readonly nodes: readonly Node[];
  readonly links: Links;
  readonly related: readonly (RelatedNodes | undefined)[];
  readonly silentChildren: readonly (readonly number[] | undefined)[];
  readonly newestBelow: () => Int32Array;
  readonly inReadingOrder: (indexes: number[]) => number[];
}

function createBranchContext(nodes: readonly Node[], links: Links): BranchContext {
  const rank = new Int32Array(nodes.length);
  links.order.forEach((index, position) => {
    rank[index] = position;
  });
  return {
    nodes,
    links,
    related: findRelated(nodes, links),
    silentChildren: findSilentChildren(nodes, links),
    newestBelow: once(() => findNewestBelow(nodes, links)),
    inReadingOrder: (indexes) => indexes.sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0)),
  };
}

/**
 * Walks from a leaf to the root, then adds what a walk over parents misses: the other records of each message, all results
 * of its calls (since 2.1.29 parallel results are siblings), and the side lines below these.
 */
function startWalk(
  { nodes, links, related, silentChildren, inReadingOrder }: BranchContext,
  { taken, isBefore }: WalkStart = { taken: new Uint8Array(nodes.length), isBefore: () => false },
): BranchWalk {
  const isTaken = (index: number) => taken[index] === 1 || isBefore(index);
  const relatedLeft = untakenRelated(related, isTaken);

  function take(leaf: number): BranchNodes {
    const own: number[] = [];
    const open: number[] = [];
    const add = (index: number) => {
      if (isTaken(index) || !links.isMain(index)) return;
      taken[index] = 1;
      own.push(index);
      open.push(index);
    };
    const addConnected = () => {
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        for (const index of relatedLeft(at)) if (isTaken(links.parent[index] ?? -1)) add(index);
        for (const child of silentChildren[at] ?? []) add(child);
        for (const index of preservedBy(nodes[at], links)) add(index);
      }
    };
    const addUpToRoot = (index: number) => {
      for (let at = index; at >= 0 && !isTaken(at); at = links.parent[at] ?? -1) add(at);
    };
    addUpToRoot(leaf);
    addConnected();
    for (const index of findDetached(own, nodes, relatedLeft)) addUpToRoot(index);
    addConnected();
    return { leaf: lastMessage(leaf, nodes, links), nodes: inReadingOrder(own) };
  }

  return { take, isTaken };
}

interface WalkStart {
  readonly taken: Uint8Array;
  /** Nodes that count as taken from the beginning. */
  readonly isBefore: (index: number) => boolean;
}

/** What a compaction preserved belongs to its branch, wherever it is in the file. */
function preservedBy(node: Node | undefined, { indexOf }: Links): number[] {
  return node?.preserved?.uuids.flatMap((uuid) => indexOf.get(uuid) ?? []) ?? [];
}

/**
 * Records of the branch's messages and results of its calls whose parent is on another branch: they belong to this one. But a
 * resume may write old history again with new uuids (2.0.76, 2.1.29): such copies do not.
 */
function findDetached(
  own: readonly number[],
  nodes: readonly Node[],
  relatedLeft: (index: number) => readonly number[],
): number[] {
  const detached = new Set(own.flatMap((index) => relatedLeft(index)));
  if (detached.size === 0) return [];
  const present = new Set(own.flatMap((index) => contentsOf(nodes[index])));
  return [...detached].filter((index) => contentsOf(nodes[index]).some((content) => !present.has(content)));
}

/** What a record adds: a result for a call, or a part of a message, identified by its time and calls. */
function contentsOf(node: Node | undefined): string[] {
  const results = node?.results?.map(({ id }) => `result ${id}`) ?? [];
  const calls = node?.calls?.map(({ id }) => id).join(" ") ?? "";
  return node?.message === undefined ? results : [...results, `part ${node.message} ${node.time} ${calls}`];
}

/** For a record the others of its message, then those with the results of each of its calls. */
type RelatedNodes = readonly (readonly number[])[];

function findRelated(nodes: readonly Node[], links: Links): (RelatedNodes | undefined)[] {
  const byMessage = new Map<string, number[]>();
  const byCall = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    if (!links.isMain(index)) return;
    if (node.message !== undefined) listAt(byMessage, node.message).push(index);
    for (const { id } of node.results ?? []) listAt(byCall, id).push(index);
  });
  return nodes.map(({ message, calls }) => {
    const siblings = message === undefined ? undefined : byMessage.get(message);
    const related = siblings && siblings.length > 1 ? [siblings] : [];
    for (const { id } of calls ?? []) related.push(byCall.get(id) ?? []);
    return related.length > 0 ? related : undefined;
  });
}

/** Drops taken nodes from a list each time it is read: a message may have thousands of records. */
function untakenRelated(
  related: BranchContext["related"],
  isTaken: (index: number) => boolean,
): (index: number) => readonly number[] {
  const rest = new Map<readonly number[], readonly number[]>();
  const restOf = (list: readonly number[]) => {
    const left = (rest.get(list) ?? list).filter((index) => !isTaken(index));
    rest.set(list, left);
    return left;
  };
  return (index) => related[index]?.flatMap(restOf) ?? [];
}

/** For each node its children that have no message of the main chain in their subtree: progress, attachments, system. */
function findSilentChildren(nodes: readonly Node[], links: Links): (readonly number[] | undefined)[] {
  const isSilent = new Uint8Array(nodes.length);
  for (const index of links.order.toReversed()) {
    const isQuiet = !isMessageNode(nodes[index]) || !links.isMain(index);
    isSilent[index] = isQuiet && (links.children[index] ?? []).every((child) => isSilent[child]) ? 1 : 0;
  }
  return links.children.map((own) => {
    const silent = own.filter((child) => isSilent[child]);
    return silent.length > 0 ? silent : undefined;
  });
}

/** The last message, trailing side lines skipped. */
function lastMessage(leaf: number, nodes: readonly Node[], { parent }: Links): number {
  for (let at = leaf; at >= 0; at = parent[at] ?? -1) if (isMessageNode(nodes[at])) return at;
  return leaf;
}

/** What the file of a forked sub-agent holds before its directive is a copy of the conversation that it began with. */
export function markInherited(
  messages: ReadonlyMap<string, MessageOutline>,
  nodes: readonly Node[],
  { isMain }: Links,
): ReadonlyMap<string, MessageOutline> {
  const start = nodes.findLastIndex(({ forkCall }, index) => forkCall !== undefined && isMain(index));
  if (start < 0) return messages;
  const inherited = new Set(nodes.slice(0, start).map(({ message }) => message));
  const marks = { isCopied: true, isInherited: true };
  return new Map([...messages].map(([key, known]) => [key, inherited.has(key) ? { ...known, ...marks } : known]));
}

/** A branch, and before it what a forked sub-agent began with: calls and turns before its directive are not its own. */
export interface SplitBranch {
  readonly inherited: readonly Node[];
  readonly active: readonly Node[];
}

export function splitAtFork(branch: readonly Node[], isAgentFile: boolean): SplitBranch {
  const start = isAgentFile ? branch.findLastIndex(({ forkCall }) => forkCall !== undefined) : -1;
  if (start < 0) return { inherited: [], active: branch };
  return { inherited: branch.slice(0, start), active: branch.slice(start) };
}
