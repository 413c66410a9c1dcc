import { constants } from "node:buffer";
import { UserError } from "../../errors.js";
import { isObject, type JsonObject, toJsonText, tryParseJson } from "../../format/json.js";
import type { Line } from "../../format/reader/parse-line.js";
import { LineSplitter, parseRecords, readChunks, readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord, Place } from "../../format/record/record.js";
import { encodeLine } from "../../format/writer/append.js";
import { toCleanBytes } from "../../format/writer/change-record.js";
import { leafRecord, titleRecord } from "../../format/writer/new-records.js";
import { rewriteIds } from "../../format/writer/rewrite-ids.js";
import { type OutputFolder, rewriteOutputPaths } from "../../format/writer/rewrite-paths.js";
import { type Cleaning, type EditPlan, newIds, PRIVATE_THINKING, type Replace } from "../plans/edit-plan.js";
import { type EditSource, requireUnchanged } from "../plans/edit-source.js";
import { isSourceLink } from "../plans/source-links.js";
import type { SourceRecord } from "../plans/source-record.js";
import { redactRecord } from "./redact-file.js";
import { listSideFiles, type SideFiles } from "./side-files.js";

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
  if (plan.leaf !== null)
    yield rewrite(encodeLine(leafRecord(plan.leaf, plan.source.id, plan.source.outline.endsExplicitly)), {
      kind: "side",
    });
  if (plan.title !== null) yield encodeLine(titleRecord(plan.title, plan.id));
  requireSources(plan);

  function editRecord(bytes: Buffer, record: SourceRecord): Buffer | undefined {
    const change = plan.changes.get(record);
    if (isSourceLink(record) || change?.kind === "remove") {
      // What is left out was found too. Thinking was counted when it was chosen.
      if (plan.cleaning && change?.reason !== PRIVATE_THINKING) cleanRecord(bytes, plan.cleaning.clean);
      return undefined;
    }
    switch (change?.kind) {
      case "move":
        return undefined;
      case "replace":
        return rewrite(replaced(bytes, change.replace), record);
      default:
        return rewrite(bytes, record);
    }
  }

  function editTidily(bytes: Buffer, record: SourceRecord): Buffer | undefined {
    return plan.changes.get(record)?.kind === "remove" ? undefined : editRecord(toCleanBytes(bytes), record);
  }

  function hasFollowers(record: SourceRecord): boolean {
    return plan.moved.has(record) || plan.added.has(record);
  }

  /** What the plan puts after records, one line at a time. */
  function* followersOf(records: readonly SourceRecord[]): Generator<Buffer> {
    for (const record of records) {
      for (const moved of plan.moved.get(record) ?? []) yield Buffer.concat([moveRecord(moved), NEWLINE]);
      for (const added of plan.added.get(record) ?? []) yield encodeLine(added);
    }
  }

  function moveRecord(record: SourceRecord): Buffer {
    const change = plan.changes.get(record);
    const whole = readRecordBytes(path, record);
    const bytes = plan.isTidy ? toCleanBytes(whole) : whole;
    const replace = change?.kind === "move" ? change.replace : undefined;
    return rewrite(replace ? replaced(bytes, replace) : bytes, record);
  }
}

/** Throws if a session that is read again is not the one that was planned with; returns how many bytes were added to it. */
export function requireSources({ source, foreignSource }: EditPlan): number {
  return requireUnchanged(source) + (foreignSource ? requireUnchanged(foreignSource) : 0);
}

const NEWLINE = Buffer.from("\n");

function replaced(bytes: Buffer, replace: Replace): Buffer {
  return Buffer.from(toJsonText(replace(parse(bytes))) ?? "");
}

/** Without what may surround it: a byte order mark, a carriage return. */
function parse(bytes: Buffer): JsonObject {
  const raw = tryParseJson(bytes.toString("utf8", bytes.indexOf("{"), bytes.lastIndexOf("}") + 1));
  return isObject(raw) ? raw : {};
}

/** The bytes of one record. */
export function readRecordBytes(path: string, { offset, length }: SourceRecord): Buffer {
  return Buffer.concat([...readChunks(path, offset, offset + length)].map((chunk) => Buffer.from(chunk)));
}

/** A line, or several that are made when they are needed. */
type Lines = Buffer | Generator<Buffer>;

/** Whole lines of a file, each made into any number of lines. Every line ends with a newline, also the last. */
export function* mapLines(path: string, sizeBytes: number, edit: (line: Line) => readonly Lines[]): Generator<Buffer> {
  let lines: Lines[] = [];
  const maxLineBytes = constants.MAX_STRING_LENGTH;
  const splitter = new LineSplitter(
    (line) => {
      refuseTooLong(line, path);
      lines.push(...edit(line));
    },
    { maxLineBytes },
  );
  for (const chunk of readChunks(path, 0, sizeBytes)) {
    splitter.push(chunk);
    yield* eachOf(lines);
    lines = [];
  }
  splitter.end();
  yield* eachOf(lines);
}

function* eachOf(lines: readonly Lines[]): Generator<Buffer> {
  for (const line of lines) {
    if (Buffer.isBuffer(line)) yield line;
    else yield* line;
  }
}

/**
 * A line with its records edited, and all other bytes as they are: spaces, carriage returns, bytes between records that
 * were glued together. Undefined removes a record; a line is removed when all its records are.
 */
export function editLine<Record extends Place>(
  line: Line,
  records: readonly Record[],
  edit: (bytes: Buffer, record: Record) => Buffer | undefined,
): Buffer[] {
  const bytes = line.bytes.subarray(line.start, line.end);
  const parts: Buffer[] = [];
  let done = 0;
  let isKept = records.length === 0;
  for (const record of records) {
    const start = record.offset - line.offset;
    const edited = edit(bytes.subarray(start, start + record.length), record);
    parts.push(bytes.subarray(done, start));
    done = start + record.length;
    if (edited === undefined) continue;
    parts.push(edited);
    isKept = true;
  }
  return isKept ? [Buffer.concat([...parts, bytes.subarray(done), NEWLINE])] : [];
}

/** The records of a line, each on a line of its own, without the bytes around them. */
function splitLine<Record extends Place>(
  line: Line,
  records: readonly Record[],
  edit: (bytes: Buffer, record: Record) => Buffer | undefined,
): Buffer[] {
  return records.flatMap((record) => {
    const start = line.start + record.offset - line.offset;
    const edited = edit(line.bytes.subarray(start, Math.min(line.end, start + record.length)), record);
    return edited === undefined ? [] : [Buffer.concat([edited, NEWLINE])];
  });
}

function refuseTooLong({ isAbridged, number }: Line, path: string): void {
  if (!isAbridged) return;
  throw new UserError("unreadable", `line ${number} of ${path} is too long to be edited`, "nothing was written");
}

export type RewriteRecord = (bytes: Buffer, record: Pick<LogRecord, "kind">) => Buffer;

/** Everything that a copied record needs: private things out, paths to spilled output right, ids new. */
export function recordRewriter(
  plan: EditPlan,
  to: OutputFolder = { projectDir: plan.source.projectDir, id: plan.id },
  sideFiles: SideFiles = listSideFiles(plan.source.path),
): RewriteRecord {
  const { cleaning, source } = plan;
  const from = { projectDir: source.projectDir, id: source.id };
  const ids = newIds(plan, knownIds(source, sideFiles));
  return (bytes, { kind }) => {
    const cleaned = cleaning ? cleanRecord(bytes, cleaning.clean) : bytes;
    return kind === "broken" ? cleaned : rewriteIds(rewriteOutputPaths(cleaned, from, to), ids);
  };
}

/** Whether an id is that of a record of the session or of one of its sub-agents. */
function knownIds({ records }: EditSource, { sideFolder: besides }: SideFiles): (id: string) => boolean {
  const known = new Set(records.flatMap(({ uuid }) => uuid ?? []));
  for (const { path } of besides.filter(({ kind }) => kind === "subagent")) {
    for (const record of readRecords(path, { abridge: true })) {
      if (record.kind !== "broken" && record.uuid !== undefined) known.add(record.uuid);
    }
  }
  return (id) => known.has(id);
}

function cleanRecord(bytes: Buffer, clean: Cleaning["clean"]): Buffer {
  const [record] = parseRecords(bytes);
  return record ? redactRecord(record, bytes, clean) : bytes;
}
