import type { Node } from "../session/node.js";
import type { EditSource, SourceRecord } from "./edit-source.js";

/** Nodes of records that are not removed. */
export function stayingNodes(
  { recordOf }: EditSource,
  nodes: readonly Node[],
  removed: ReadonlyMap<SourceRecord, string>,
): Node[] {
  return nodes.filter((node) => {
    const record = recordOf(node);
    return record !== undefined && !removed.has(record);
  });
}
