import { setImmediate as nextTurn } from "node:timers/promises";
import type { TextKind } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import { foldText, IDENTIFIER_BREAK, identifierParts } from "./tokenize.js";

/** A text as the index holds it. */
export interface Doc {
  readonly kind: TextKind;
  readonly line: number;
  readonly offset: number;
  readonly length: number; // of the record, in bytes
  readonly part: number;
  readonly tool: string | undefined;
  readonly time: number | undefined; // ms since the epoch
  readonly isError: boolean;
  readonly words: string; // see `indexedWords`
}

export interface DocWriter {
  /** Appends the texts of a file. */
  add(file: number, docs: readonly Doc[]): void;
  setTitle(file: number, title: string, before: string | undefined): void;
  /** Removes the texts of the records at these offsets. */
  removeAt(file: number, offsets: ReadonlySet<number>): void;
  removeFile(file: number): void;
}

/** The words of a text, then the parts of its identifiers, in the form that SQLite's tokenizer splits as `tokenize` does. */
export function indexedWords(text: string): string {
  const parts = identifierParts(text);
  return parts === "" ? foldText(text) : foldText(`${text} ${IDENTIFIER_BREAK} ${parts}`);
}

export function createDocWriter(db: Database): DocWriter {
  const add = createAdder(db);
  const deleteText = db.prepare("DELETE FROM texts WHERE rowid = ?");
  const deleteDoc = db.prepare("DELETE FROM docs WHERE id = ?");
  const docsOf = db.prepare<{ id: number; offset: number }>(
    "SELECT d.id, d.offset FROM ranges r CROSS JOIN docs d ON d.id BETWEEN r.first AND r.last WHERE r.file = ?",
  );
  const deleteRanges = db.prepare("DELETE FROM ranges WHERE file = ?");
  const insertTitle = db.prepare("INSERT INTO titles (rowid, text) VALUES (?,?)");
  const deleteTitle = db.prepare("DELETE FROM titles WHERE rowid = ?");

  function remove(ids: Iterable<number>): void {
    for (const id of ids) {
      deleteText.run(id);
      deleteDoc.run(id);
    }
  }

  return {
    add,
    setTitle(file, title, before) {
      if (title === before) return;
      if (before !== undefined) deleteTitle.run(file);
      insertTitle.run(file, indexedWords(title));
    },
    removeAt(file, offsets) {
      remove(docsOf.all(file).flatMap(({ id, offset }) => (offsets.has(offset) ? [id] : [])));
    },
    removeFile(file) {
      remove(docsOf.all(file).map(({ id }) => id));
      deleteRanges.run(file);
      deleteTitle.run(file);
    },
  };
}

/** Texts that are added one after the other to the same file are one range. */
function createAdder(db: Database): DocWriter["add"] {
  const insertDoc = db.prepare(
    "INSERT INTO docs (id, line, offset, length, part, tool, time, is_error) VALUES (?,?,?,?,?,?,?,?)",
  );
  const insertText = db.prepare("INSERT INTO texts (rowid, text) VALUES (?,?)");
  const lastRange = db.prepare<{ first: number; last: number; file: number }>(
    "SELECT first, last, file FROM ranges ORDER BY first DESC LIMIT 1",
  );
  const insertRange = db.prepare("INSERT INTO ranges (first, last, file) VALUES (?,?,?)");
  const extendRange = db.prepare("UPDATE ranges SET last = ? WHERE first = ?");
  const maxId = db.prepare<{ id: number | null }>("SELECT max(id) AS id FROM docs");
  return (file, docs) => {
    if (docs.length === 0) return;
    const before = lastRange.get();
    let sequence = Math.floor(Math.max(before?.last ?? 0, maxId.get()?.id ?? 0) / KIND_STEP) + 1;
    const first = sequence * KIND_STEP;
    for (const { kind, line, offset, length, part, tool, time, isError, words } of docs) {
      const id = sequence * KIND_STEP + KINDS.indexOf(kind);
      sequence += 1;
      insertDoc.run(id, line, offset, length, part, tool, time, isError);
      insertText.run(id, words);
    }
    const last = sequence * KIND_STEP - 1;
    if (before?.file === file) extendRange.run(last, before.first);
    else insertRange.run(first, last, file);
  };
}

/** `id % KIND_STEP` is the kind of a text, so that a search knows it without reading the row. */
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
