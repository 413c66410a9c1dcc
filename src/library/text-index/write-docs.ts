import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogRecord, Place } from "../../format/record/record.js";
import type { TextKind } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import type { CallMemory, FoundText } from "./file-texts.js";
import { foldText, identifierParts } from "./tokenize.js";

export interface DocWriter {
  addRecord(file: number, record: LogRecord, calls: CallMemory): void;
  /** An unchanged title is not written again: deleting a text takes as long as adding a few hundred. */
  setTitle(file: number, title: string, before: string | undefined): void;
  /** Removes the texts of one record. */
  removeAt(file: number, place: Place): void;
  /** Removes the texts of a line and of all after it. */
  removeFrom(file: number, line: number): void;
  removeFile(file: number): void;
}

/** Titles have no place in the file. */
const NO_PLACE = { line: 0, offset: -1, length: 0 };

export function createDocWriter(db: Database): DocWriter {
  const insertDoc = db.prepare(
    "INSERT INTO docs (id, file, line, offset, length, part, tool, time, is_error) VALUES (?,?,?,?,?,?,?,?,?)",
  );
  const insertText = db.prepare("INSERT INTO texts (rowid, text, parts) VALUES (?,?,?)");
  const deleteText = db.prepare("DELETE FROM texts WHERE rowid = ?");
  const deleteDoc = db.prepare("DELETE FROM docs WHERE id = ?");
  const docsAt = db.prepare<{ id: number }>("SELECT id FROM docs WHERE file = ? AND line = ? AND offset = ?");
  const docsFrom = db.prepare<{ id: number }>("SELECT id FROM docs WHERE file = ? AND line >= ?");
  const docsOf = db.prepare<{ id: number }>("SELECT id FROM docs WHERE file = ?");
  const lastDoc = db.prepare<{ id: number | null }>("SELECT max(id) AS id FROM docs");
  let sequence: number | undefined;

  /** Ids only grow, so the newest texts have the highest. */
  function nextId(kind: TextKind): number {
    sequence ??= Math.floor((lastDoc.get()?.id ?? 0) / KIND_STEP);
    sequence += 1;
    return sequence * KIND_STEP + KINDS.indexOf(kind);
  }

  function insert(file: number, time: number | undefined, found: FoundText): void {
    const id = nextId(found.kind);
    const { part } = found;
    const { line, offset, length } = found.place;
    insertDoc.run(id, file, line, offset, length, part, found.tool, time, found.isError ?? false);
    insertText.run(id, foldText(found.text), foldText(identifierParts(found.text)));
  }

  function remove(rows: readonly { id: number }[]): void {
    for (const { id } of rows) {
      deleteText.run(id);
      deleteDoc.run(id);
    }
  }

  return {
    addRecord(file, record, calls) {
      const time = timeOf(record);
      for (const found of calls.textsOf(record)) insert(file, time, found);
    },
    setTitle(file, title, before) {
      const docs = docsAt.all(file, NO_PLACE.line, NO_PLACE.offset);
      if (docs.length > 0 && title === before) return;
      remove(docs);
      insert(file, undefined, { kind: "title", text: title, place: NO_PLACE, part: 0 });
    },
    removeAt: (file, { offset, line }) => remove(docsAt.all(file, line, offset)),
    removeFrom: (file, line) => remove(docsFrom.all(file, line)),
    removeFile: (file) => remove(docsOf.all(file)),
  };
}

function timeOf(record: LogRecord): number | undefined {
  const time = record.kind === "broken" ? Number.NaN : Date.parse(record.timestamp ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** `id % KIND_STEP` is the kind of a text, so that SQL can filter by kind without reading the row. */
export const KINDS: readonly TextKind[] = [
  "prompt",
  "answer",
  "thinking",
  "command",
  "toolInput",
  "toolOutput",
  "title",
  "file",
  "context",
];
export const KIND_STEP = 16;

export function kindOf(docId: number): TextKind {
  return KINDS[docId % KIND_STEP] ?? "context";
}

const STEP_PAGES = 1000;

/**
 * Merges the segments that a long sync leaves in the full-text table, step by step. Otherwise later changes would do
 * parts of that work: merging adds 5 % to a build, and halves the time of an append.
 */
export async function mergeTexts(db: Database, signal?: AbortSignal): Promise<void> {
  const merge = db.prepare("INSERT INTO texts (texts, rank) VALUES ('merge', ?)");
  const total = db.prepare<{ changes: number }>("SELECT total_changes() AS changes");
  const changes = () => total.get()?.changes ?? 0;
  merge.run(-STEP_PAGES); // negative: starts a merge of all segments
  for (let isMore = true; isMore && !signal?.aborted; ) {
    await nextTurn();
    const before = changes();
    merge.run(STEP_PAGES);
    isMore = changes() - before >= 2; // the command itself counts as one
  }
}
