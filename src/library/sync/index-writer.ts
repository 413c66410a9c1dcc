import type { Cursor } from "../../format/identity/follow-file.js";
import type { Database } from "../../store/sqlite.js";
import { createChangeCounter } from "../catalog/cached-answers.js";
import { createNumberWriter, type NumberWriter } from "../catalog/write-numbers.js";
import type { FileOwner, LibraryFile } from "../sources/walk-library.js";
import { createDocWriter, type DocWriter } from "../text-index/write-docs.js";

/** Every write to the index goes through this. */
export interface IndexWriter {
  readonly docs: DocWriter;
  readonly numbers: NumberWriter;
  addFile(file: LibraryFile, owner: FileOwner): void;
  moveFile(id: number, file: LibraryFile, owner: FileOwner): void;
  /** A session was moved into the archive, or restored from it. */
  setArchive(file: LibraryFile): void;
  /** How far the catalog has read a file: all its numbers are written. */
  saveCursor(id: number, file: LibraryFile, cursor: Cursor, brokenLines: number): void;
  /** How far the texts of a file are indexed. */
  saveTextPlace(id: number, place: Pick<Cursor, "offset" | "line">): void;
  /** The file was touched or copied: another state, the same content. */
  saveState(id: number, file: LibraryFile): void;
  /** Undefined removes it. */
  saveSnapshot(id: number, snapshot: Uint8Array | undefined): void;
  saveProblem(id: number, file: LibraryFile, problem: string): void;
  snapshotOf(id: number): Uint8Array | undefined;
  /** Removes what was read from a file: it will be read again from its start. */
  forgetContent(id: number): void;
  /** Records of a file that later ones replace, by offset; their texts are not found any more. */
  saveReplaced(id: number, offsets: readonly number[]): void;
  removeFile(id: number): void;
}

/** That of an open index: its statements are prepared once. */
export function indexWriterOf(db: Database): IndexWriter {
  const known = writers.get(db) ?? createIndexWriter(db);
  writers.set(db, known);
  return known;
}

const writers = new WeakMap<Database, IndexWriter>();

function createIndexWriter(db: Database): IndexWriter {
  const docs = createDocWriter(db);
  const numbers = createNumberWriter(db);
  const countChange = createChangeCounter(db);
  const insert = db.prepare(
    "INSERT INTO files (path, owner, session_id, agent_id, size, mtime, ctime, inode, archive, title_state) VALUES (?,?,?,?,?,?,?,?,?,?)",
  );
  const move = db.prepare("UPDATE files SET path = ?, owner = ?, session_id = ?, agent_id = ? WHERE id = ?");
  const setArchive = db.prepare("UPDATE files SET archive = ? WHERE path = ?");
  const setCursor = db.prepare(
    `UPDATE files SET cursor = ?, read_offset = ?, broken_lines = ?, size = ?, mtime = ?, ctime = ?, inode = ?, title_state = ?,
     is_counted = 1, is_kept = 0, problem = NULL WHERE id = ?`,
  );
  const saveState = createStateWriter(db);
  const snapshots = createSnapshotWriter(db);
  const setProblem = db.prepare("UPDATE files SET problem = ? WHERE id = ?");
  const clearCursor = db.prepare(
    "UPDATE files SET cursor = NULL, is_counted = 0, read_offset = 0, text_offset = 0, text_line = 1 WHERE id = ?",
  );
  const clearReplaced = db.prepare("DELETE FROM replaced WHERE file = ?");
  const remove = db.prepare("DELETE FROM files WHERE id = ?");

  function forgetContent(id: number): void {
    docs.removeFile(id);
    numbers.removeFile(id);
    clearReplaced.run(id);
    snapshots.saveSnapshot(id, undefined);
    clearCursor.run(id);
  }

  return {
    docs,
    numbers,
    addFile({ path, agent, size, mtimeMs, ctimeMs, inode, archive, titleState }, owner) {
      const state = [size, mtimeMs, ctimeMs, inode];
      insert.run(path, owner.path, owner.sessionId, agent?.agentId, ...state, archive, titleState);
    },
    moveFile(id, { path, agent }, owner) {
      move.run(path, owner.path, owner.sessionId, agent?.agentId, id);
      countChange();
    },
    setArchive: ({ path, archive }) => void setArchive.run(archive, path),
    saveCursor(id, { size, mtimeMs, ctimeMs, inode, titleState }, cursor, brokenLines) {
      const state = [size, mtimeMs, ctimeMs, inode, titleState];
      setCursor.run(JSON.stringify(cursor), cursor.offset, brokenLines, ...state, id);
    },
    ...createTextWriter(db, docs),
    saveState,
    ...snapshots,
    saveProblem(id, file, problem) {
      saveState(id, file);
      setProblem.run(problem, id);
    },
    forgetContent,
    removeFile(id) {
      forgetContent(id);
      remove.run(id);
    },
  };
}

function createStateWriter(db: Database): IndexWriter["saveState"] {
  const setState = db.prepare(
    "UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, title_state = ? WHERE id = ?",
  );
  return (id, { size, mtimeMs, ctimeMs, inode, titleState }) =>
    void setState.run(size, mtimeMs, ctimeMs, inode, titleState, id);
}

function createTextWriter(db: Database, docs: DocWriter): Pick<IndexWriter, "saveTextPlace" | "saveReplaced"> {
  const setTextPlace = db.prepare("UPDATE files SET text_offset = ?, text_line = ? WHERE id = ?");
  const insertReplaced = db.prepare("INSERT OR IGNORE INTO replaced VALUES (?, ?)");
  return {
    saveTextPlace: (id, { offset, line }) => void setTextPlace.run(offset, line, id),
    saveReplaced(id, offsets) {
      for (const offset of offsets) insertReplaced.run(id, offset);
      if (offsets.length > 0) docs.removeAt(id, new Set(offsets));
    },
  };
}

function createSnapshotWriter(db: Database): Pick<IndexWriter, "saveSnapshot" | "snapshotOf"> {
  const setSnapshot = db.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?)");
  const remove = db.prepare("DELETE FROM snapshots WHERE file = ?");
  const getSnapshot = db.prepare<{ snapshot: Uint8Array }>("SELECT snapshot FROM snapshots WHERE file = ?");
  return {
    saveSnapshot: (id, snapshot) => void (snapshot ? setSnapshot.run(id, snapshot) : remove.run(id)),
    snapshotOf: (id) => getSnapshot.get(id)?.snapshot,
  };
}
