import { listAt } from "../../collections.js";
import { once } from "../../lazy.js";
import type { Facts } from "../facts/facts.js";
import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";

/** One way through the conversation: its nodes in reading order, and the message at its end. */
export interface BranchNodes {
  readonly leaf: number; // -1 in a session without conversation
  readonly nodes: readonly number[];
}

export interface Branches {
  readonly active: BranchNodes;
  /** Rewound or superseded ones, each without what it shares with the active branch or a newer dead one. */
  readonly dead: () => readonly BranchNodes[];
}

/** Finds the branches as a client resumes them, or as they are with `leaf` at the end of the active one. */
export function branchFinder(nodes: readonly Node[], links: Links, facts: Facts): (leaf?: string) => Branches {
  const ground = surveyGround(nodes, links);
  const follow = (leaf: number) => {
    const walk = startWalk(ground);
    return { walk, active: walk.take(leaf), dead: once(() => takeDead(walk, ground)) };
  };
  const resumed = once(() => follow(activeLeaf(nodes, links, facts)));
  /** Side lines that hang on no branch. */
  const loose = once(() => {
    const { walk, dead } = resumed();
    dead();
    return links.order.filter((index) => !walk.isTaken(index) && links.isMain(index));
  });
  return (leaf) => {
    const asked = leaf === undefined ? undefined : links.indexOf.get(leaf);
    const { walk, active, dead } = asked === undefined ? resumed() : follow(asked);
    const rest = loose().filter((index) => !walk.isTaken(index));
    return { active: { ...active, nodes: ground.inReadingOrder([...active.nodes, ...rest]) }, dead };
  };
}

function takeDead(walk: BranchWalk, { nodes, links }: Ground): BranchNodes[] {
  const dead: BranchNodes[] = [];
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (!isTalk(nodes[at]) || !links.isMain(at) || walk.isTaken(at)) continue;
    const end = newestDescendant(at, nodes, links);
    dead.push(walk.take(walk.isTaken(end) ? at : end));
  }
  return dead.sort((a, b) => a.leaf - b.leaf);
}

function isTalk(node: Node | undefined): boolean {
  return node?.kind === "user" || node?.kind === "assistant";
}

function isLeafCandidate(node: Node | undefined): boolean {
  return isTalk(node) || node?.kind === "system" || node?.kind === "attachment";
}

/** The end of the conversation that a client resumes: the last in the file, unless the client left a valid hint. */
function activeLeaf(nodes: readonly Node[], links: Links, facts: Facts): number {
  const last = nodes.findLastIndex(
    (node, index) => isLeafCandidate(node) && links.isMain(index) && !isLateResult(index, nodes, links),
  );
  const hinted = hintedLeaf(nodes, links, facts);
  return newestDescendant(hinted ?? last, nodes, links);
}

/** A result that came after the conversation had gone on from its call ends nothing. */
function isLateResult(index: number, nodes: readonly Node[], links: Links): boolean {
  if (nodes[index]?.role !== "toolResult" || links.children[index]?.length) return false;
  const call = links.parent[index] ?? -1;
  for (let at = index - 1; at > call; at--) {
    if (nodes[at]?.role === "prompt" && links.isMain(at) && isAncestor(call, at, links)) return true;
  }
  return false;
}

function isAncestor(ancestor: number, of: number, { parent }: Links): boolean {
  let at = of;
  while (at > ancestor) at = parent[at] ?? -1;
  return at === ancestor && ancestor >= 0;
}

/** The hint holds while everything that was written after it continues what it points at. */
function hintedLeaf(nodes: readonly Node[], links: Links, { leafHint }: Facts): number | undefined {
  const hinted = leafHint ? links.indexOf.get(leafHint.uuid) : undefined;
  if (!leafHint || hinted === undefined || !links.isMain(hinted)) return undefined;
  const isRelated = relatives(hinted, links);
  const isOvertaken = nodes.some(
    (node, index) => node.line > leafHint.line && links.isMain(index) && isLeafCandidate(node) && !isRelated.has(index),
  );
  return isOvertaken ? undefined : hinted;
}

function relatives(index: number, links: Links): Set<number> {
  const found = new Set(descendants(index, links));
  for (let at = index; at >= 0; at = links.parent[at] ?? -1) found.add(at);
  return found;
}

function descendants(index: number, { children }: Links): number[] {
  const found: number[] = [];
  const open = [index];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    found.push(at);
    for (const child of children[at] ?? []) open.push(child);
  }
  return found;
}

function newestDescendant(index: number, nodes: readonly Node[], links: Links): number {
  if (index < 0) return index;
  const ends = descendants(index, links).filter(
    (at) =>
      isLeafCandidate(nodes[at]) &&
      links.isMain(at) &&
      !links.children[at]?.some((child) => isLeafCandidate(nodes[child]) && links.isMain(child)),
  );
  return ends.reduce((newest, at) => Math.max(newest, at), ends[0] ?? index);
}

interface BranchWalk {
  /** A branch without what this walk has taken before. */
  take(leaf: number): BranchNodes;
  isTaken(index: number): boolean;
}

/** What every walk needs to know. */
interface Ground {
  readonly nodes: readonly Node[];
  readonly links: Links;
  readonly kin: readonly (Kin | undefined)[];
  readonly isSilent: Uint8Array;
  readonly inReadingOrder: (indexes: number[]) => number[];
}

function surveyGround(nodes: readonly Node[], links: Links): Ground {
  const rank = new Int32Array(nodes.length);
  links.order.forEach((index, position) => {
    rank[index] = position;
  });
  return {
    nodes,
    links,
    kin: findKin(nodes, links),
    isSilent: silentSubtrees(nodes, links),
    inReadingOrder: (indexes) => indexes.sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0)),
  };
}

/**
 * Walks from a leaf to the root, then adds what a walk over parents misses: the other records of each message, all results
 * of its calls (clients since 2.1.29 hang parallel results beside each other), and side lines that hang on these.
 */
function startWalk({ nodes, links, kin, isSilent, inReadingOrder }: Ground): BranchWalk {
  const taken = new Uint8Array(nodes.length);
  const related = untakenKin(kin, taken);

  function take(leaf: number): BranchNodes {
    const own: number[] = [];
    const open: number[] = [];
    const add = (index: number) => {
      if (taken[index] || !links.isMain(index)) return;
      taken[index] = 1;
      own.push(index);
      open.push(index);
    };
    const addConnected = () => {
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        for (const index of related(at)) if (taken[links.parent[index] ?? -1]) add(index);
        for (const child of links.children[at] ?? []) if (isSilent[child]) add(child);
      }
    };
    const addUpToRoot = (index: number) => {
      for (let at = index; at >= 0 && !taken[at]; at = links.parent[at] ?? -1) add(at);
    };
    addUpToRoot(leaf);
    addConnected();
    for (const index of standingApart(own, nodes, related)) addUpToRoot(index);
    addConnected();
    return { leaf: lastMessage(leaf, nodes, links), nodes: inReadingOrder(own) };
  }

  return { take, isTaken: (index) => taken[index] === 1 };
}

/**
 * Records of the branch's messages and results of its calls that hang on something else: with foreign parents they belong
 * here all the same. But a resume may write old history again with new uuids (2.0.76, 2.1.29): such copies stay outside.
 */
function standingApart(
  own: readonly number[],
  nodes: readonly Node[],
  related: (index: number) => readonly number[],
): number[] {
  const apart = new Set(own.flatMap((index) => related(index)));
  if (apart.size === 0) return [];
  const present = new Set(own.flatMap((index) => contentsOf(nodes[index])));
  return [...apart].filter((index) => contentsOf(nodes[index]).some((content) => !present.has(content)));
}

/** What a record brings: a result for a call, or a part of a message, told apart by its time and calls. */
function contentsOf(node: Node | undefined): string[] {
  const results = node?.results?.map(({ id }) => `result ${id}`) ?? [];
  const calls = node?.calls?.map(({ id }) => id).join(" ") ?? "";
  return node?.message === undefined ? results : [...results, `part ${node.message} ${node.time} ${calls}`];
}

/** For a record the others of its message, then those with the results of each of its calls. */
type Kin = readonly (readonly number[])[];

function findKin(nodes: readonly Node[], links: Links): (Kin | undefined)[] {
  const byMessage = new Map<string, number[]>();
  const byCall = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    if (!links.isMain(index)) return;
    if (node.message !== undefined) listAt(byMessage, node.message).push(index);
    for (const { id } of node.results ?? []) listAt(byCall, id).push(index);
  });
  return nodes.map(({ message, calls }) => {
    const siblings = message === undefined ? undefined : byMessage.get(message);
    const kin = siblings && siblings.length > 1 ? [siblings] : [];
    for (const { id } of calls ?? []) kin.push(byCall.get(id) ?? []);
    return kin.length > 0 ? kin : undefined;
  });
}

/** A list is shortened whenever it is looked at: a message may have thousands of records. */
function untakenKin(kin: Ground["kin"], taken: Uint8Array): (index: number) => readonly number[] {
  const rest = new Map<readonly number[], readonly number[]>();
  const restOf = (list: readonly number[]) => {
    const left = (rest.get(list) ?? list).filter((index) => !taken[index]);
    rest.set(list, left);
    return left;
  };
  return (index) => kin[index]?.flatMap(restOf) ?? [];
}

/** Marks nodes below which (themselves included) nobody of the main chain says anything: progress, attachments, system. */
function silentSubtrees(nodes: readonly Node[], links: Links): Uint8Array {
  const isSilent = new Uint8Array(nodes.length);
  for (const index of links.order.toReversed()) {
    const isQuiet = !isTalk(nodes[index]) || !links.isMain(index);
    isSilent[index] = isQuiet && (links.children[index] ?? []).every((child) => isSilent[child]) ? 1 : 0;
  }
  return isSilent;
}

/** Up over trailing side lines to the last message. */
function lastMessage(leaf: number, nodes: readonly Node[], { parent }: Links): number {
  for (let at = leaf; at >= 0; at = parent[at] ?? -1) if (isTalk(nodes[at])) return at;
  return leaf;
}
