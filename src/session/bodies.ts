import type { LogRecord, Place } from "../format/record.js";
import { bodyPlace, type Node } from "./node.js";

/** Whole records, found by their nodes. */
export interface Bodies {
  of(node: Node): LogRecord | undefined;
  all(nodes: readonly Node[]): LogRecord[];
}

export function indexBodies(records: Iterable<LogRecord>): Bodies {
  const byPlace = new Map<string, LogRecord>();
  for (const record of records) byPlace.set(placeKey(record), record);
  const of = (node: Node) => byPlace.get(placeKey(bodyPlace(node)));
  return { of, all: (nodes) => nodes.flatMap((node) => of(node) ?? []) };
}

/** Glued records share a line, records that a program made share an offset. */
function placeKey({ line, offset }: Place): string {
  return `${line}:${offset}`;
}
