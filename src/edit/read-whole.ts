import type { LogRecord } from "../format/record.js";
import { readRecords } from "../format/record-reader.js";
import type { EditSource, SourceRecord } from "./edit-source.js";

/** Whole records, one at a time, each with what the edit knows of it. */
export function* readWhole(source: EditSource): Generator<[LogRecord, SourceRecord]> {
  let at = 0;
  for (const record of readRecords(source.path)) {
    const known = source.records[at++];
    if (known === undefined) return; // what was added since
    yield [record, known];
  }
}
