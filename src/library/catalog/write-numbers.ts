import type { Copyable } from "../../session/number-rows.js";
import type { Database } from "../../store/sqlite.js";
import type { FileNumbers, Keys } from "../entries/file-numbers.js";
import { createChangeCounter } from "./cached-answers.js";
import { CALLS, MESSAGES, type RowKind, readRows, TURNS } from "./number-kinds.js";

export interface NumberWriter {
  /** Replaces all numbers of a file. */
  write(file: number, numbers: FileNumbers): void;
  removeFile(file: number): void;
  titleOf(file: number): string | undefined;
}

const TABLES = ["numbers", "ledgers", "launches", "sessions", "agents", "changed"] as const;

export function createNumberWriter(db: Database): NumberWriter {
  const removals = TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE file = ?`));
  const hasNumbers = db.prepare("SELECT 1 FROM numbers WHERE file = ?");
  const selectTitle = db.prepare<{ title: string }>("SELECT title FROM sessions WHERE file = ?");
  const insertSession = db.prepare("INSERT INTO sessions VALUES (?,?,?,?,?,?,?,?,?)");
  const insertNumbers = db.prepare("INSERT INTO numbers VALUES (?,?,?,?)");
  const insertLedger = db.prepare("INSERT INTO ledgers VALUES (?,?,?,?,?,?)");
  const insertAgent = db.prepare("INSERT INTO agents VALUES (?,?,?,?)");
  const insertLaunch = db.prepare("INSERT INTO launches VALUES (?,?,?)");
  const insertChanged = db.prepare("INSERT OR IGNORE INTO changed VALUES (?,?,?)");
  const copies = createCopyWriter(db);
  const countChange = createChangeCounter(db);

  return {
    write(file, { session, agent, rows, keys, sums, first, last, launches, changedFiles }) {
      const known = hasNumbers.get(file) === undefined ? undefined : copies.keysOf(file);
      if (known) for (const removal of removals) removal.run(file);
      insertNumbers.run(file, rows.messages, rows.calls, rows.turns);
      insertLedger.run(file, first, last, sums.messages, sums.calls, sums.turns);
      for (const [agentId, line] of launches) insertLaunch.run(file, agentId, line);
      if (session) insertSession.run(file, ...session);
      for (const path of changedFiles) insertChanged.run(fileNameKey(path), path, file);
      if (agent) insertAgent.run(file, ...agent);
      copies.write(file, keys, known);
      countChange();
    },
    removeFile(file) {
      copies.removeFile(file);
      for (const removal of removals) removal.run(file);
      countChange();
    },
    titleOf: (file) => selectTitle.get(file)?.title,
  };
}

/** How a file is called in the table of changed files; of paths of any system. */
export function fileNameKey(path: string): string {
  return (/[^/\\]*$/.exec(path)?.[0] ?? "").toLowerCase();
}

const KINDS: readonly RowKind[] = [MESSAGES, CALLS, TURNS];

interface CopyWriter {
  /** The keys of what is stored of a file. */
  keysOf(file: number): ReadonlySet<number>;
  /** After the rows of a file were written; `known` are those that it had before. */
  write(file: number, keys: Keys, known: ReadonlySet<number> | undefined): void;
  removeFile(file: number): void;
}

/** Keeps in `copies` what occurs in several files: `keys` says which files have a key. */
function createCopyWriter(db: Database): CopyWriter {
  const insertKeys = db.prepare("INSERT OR IGNORE INTO keys SELECT value, ? FROM json_each(?)");
  const removeKeys = db.prepare("DELETE FROM keys WHERE key IN (SELECT value FROM json_each(?)) AND file = ?");
  const selectOthers = db.prepare<{ key: number; file: number }>(
    "SELECT k.key, k.file FROM json_each(?) own CROSS JOIN keys k ON k.key = own.value WHERE k.file <> ?",
  );
  const selectCopies = db.prepare<{ key: number }>("SELECT key FROM copies WHERE file = ?");
  const removeCopies = db.prepare("DELETE FROM copies WHERE file = ?");
  const insertCopy = db.prepare("INSERT OR REPLACE INTO copies VALUES (?,?,?,?)");

  function keysOf(file: number): Set<number> {
    return new Set(KINDS.flatMap((kind) => readRows(db, kind, file).map(({ key }) => key)));
  }

  function save(file: number, keys: Set<number>): void {
    for (const kind of KINDS) {
      const rows = new Map<number, Copyable>(); // of several with the same key the last one counts
      for (const row of readRows(db, kind, file)) if (keys.has(row.key)) rows.set(row.key, row);
      for (const [key, row] of rows) insertCopy.run(kind.column, key, file, kind.packRows([row]));
    }
  }

  return {
    keysOf,
    write(file, keys, known) {
      const all = [...keys.messages, ...keys.calls, ...keys.turns];
      const added = known ? all.filter((key) => !known.has(key)) : all;
      const gone = known ? [...known].filter(isNotIn(all)) : [];
      const copied = new Set(known ? selectCopies.all(file).map(({ key }) => key) : []);
      if (gone.length > 0) removeKeys.run(JSON.stringify(gone), file);
      if (copied.size > 0) removeCopies.run(file);
      if (added.length > 0) {
        insertKeys.run(file, JSON.stringify(added));
        const others = new Map<number, Set<number>>();
        for (const { key, file: other } of selectOthers.all(JSON.stringify(added), file)) {
          copied.add(key);
          others.set(other, (others.get(other) ?? new Set()).add(key));
        }
        for (const [other, shared] of others) save(other, shared);
      }
      if (copied.size > 0) save(file, copied);
    },
    removeFile(file) {
      removeKeys.run(JSON.stringify([...keysOf(file)]), file);
      removeCopies.run(file);
    },
  };
}

function isNotIn(keys: readonly number[]): (key: number) => boolean {
  const set = new Set(keys);
  return (key) => !set.has(key);
}
