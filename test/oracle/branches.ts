import { blocksOf } from "./classify-user.js";
import { linkParents, type Parents, preservedUuids } from "./link-parents.js";
import { messageKey } from "./message-key.js";
import type { Row } from "./read-session.js";
import { toolResultsOf } from "./tool-calls.js";

export interface Branches {
  /** Every node of the conversation, dead or alive, in file order. */
  readonly nodes: readonly Row[];
  readonly active: { readonly leaf: Row | null; readonly rows: readonly Row[] };
  /** `rows` is the whole path from the root; `own` is what no other branch has already claimed. */
  readonly dead: readonly { readonly leaf: Row; readonly rows: readonly Row[]; readonly own: ReadonlySet<Row> }[];
}

export function findBranches(rows: readonly Row[]): Branches {
  const nodes = conversationNodes(rows);
  const parents = linkParents(nodes);
  const tip = chooseTip(rows, nodes, parents);
  const activePath = tip === null ? new Set<Row>() : widen(ancestors(tip, parents), nodes, parents);
  const claimed = new Set(activePath);
  const dead: Branches["dead"][number][] = [];
  for (let next = lastUnclaimed(nodes, claimed); next !== null; next = lastUnclaimed(nodes, claimed)) {
    const deadTip = newestDescendant(next, nodes, parents);
    const path = widen(ancestors(deadTip, parents), nodes, parents);
    const own = new Set([...path, next].filter((row) => !claimed.has(row)));
    for (const row of own) claimed.add(row);
    dead.unshift({ leaf: stepUp(deadTip, parents), rows: inOrder(path, nodes, parents), own });
  }
  return {
    nodes,
    active: { leaf: tip && stepUp(tip, parents), rows: inOrder(activePath, nodes, parents) },
    dead,
  };
}

const MAIN_TYPES = ["user", "assistant", "system", "attachment"];
const isMessage = ({ type }: Row) => type === "user" || type === "assistant";

/** Sidechain rows are another conversation, unless there is no other (a sub-agent's own file). */
function conversationNodes(rows: readonly Row[]): Row[] {
  const nodes = rows.filter(({ uuid, type }) => uuid !== null || MAIN_TYPES.includes(type));
  const main = nodes.filter(({ json }) => json["isSidechain"] !== true);
  return main.some(isMessage) ? main : nodes;
}

/**
 * FACTS-2.1.326 F1 and F2: what the last `last-prompt` points at, unless a row of the conversation follows it; exactly that row
 * where it is explicit, and no row at all for an explicit null. Else the last node in file order.
 */
function chooseTip(rows: readonly Row[], nodes: readonly Row[], parents: Parents): Row | null {
  const talk = nodes.filter(({ type }) => MAIN_TYPES.includes(type));
  const last = talk.at(-1);
  if (last === undefined) return null;
  const hint = rows.findLast(({ type }) => type === "last-prompt");
  const isVoid = hint === undefined || talk.some(({ line }) => line > hint.line);
  if (isVoid) return newestDescendant(last, nodes, parents);
  const { leafUuid, explicit } = hint.json;
  if (explicit === true && leafUuid === null) return null;
  const named = talk.find(({ uuid }) => uuid !== null && uuid === leafUuid);
  return named && explicit === true ? named : newestDescendant(named ?? last, nodes, parents);
}

function newestDescendant(node: Row, nodes: readonly Row[], parents: Parents): Row {
  const descendants = nodes.filter((it) => MAIN_TYPES.includes(it.type) && ancestors(it, parents).has(node));
  const withChildren = new Set(descendants.map((it) => parents.get(it)));
  return descendants.findLast((it) => !withChildren.has(it)) ?? node;
}

/** The node itself and all above it; a cycle ends at the first repeat. */
function ancestors(node: Row, parents: Parents): Set<Row> {
  const path = new Set<Row>();
  for (let at: Row | null = node; at !== null && !path.has(at); at = parents.get(at) ?? null) path.add(at);
  return path;
}

function stepUp(tip: Row, parents: Parents): Row {
  return [...ancestors(tip, parents)].find(isMessage) ?? tip;
}

/** FACTS 6.4: all rows of the messages on the path, all their results, and the side rows that hang on these alone. */
function widen(path: ReadonlySet<Row>, nodes: readonly Row[], parents: Parents): Set<Row> {
  const assistants = [...path].filter(({ type }) => type === "assistant");
  const keys = new Set(assistants.map(messageKey));
  const callIds = new Set(
    nodes
      .filter((row) => row.type === "assistant" && keys.has(messageKey(row)))
      .flatMap(blocksOf)
      .filter((block) => block["type"] === "tool_use")
      .map((block) => block["id"]),
  );
  const kept = new Set([...path].flatMap(preservedUuids));
  const belongs = (row: Row) =>
    path.has(row) ||
    kept.has(row.uuid ?? "") ||
    (row.type === "assistant" && keys.has(messageKey(row))) ||
    toolResultsOf(row).some(({ callId }) => callIds.has(callId)) ||
    (hangsAside(row, nodes, parents) && path.has(parents.get(row) ?? row));
  const wider = new Set(nodes.filter(belongs));
  return wider.size === path.size ? wider : widen(wider, nodes, parents);
}

function hangsAside(row: Row, nodes: readonly Row[], parents: Parents): boolean {
  return !isMessage(row) && !nodes.some((node) => isMessage(node) && ancestors(node, parents).has(row));
}

function lastUnclaimed(nodes: readonly Row[], claimed: ReadonlySet<Row>): Row | null {
  return nodes.findLast((node) => isMessage(node) && !claimed.has(node)) ?? null;
}

/** File order, but no child before its parent. */
function inOrder(path: ReadonlySet<Row>, nodes: readonly Row[], parents: Parents): Row[] {
  const ordered = nodes
    .filter((node) => path.has(node))
    .flatMap((node) => [...ancestors(node, parents)].filter((it) => path.has(it)).toReversed());
  return [...new Set(ordered)];
}
