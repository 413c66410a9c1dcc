import type { LogRecord, Place } from "../format/record.js";
import { readRecordsAt } from "../format/record-reader.js";
import { type Bodies, indexBodies } from "../session/bodies.js";
import { bodyPlace, type Node } from "../session/node.js";

/** Beyond this, holding on to all that passes costs more than reading its end again. */
const MAX_KEPT_BYTES = 8_000_000;

/**
 * The records of a session since its last compaction, as they were read: most likely those that its replay needs. The others
 * are read again.
 */
export class KeptBodies {
  #records: LogRecord[] = [];
  #bytes = 0;

  constructor(private readonly path: string) {}

  keep(record: LogRecord): void {
    if (record.kind === "system" && record.subtype === "compact_boundary") this.#forget();
    this.#bytes += record.length;
    if (this.#bytes <= MAX_KEPT_BYTES) this.#records.push(withoutEnvelope(record));
    else if (this.#records.length > 0) this.#records = [];
  }

  of(nodes: readonly Node[]): Bodies {
    const kept = indexBodies(this.#records);
    const places = nodes.filter((node) => !kept.of(node)).map(bodyPlace);
    const missing = indexBodies(readAgain(this.path, places));
    const of = (node: Node) => kept.of(node) ?? missing.of(node);
    return { of, all: (wanted) => wanted.flatMap((node) => of(node) ?? []) };
  }

  #forget(): void {
    this.#records = [];
    this.#bytes = 0;
  }
}

function* readAgain(path: string, places: readonly Place[]): Generator<LogRecord> {
  for (const record of readRecordsAt(path, places, { forReplay: true })) yield withoutEnvelope(record);
}

/** Half of what a message takes in memory is what the client noted around it; the blocks are all that is sent. */
export function withoutEnvelope(record: LogRecord): LogRecord {
  if (record.kind === "assistant") return Object.assign(record, { raw: NOTHING });
  return record.kind === "user" ? Object.assign(record, { raw: NOTHING, toolUseResult: undefined }) : record;
}

const NOTHING = {};
