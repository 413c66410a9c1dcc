import type { Warning } from "../facts/facts.js";
import { type Ancestors, groupByRoot, trackAncestors } from "./ancestors.js";
import type { Node } from "./node.js";

/** The conversation as a forest: for each node the index of the one before it, -1 for a root. */
export interface Links {
  readonly parent: Int32Array;
  readonly children: readonly (readonly number[])[];
  /** Every node after its parent, otherwise as in the file. */
  readonly order: readonly number[];
  readonly isMain: (index: number) => boolean;
  /** By uuid, and by the uuid under which a record was sent. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** Uuids by those under which their records were sent. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Parents assigned to records that name none, or none that can be followed, by uuid. */
  readonly mended: ReadonlyMap<string, string | null>;
  readonly warnings: readonly Warning[];
}

export function linkNodes(nodes: readonly Node[]): Links {
  const indexOf = new Map<string, number>();
  nodes.forEach(({ uuid }, index) => {
    if (uuid !== undefined) indexOf.set(uuid, index);
  });
  const sentAs = new Map<string, string>();
  nodes.forEach(({ uuid, sentAs: name }, index) => {
    if (uuid === undefined || name === undefined || indexOf.has(name)) return;
    indexOf.set(name, index);
    sentAs.set(name, uuid);
  });
  const isMain = mainChainTest(nodes);
  const warnings: Warning[] = [];
  const parent = resolveParents(nodes, indexOf, warnings);
  cutCycles(parent, nodes, warnings);
  const children = listChildren(parent);
  const mended = listMended(nodes, parent);
  return { parent, children, order: orderNodes(parent, children), isMain, indexOf, sentAs, mended, warnings };
}

/** A file of nothing but sub-agent records is that agent's own session. */
function mainChainTest(nodes: readonly Node[]): (index: number) => boolean {
  const hasMain = nodes.some((node) => isMessageNode(node) && !node.isSidechain);
  return (index) => !hasMain || !nodes[index]?.isSidechain;
}

const MISSING = -2;

function resolveParents(nodes: readonly Node[], indexOf: ReadonlyMap<string, number>, warnings: Warning[]): Int32Array {
  const before = previousOfChain(nodes);
  if (indexOf.size === 0) return before; // rows without uuids: file order is the chain
  const parent = Int32Array.from(nodes, (node, index) => findParent(node, before[index] ?? -1, indexOf));
  for (const index of listBeginnings(nodes, parent)) parent[index] = -1;
  openCircles(nodes, parent, before);
  const ancestors = trackAncestors(parent);
  nodes.forEach((node, index) => {
    if (node.preserved) parent[index] = endOfCompacted(node, index, { parent, before, indexOf, ancestors });
    ancestors.settle(index);
  });
  const hasChild = new Uint8Array(nodes.length);
  for (const at of parent) if (at >= 0) hasChild[at] = 1;
  nodes.forEach((node, index) => {
    if (parent[index] !== MISSING) return;
    const bridge = before[index] ?? -1;
    const isBridged = bridge >= 0 && !hasChild[bridge] && isOlder(nodes[bridge], node);
    parent[index] = isBridged ? bridge : -1;
    const where = isBridged ? `continued after line ${nodes[bridge]?.line}` : "treated as a start";
    warnings.push({
      line: node.line,
      code: "missing-parent",
      message: `its parent ${node.parentUuid} is not in the file; ${where}`,
    });
  });
  return parent;
}

/**
 * Boundaries that name no logical parent and have an older record below their summary: the preserved records were written there,
 * and nothing precedes them. What is before the boundary in the file is another branch.
 */
function listBeginnings(nodes: readonly Node[], parent: Int32Array): number[] {
  return nodes.flatMap(({ time = Number.POSITIVE_INFINITY }, index) => {
    const summary = parent[index] ?? -1;
    const above = parent[summary] ?? -1;
    const boundary = nodes[above];
    const isBeginning =
      nodes[summary]?.role === "compactSummary" &&
      boundary?.role === "boundary" &&
      typeof (boundary.logicalParentUuid ?? boundary.parentUuid) !== "string" &&
      time < (boundary.time ?? Number.NEGATIVE_INFINITY);
    return isBeginning ? above : [];
  });
}

/**
 * The last record of the conversation that a compaction summarised in part ("Summarize from here", "up to here"): its
 * boundary names the last kept or the last summarised record, whichever comes first, so the others are below that one.
 */
function endOfCompacted({ uuid, preserved }: Node, index: number, candidates: Candidates): number {
  const { parent, before, indexOf, ancestors } = candidates;
  const named = parent[index] ?? -1;
  const tail = indexOf.get(preserved?.uuids.at(-1) ?? preserved?.tail ?? "") ?? -1;
  if (tail < index && ancestors.isBelow(tail, named)) return tail;
  const last = before[index] ?? -1;
  const isSummaryLast = uuid !== undefined && preserved?.anchor === uuid;
  return isSummaryLast && ancestors.isBelow(last, named) ? last : named;
}

interface Candidates {
  readonly parent: Int32Array;
  readonly before: Int32Array;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly ancestors: Ancestors;
}

/**
 * A fork writes the preserved records, the boundary's logical parent among them, behind the summary (2.1.260). The first boundary
 * of such a circle continues the record before it, unless that is below it.
 */
function openCircles(nodes: readonly Node[], parent: Int32Array, before: Int32Array): void {
  const circles = findCircles(parent);
  if (!circles) return;
  const groups = groupByRoot(parent);
  const isOpen = new Set<number>();
  nodes.forEach(({ role }, index) => {
    const circle = circles[index] ?? 0;
    if (role !== "boundary" || circle === 0 || isOpen.has(circle)) return;
    isOpen.add(circle);
    const above = before[index] ?? -1;
    const isFree = above >= 0 && !groups.isSame(above, index);
    parent[index] = isFree ? above : -1;
    if (isFree) groups.join(index, above);
  });
}

/** For each node the number of the circle of parents that it is a part of, 0 for none; undefined where there is no circle. */
function findCircles(parent: Int32Array): Int32Array | undefined {
  const visit = new Int32Array(parent.length);
  const circles = new Int32Array(parent.length);
  let count = 0;
  for (let start = 0; start < parent.length; start++) {
    let at = start;
    while (at >= 0 && visit[at] === 0) {
      visit[at] = start + 1;
      at = parent[at] ?? -1;
    }
    if (at < 0 || visit[at] !== start + 1) continue;
    count += 1;
    for (; circles[at] === 0; at = parent[at] ?? -1) circles[at] = count;
  }
  return count > 0 ? circles : undefined;
}

function findParent(node: Node, before: number, indexOf: ReadonlyMap<string, number>): number {
  if (node.role === "boundary") return indexOf.get(node.logicalParentUuid ?? node.parentUuid ?? "") ?? before;
  if (node.parentUuid === null) return node.role === "compactSummary" ? before : -1;
  if (node.parentUuid === undefined) return before;
  return indexOf.get(node.parentUuid) ?? MISSING;
}

/** For each node the index of the one before it in the file that belongs to the same chain. */
function previousOfChain(nodes: readonly Node[]): Int32Array {
  const last = new Map<string, number>();
  return Int32Array.from(nodes, (node, index) => {
    const chain = node.isSidechain ? `side:${node.agentId ?? ""}` : "main";
    const previous = last.get(chain) ?? -1;
    last.set(chain, index);
    return previous;
  });
}

function isOlder(a: Node | undefined, b: Node): boolean {
  return a?.time === undefined || b.time === undefined || a.time <= b.time;
}

/** A cycle is cut above its first record in the file. */
function cutCycles(parent: Int32Array, nodes: readonly Node[], warnings: Warning[]): void {
  const UNSEEN = 0;
  const visit = new Int32Array(parent.length);
  for (let start = 0; start < parent.length; start++) {
    const mark = start + 1;
    let at = start;
    while (at >= 0 && visit[at] === UNSEEN) {
      visit[at] = mark;
      at = parent[at] ?? -1;
    }
    if (at < 0 || visit[at] !== mark) continue;
    const first = firstOfCycle(parent, at);
    parent[first] = -1;
    warnings.push({ line: nodes[first]?.line ?? 0, code: "parent-cycle", message: "its parents lead back to itself" });
  }
}

function firstOfCycle(parent: Int32Array, member: number): number {
  let first = member;
  for (let at = parent[member] ?? -1; at !== member && at >= 0; at = parent[at] ?? -1) first = Math.min(first, at);
  return first;
}

function listChildren(parent: Int32Array): number[][] {
  const children: number[][] = Array.from(parent, () => []);
  parent.forEach((at, index) => {
    if (at >= 0) children[at]?.push(index);
  });
  return children;
}

/** File order, but a record written before its parent waits for it. */
function orderNodes(parent: Int32Array, children: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const isPlaced = new Uint8Array(parent.length);
  for (let index = 0; index < parent.length; index++) {
    const at = parent[index] ?? -1;
    if (at >= 0 && !isPlaced[at]) continue;
    const ready = [index];
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      if (isPlaced[next]) continue;
      isPlaced[next] = 1;
      order.push(next);
      for (const child of children[next]?.toReversed() ?? []) if (child < index) ready.push(child);
    }
  }
  return order;
}

function listMended(nodes: readonly Node[], parent: Int32Array): Map<string, string | null> {
  const mended = new Map<string, string | null>();
  nodes.forEach(({ uuid, parentUuid, role }, index) => {
    if (uuid === undefined || parentUuid === null) return;
    const above = role === "boundary" ? undefined : nodes[parent[index] ?? -1];
    const isNamed = parentUuid !== undefined && (above?.uuid === parentUuid || above?.sentAs === parentUuid);
    if (!isNamed) mended.set(uuid, above?.uuid ?? null);
  });
  return mended;
}

/** The index of the last message of the file; -1 where there is none. */
export function lastMessageNode(nodes: readonly Node[], { isMain }: Links): number {
  return nodes.findLastIndex((node, index) => isMessageNode(node) && isMain(index));
}

/** The indexes from the root to a node. */
export function pathTo(end: number, { parent }: Links): number[] {
  const path: number[] = [];
  for (let at = end; at >= 0; at = parent[at] ?? -1) path.push(at);
  return path.reverse();
}

export function isMessageNode(node: Node | undefined): boolean {
  return node?.kind === "user" || node?.kind === "assistant";
}
