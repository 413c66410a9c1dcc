import { UserError } from "../../errors.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { type Database, isBusy, isCorrupt, isSqliteError, openDatabase } from "../../store/sqlite.js";

/**
 * `spans` is outbox and ledger in one: a span that is known here, in whatever state, is never queued again, so nothing is
 * sent twice. Once it was accepted only its id stays.
 */
const STEPS: readonly string[] = [
  `CREATE TABLE spans (
     number INTEGER PRIMARY KEY, target TEXT NOT NULL, span_id TEXT NOT NULL, session TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'dead', 'dropped')),
     json TEXT, bytes INTEGER NOT NULL, batch INTEGER, reason TEXT, UNIQUE (target, span_id));
   CREATE INDEX waiting ON spans (target, state, batch, number) WHERE state IN ('queued', 'dead');
   CREATE TABLE targets (
     name TEXT PRIMARY KEY, failures INTEGER NOT NULL, next_at INTEGER NOT NULL,
     last_success INTEGER, last_failure INTEGER, last_reason TEXT) WITHOUT ROWID;
   CREATE TABLE sessions (
     path TEXT PRIMARY KEY, cursor TEXT NOT NULL, number INTEGER NOT NULL, ended_size INTEGER) WITHOUT ROWID;
   CREATE TABLE agents (
     path TEXT, agent_id TEXT, size INTEGER NOT NULL, parent_span_id TEXT, trace TEXT NOT NULL,
     PRIMARY KEY (path, agent_id)) WITHOUT ROWID`,
  // SQLite uses a partial index only where a query repeats its condition word by word: `IN ('queued', 'dead')` never was.
  "DROP INDEX waiting; CREATE INDEX queued ON spans (target, batch, number) WHERE state = 'queued'",
];

/** Runs `work` on the outbox; it is made where it is missing. */
export async function withOutboxDatabase<T>(dir: string, work: (database: Database) => Promise<T> | T): Promise<T> {
  const path = dataPaths(ensureDataDir(dir)).outbox;
  try {
    const database = openDatabase(path);
    try {
      database.exec("PRAGMA synchronous = FULL"); // what is reported as stored must survive a power failure
      migrate(database, path);
      return await work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw toUserError(error, path);
  }
}

function migrate(database: Database, path: string): void {
  if (versionOf(database) === STEPS.length) return;
  database.transaction(() => {
    const version = versionOf(database);
    if (version > STEPS.length) {
      throw new UserError("newer", `${path} was written by a newer turnlog`, "Update turnlog; nothing was changed.");
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${STEPS.length}`);
  });
}

function versionOf(database: Database): number {
  return database.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

function toUserError(error: unknown, path: string): unknown {
  const options = { cause: error };
  if (isCorrupt(error)) {
    const hint = "It records what was sent: restore it from a backup. Without it, turns may be sent twice.";
    return new UserError("unreadable", `${path} is damaged`, hint, options);
  }
  if (isBusy(error)) return new UserError("busy", `${path} is in use by another process`, "Try again.", options);
  if (!isSqliteError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError("unreadable", `cannot use ${path} (${reason})`, "Nothing was sent.", options);
}
