import { encodeLine } from "../format/encode-line.js";
import { isObject, type JsonObject, tryParseJson } from "../format/json.js";
import { readChunks } from "../format/record-reader.js";
import { leafRecord, titleRecord } from "../format/side-records.js";
import { tidyRecord } from "../format/tidy-record.js";
import type { EditPlan, Replace } from "./edit-plan.js";
import type { SourceRecord } from "./edit-source.js";
import { editLine, mapLines, splitLine } from "./map-lines.js";
import { type RewriteRecord, recordRewriter } from "./rewrite-record.js";

/**
 * The lines of the new session's transcript, one after the other, each with its newline. `rewrite` is what is done to every
 * record that is kept, after the plan's own changes.
 */
export function* editedLines(plan: EditPlan, rewrite: RewriteRecord = recordRewriter(plan)): Generator<Buffer> {
  const { path, sizeBytes, records } = plan.source;
  let next = 0;
  yield* mapLines(path, sizeBytes, (line) => {
    const own: SourceRecord[] = [];
    for (let record = records[next]; record?.line === line.number; record = records[++next]) own.push(record);
    const edited = plan.isTidy ? splitLine(line, own, editTidily) : editLine(line, own, editRecord);
    return own.some(hasFollowers) ? [...edited, followersOf(own)] : edited;
  });
  if (plan.leaf !== null) yield rewrite(encodeLine(leafRecord(plan.leaf, plan.source.id)), { kind: "side" });
  if (plan.title !== null) yield encodeLine(titleRecord(plan.title, plan.id));

  function editRecord(bytes: Buffer, record: SourceRecord): Buffer | undefined {
    const change = plan.changes.get(record);
    switch (change?.kind) {
      case "remove":
      case "move":
        return undefined;
      case "replace":
        return rewrite(replaced(bytes, change.replace), record);
      default:
        return rewrite(bytes, record);
    }
  }

  function editTidily(bytes: Buffer, record: SourceRecord): Buffer | undefined {
    return plan.changes.get(record)?.kind === "remove" ? undefined : editRecord(tidyRecord(bytes), record);
  }

  function hasFollowers(record: SourceRecord): boolean {
    return plan.moved.has(record) || plan.added.has(record);
  }

  /** What the plan puts behind records, one line at a time. */
  function* followersOf(records: readonly SourceRecord[]): Generator<Buffer> {
    for (const record of records) {
      for (const moved of plan.moved.get(record) ?? []) yield Buffer.concat([moveRecord(moved), NEWLINE]);
      for (const added of plan.added.get(record) ?? []) yield encodeLine(added);
    }
  }

  function moveRecord(record: SourceRecord): Buffer {
    const change = plan.changes.get(record);
    const whole = readRecordBytes(path, record);
    const bytes = plan.isTidy ? tidyRecord(whole) : whole;
    const replace = change?.kind === "move" ? change.replace : undefined;
    return rewrite(replace ? replaced(bytes, replace) : bytes, record);
  }
}

const NEWLINE = Buffer.from("\n");

function replaced(bytes: Buffer, replace: Replace): Buffer {
  return Buffer.from(JSON.stringify(replace(parse(bytes))));
}

/** Without what may stand around it: a byte order mark, a carriage return. */
function parse(bytes: Buffer): JsonObject {
  const raw = tryParseJson(bytes.toString("utf8", bytes.indexOf("{"), bytes.lastIndexOf("}") + 1));
  return isObject(raw) ? raw : {};
}

/** The bytes of one record. */
export function readRecordBytes(path: string, { offset, length }: SourceRecord): Buffer {
  return Buffer.concat([...readChunks(path, offset, offset + length)].map((chunk) => Buffer.from(chunk)));
}
