import { dirname } from "node:path";
import { UserError } from "../../errors.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { copyReadable, type ReadableTable } from "../../store/copy-readable.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { DamagedDatabase, type OwnDatabase, useOwnLonger } from "../../store/own-database.js";
import { DamagedContents, type Database, isBusy, isSqliteError, openDatabase } from "../../store/sqlite.js";
import { removeTemporary } from "../../store/temporary.js";

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
  /*
   * `target` is a ledger: what one account at one address has got. Until now it was the name of a target, and stays it for what
   * was sent then: the target that has the name now takes the ledger over. What was refused for its key waits again.
   */
  `CREATE TABLE ledgers (
     identity TEXT PRIMARY KEY, ledger TEXT NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL,
     earlier TEXT, opened_at INTEGER NOT NULL) WITHOUT ROWID;
   INSERT INTO ledgers SELECT 'name ' || target, target, target, '', NULL, 0 FROM spans GROUP BY target;
   ALTER TABLE targets ADD COLUMN paused_with TEXT;
   ALTER TABLE spans ADD COLUMN signal TEXT NOT NULL DEFAULT 'traces';
   UPDATE spans SET state = 'queued', reason = NULL
     WHERE state = 'dead' AND batch IS NULL AND (reason LIKE 'HTTP 401%' OR reason LIKE 'HTTP 403%');
   CREATE TABLE events (file TEXT PRIMARY KEY, tries INTEGER NOT NULL) WITHOUT ROWID`,
  // Spans and metrics are queues of their own.
  "DROP INDEX queued; CREATE INDEX queued ON spans (target, signal, batch, number) WHERE state = 'queued'",
];

/** A version beyond this was never released: it is a damaged one. */
const MAX_VERSION = 1000;

/** What was sent and what waits. Of a damaged one all that can be read is kept; other turns may be sent twice. */
export function outboxDatabase(dir: string): OwnDatabase {
  return { path: dataPaths(dir).outbox, keptAside: 2, check, checkContents, fill };
}

function check(database: Database): void {
  const version = versionOf(database);
  if (version <= 0 || version > MAX_VERSION) throw new DamagedContents("it has no known version");
  const names = TABLES.map(({ name }) => `'${name}'`).join(", ");
  const select = `SELECT count(*) AS found FROM sqlite_schema WHERE name IN (${names})`;
  const found = database.prepare<{ found: number }>(select).get()?.found ?? 0;
  if (found < (version < 3 ? TABLES.length - 1 : TABLES.length))
    throw new DamagedContents("it has not the tables of an outbox");
}

function checkContents(database: Database): void {
  const tables = versionOf(database) < 3 ? TABLES.filter(({ name }) => name !== "ledgers") : TABLES;
  for (const { name, key, isWhole } of tables) {
    for (const row of database.prepare(`SELECT * FROM ${name} ORDER BY ${key.join(", ")}`).iterate()) {
      if (!isWhole(row)) throw new DamagedContents(`an entry of ${name} is not as it was written`);
    }
  }
}

function fill(draft: string, copyDamaged?: () => string | undefined): string | undefined {
  const database = openDatabase(draft, { journal: "delete" });
  try {
    migrate(database, draft);
    const damaged = copyDamaged?.();
    if (damaged === undefined) return copyDamaged && `nothing in it could be read${MAY_REPEAT}`;
    const rows = database.transaction(() => copyReadable(damaged, database, TABLES));
    removeTemporary(dirname(damaged));
    return `${rows} of its entries could be read${MAY_REPEAT}`;
  } finally {
    database.close();
  }
}

const MAY_REPEAT = "; turns that it does not know any more may be sent twice";

const isText = (value: unknown) => typeof value === "string" && !value.includes("\uFFFD");
const isJson = (value: unknown) => typeof value === "string" && isObject(tryParseJson(value));

const MAX_TIME = 8.64e15;

/** In ms since the epoch, as far as dates go. */
export function isTimeOrNull(value: unknown): boolean {
  return value === null || (typeof value === "number" && Math.abs(value) <= MAX_TIME);
}

const TABLES: readonly ReadableTable[] = [
  {
    name: "spans",
    key: ["number"],
    isWhole: ({ number, target, span_id, session, state, json }) =>
      typeof number === "number" &&
      [target, span_id, session].every(isText) &&
      (state === "queued" || state === "dead" ? isJson(json) : true),
  },
  {
    name: "targets",
    key: ["name"],
    isWhole: ({ name, failures, next_at, last_success, last_failure }) =>
      isText(name) && typeof failures === "number" && [next_at, last_success, last_failure].every(isTimeOrNull),
  },
  {
    name: "ledgers",
    key: ["identity"],
    isWhole: ({ identity, ledger, name, url }) => [identity, ledger, name, url].every(isText),
  },
  { name: "sessions", key: ["path"], isWhole: ({ path, cursor }) => isText(path) && isJson(cursor) },
  { name: "agents", key: ["path", "agent_id"], isWhole: ({ path, trace }) => isText(path) && isJson(trace) },
];

/** Runs `work` on the outbox; it is made where it is missing, and mended where it is damaged. */
export async function withOutboxDatabase<T>(dir: string, work: (database: Database) => Promise<T> | T): Promise<T> {
  const own = outboxDatabase(ensureDataDir(dir));
  try {
    return await useOwnLonger(own, (database) => {
      database.exec("PRAGMA synchronous = FULL"); // what is reported as stored must survive a power failure
      migrate(database, own.path);
      return work(database);
    });
  } catch (error) {
    throw toUserError(error, own.path);
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
  if (isBusy(error)) return new UserError("busy", `${path} is in use by another process`, "Try again.", options);
  if (error instanceof DamagedDatabase)
    return new UserError(
      "unreadable",
      `${path} is damaged (${error.message})`,
      "`turnlog doctor` shows more.",
      options,
    );
  if (!isSqliteError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError("unreadable", `cannot use ${path} (${reason})`, "Nothing was sent.", options);
}
