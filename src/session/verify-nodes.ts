import { hash } from "node:crypto";
import type { Line } from "../format/line-splitter.js";
import type { LogRecord } from "../format/record.js";
import { type Node, toNode } from "./node.js";
import type { ProblemLog } from "./problem-log.js";

export interface NodeCollector {
  readonly nodes: readonly Node[];
  /** False for a record that stood in the file before, byte by byte. */
  add(record: LogRecord, line: Line): boolean;
}

interface FirstSeen {
  readonly line: number;
  readonly index: number; // of its node
  readonly digest: number;
}

/** Keeps the skeleton of the conversation, and tells records whose uuid is taken. */
export function createNodeCollector(log: ProblemLog): NodeCollector {
  const nodes: Node[] = [];
  const seen = new Map<string, FirstSeen>();

  function add(record: LogRecord, line: Line): boolean {
    const node = toNode(record);
    if (!node) return true;
    const { uuid } = node;
    const first = uuid === undefined ? undefined : seen.get(uuid);
    if (!first) {
      if (uuid !== undefined) seen.set(uuid, { line: node.line, index: nodes.length, digest: digestOf(record, line) });
      nodes.push(node);
      return true;
    }
    const isSame = first.digest === digestOf(record, line);
    log.add(isSame ? "duplicate-line" : "duplicate-uuid", record.line, first.line);
    if (!isSame) nodes[first.index] = { ...node, line: first.line };
    return !isSame;
  }

  return { nodes, add };
}

function digestOf({ offset, length }: LogRecord, line: Line): number {
  const start = Math.min(line.end, line.start + offset - line.offset);
  const bytes = line.bytes.subarray(start, Math.min(line.end, start + length));
  return hash("sha1", bytes, "buffer").readUIntBE(0, 6);
}
