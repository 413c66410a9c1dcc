import { stringAt } from "./json-at.js";
import type { Row } from "./read-session.js";

export type Parents = ReadonlyMap<Row, Row | null>;

/** FACTS 6.1 and 7.3. Without any parent or uuid in the file, the file order is the chain (6.4). */
export function linkParents(nodes: readonly Row[]): Parents {
  const byUuid = new Map(nodes.map((node) => [node.uuid, node]));
  const hasParents = nodes.some(({ json }) => stringAt(json, "parentUuid") !== null);
  const hasUuids = nodes.some(({ uuid }) => uuid !== null);
  const named = new Set(nodes.map(({ json }) => byUuid.get(stringAt(json, "parentUuid") ?? "")));

  const parentOf = (node: Row, index: number): Row | null => {
    const previous = nodes[index - 1] ?? null;
    if (!hasParents || !hasUuids) return previous;
    const parent = stringAt(node.json, "parentUuid");
    if (parent !== null) return byUuid.get(parent) ?? bridge(node, previous, named);
    if (startsCompaction(node)) return byUuid.get(stringAt(node.json, "logicalParentUuid") ?? "") ?? previous;
    return node.uuid === null ? previous : null;
  };
  return new Map(nodes.map((node, index) => [node, parentOf(node, index)]));
}

function startsCompaction({ json }: Row): boolean {
  return json["subtype"] === "compact_boundary" || json["isCompactSummary"] === true;
}

/** The parent is not in this file: go on from the row before, if it is older and nothing else goes on from it. */
function bridge(node: Row, previous: Row | null, named: ReadonlySet<Row | undefined>): Row | null {
  if (previous === null || named.has(previous)) return null;
  const [before, now] = [stringAt(previous.json, "timestamp"), stringAt(node.json, "timestamp")];
  return before !== null && now !== null && before > now ? null : previous;
}
