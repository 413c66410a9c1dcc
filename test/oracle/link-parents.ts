import { stringAt, valueAt } from "./json-at.js";
import type { Row } from "./read-session.js";

export type Parents = ReadonlyMap<Row, Row | null>;

/** FACTS 6.1 and 7.3. Without any parent or uuid in the file, the file order is the chain (6.4). */
export function linkParents(nodes: readonly Row[]): Parents {
  // FACTS-2.1.326 B6: a row answers to the uuid under which it was sent, unless another row has it.
  const byUuid = new Map([
    ...nodes.map((node) => [stringAt(node.json, "sentAsUuid"), node] as const),
    ...nodes.map((node) => [node.uuid, node] as const),
  ]);
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
  const parents = new Map(nodes.map((node, index) => [node, parentOf(node, index)]));
  nodes.forEach((node, index) => {
    parents.set(node, compactedEnd(node, nodes.slice(0, index), parents));
  });
  return parents;
}

/**
 * FACTS-2.1.326 F3 and F4: a partial compaction keeps messages on one side of a prompt and summarises the other side, and names
 * the last row of the earlier side. The conversation ended with the later side: all of it is history.
 */
function compactedEnd(boundary: Row, before: readonly Row[], parents: Parents): Row | null {
  const named = parents.get(boundary) ?? null;
  const kept = preservedUuids(boundary);
  const metadata = valueAt(boundary.json, "compactMetadata");
  if (named === null || metadata === undefined) return named;
  const tail = kept.at(-1) ?? stringAt(metadata, "preservedSegment", "tailUuid");
  const keptEnd = before.find(({ uuid }) => uuid !== null && uuid === tail);
  if (keptEnd && isBelow(keptEnd, named, parents)) return keptEnd;
  const anchor =
    stringAt(metadata, "preservedMessages", "anchorUuid") ?? stringAt(metadata, "preservedSegment", "anchorUuid");
  const last = before.at(-1);
  return last && anchor !== null && anchor === boundary.uuid && isBelow(last, named, parents) ? last : named;
}

function isBelow(row: Row, above: Row, parents: Parents): boolean {
  const seen = new Set<Row>();
  for (let at = parents.get(row) ?? null; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
    if (at === above) return true;
    seen.add(at);
  }
  return false;
}

/** Of the messages that a compaction kept word by word. */
export function preservedUuids({ json }: Row): string[] {
  const uuids = valueAt(valueAt(json, "compactMetadata"), "preservedMessages");
  const listed = valueAt(uuids, "uuids");
  return json["subtype"] === "compact_boundary" && Array.isArray(listed) ? listed.map(String) : [];
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
