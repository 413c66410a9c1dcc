import type { Node } from "../session/node.js";

/** Parents that make one line of a branch. */
export interface Chain {
  readonly order: readonly Node[];
  /** By uuid. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** What stands before each boundary of a compaction, by its uuid: there the conversation continues. */
  readonly beforeBoundary: ReadonlyMap<string, string | null>;
}

/**
 * A branch as one line that every client can follow: all records of a message, then the results of its calls, then what comes
 * next. Beside each other, results get lost in clients up to 2.1.45; behind progress, 2.0.50 finds nothing.
 */
export function chainNodes(nodes: readonly Node[]): Chain {
  const parents = new Map<string, string | null>();
  const beforeBoundary = new Map<string, string | null>();
  const order = splitAtCompactions(nodes).flatMap(orderPart);
  let last: Node | undefined;
  for (const node of order) {
    const { uuid } = node;
    if (uuid === undefined) continue;
    const above = last?.uuid ?? null;
    if (node.role === "boundary") beforeBoundary.set(uuid, above);
    parents.set(uuid, startsAnew(node, last) ? null : above);
    if (carriesOn(node)) last = node;
  }
  return { order, parents, beforeBoundary };
}

/**
 * Whether a message or the results of its calls stand together, with no prompt between them. Where they do not, one line would put
 * words into other turns than those that they were said in.
 */
export function isWhole(nodes: readonly Node[]): boolean {
  const turnOf = new Map<string, number>();
  let turn = 0;
  return nodes.every((node) => {
    const { role, message, calls = [], results = [] } = node;
    if (role === "prompt" || role === "command" || role === "bash" || role === "notification") turn += 1;
    const parts = [
      ...(message === undefined ? [] : [message]),
      ...[...calls, ...results].map(({ id }) => `call ${id}`),
    ];
    return parts.every((part) => {
      const known = turnOf.get(part) ?? turn;
      turnOf.set(part, known);
      return known === turn;
    });
  });
}

function splitAtCompactions(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isCompaction(node)) parts.push([]);
    parts.at(-1)?.push(node);
  }
  return parts;
}

function isCompaction({ role }: Node): boolean {
  return role === "boundary" || role === "compactSummary";
}

function orderPart(nodes: readonly Node[]): Node[] {
  const byMessage = groupBy(nodes, ({ kind, message }) => (kind === "assistant" && message ? [message] : []));
  const byCall = groupBy(nodes, ({ kind, results = [] }) => (kind === "user" ? results.map(({ id }) => id) : []));
  const called = onceOf(nodes.flatMap(callIds));
  const placed = new Set<Node>();
  for (const node of nodes) {
    const isResult = node.kind === "user" && node.results?.some(({ id }) => called.has(id));
    if (isResult) continue; // it follows its call
    const parts = (node.kind === "assistant" && byMessage.get(node.message ?? "")) || [node];
    const results = parts.flatMap(callIds).flatMap((id) => (called.has(id) ? (byCall.get(id) ?? []) : []));
    for (const next of [...parts, ...results]) placed.add(next);
  }
  return [...placed];
}

function groupBy(nodes: readonly Node[], keysOf: (node: Node) => readonly string[]): ReadonlyMap<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    for (const key of keysOf(node)) {
      const group = groups.get(key);
      if (group) group.push(node);
      else groups.set(key, [node]);
    }
  }
  return groups;
}

/** Some back ends count their ids anew in each message: then only its place tells whose a result is. */
function onceOf(ids: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const again = new Set(ids.filter((id) => seen.size === seen.add(id).size));
  return new Set(ids.filter((id) => !again.has(id)));
}

function callIds({ calls }: Node): string[] {
  return calls?.map(({ id }) => id) ?? [];
}

/** Clients read from the last compaction on: it has no parent. */
function startsAnew({ role, parentUuid }: Node, before: Node | undefined): boolean {
  return role === "boundary" || (role === "compactSummary" && parentUuid === null && before?.role !== "boundary");
}

function carriesOn({ kind }: Node): boolean {
  return kind !== "progress" && kind !== "other";
}
