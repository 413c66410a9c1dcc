import type { LogRecord } from "../format/record.js";
import type { Node } from "./node.js";

/** Whole records, found by their nodes. */
export interface Bodies {
  of(node: Node): LogRecord | undefined;
  all(nodes: readonly Node[]): LogRecord[];
}

export function indexBodies(records: Iterable<LogRecord>): Bodies {
  const byOffset = new Map<number, LogRecord>(); // glued records share a line, never an offset
  for (const record of records) byOffset.set(record.offset, record);
  const of = ({ offset }: Node) => byOffset.get(offset);
  return { of, all: (nodes) => nodes.flatMap((node) => of(node) ?? []) };
}
