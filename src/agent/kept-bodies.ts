import type { LogRecord } from "../format/record.js";
import { readRecordsAt } from "../format/record-reader.js";
import { type Bodies, indexBodies } from "../session/bodies.js";
import { bodyPlace, type Node } from "../session/node.js";

/** What fits into any model's context, many times over. */
const MAX_KEPT_BYTES = 512 * 1024 * 1024;

/**
 * The records of a session since its last compaction, as they were read: most likely those that its replay needs.
 * The others are read again.
 */
export class KeptBodies {
  #records: LogRecord[] = [];
  #bytes = 0;

  constructor(private readonly path: string) {}

  keep(record: LogRecord): void {
    if (record.kind === "system" && record.subtype === "compact_boundary") this.#forget();
    this.#bytes += record.length;
    if (this.#bytes <= MAX_KEPT_BYTES) this.#records.push(record);
  }

  of(nodes: readonly Node[]): Bodies {
    const kept = indexBodies(this.#records);
    const missing = indexBodies(readRecordsAt(this.path, nodes.filter((node) => !kept.of(node)).map(bodyPlace)));
    const of = (node: Node) => kept.of(node) ?? missing.of(node);
    return { of, all: (wanted) => wanted.flatMap((node) => of(node) ?? []) };
  }

  #forget(): void {
    this.#records = [];
    this.#bytes = 0;
  }
}
