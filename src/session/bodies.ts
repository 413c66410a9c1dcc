import type { LogRecord } from "../format/record.js";
import { listAt } from "./list-at.js";
import { bodyPlace, type Node } from "./node.js";

/** Whole records, found by their nodes. */
export interface Bodies {
  of(node: Node): LogRecord | undefined;
  all(nodes: readonly Node[]): LogRecord[];
}

export function indexBodies(records: Iterable<LogRecord>): Bodies {
  const byLine = new Map<number, LogRecord[]>(); // glued records share a line
  for (const record of records) listAt(byLine, record.line).push(record);
  const of = (node: Node) => {
    const { line, offset } = bodyPlace(node);
    return byLine.get(line)?.findLast((record) => record.offset === offset);
  };
  return { of, all: (nodes) => nodes.flatMap((node) => of(node) ?? []) };
}
