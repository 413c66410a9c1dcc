import { hash } from "node:crypto";
import { UserError } from "../errors.js";
import { DamagedContents, type Database } from "./sqlite.js";

/** One migration per version. Released migrations never change. */
const STEPS: readonly string[] = [
  `CREATE TABLE marks (session TEXT PRIMARY KEY, title TEXT, favourite INTEGER NOT NULL, note TEXT) WITHOUT ROWID;
   CREATE TABLE tags (session TEXT, tag TEXT, PRIMARY KEY (session, tag)) WITHOUT ROWID`,
  `CREATE TABLE lineage (session TEXT PRIMARY KEY, source TEXT NOT NULL, command TEXT NOT NULL, at TEXT NOT NULL,
     path TEXT NOT NULL) WITHOUT ROWID`,
  // SQLite has no checksums, and what users wrote cannot be made again.
  "CREATE TABLE digests (name TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID",
];

const LINEAGE_SINCE = 2;
const DIGESTS_SINCE = 3;
/** A version beyond this was never released: it is a damaged one. */
const MAX_VERSION = 1000;

export interface MarksRow {
  readonly session: string;
  readonly title: string | null;
  readonly favourite: number;
  readonly note: string | null;
}

export interface TagRow {
  readonly session: string;
  readonly tag: string;
}

/** A session that turnlog created from another one. */
export interface LineageEntry {
  readonly session: string;
  readonly source: string;
  readonly command: string;
  readonly at: string; // ISO 8601
  readonly path: string; // where it was written
}

/** Throws where it is no such database. */
export function checkTables(database: Database): void {
  const version = versionOf(database);
  if (version <= 0 || version > MAX_VERSION) throw new DamagedContents("it has no known version");
  const names = new Set(
    database
      .prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  );
  const missing = ["marks", "tags", ...(version >= LINEAGE_SINCE ? ["lineage"] : [])].find((name) => !names.has(name));
  if (missing !== undefined) throw new DamagedContents(`it has no table ${missing}`);
}

/** Makes the tables of a new database, or adds what an older version lacks. */
export function migrate(database: Database, path: string): void {
  if (versionOf(database) === STEPS.length) return;
  database.transaction(() => {
    const version = versionOf(database);
    if (version > STEPS.length) {
      const hint = "Update turnlog to change it. Nothing was changed.";
      throw new UserError("newer", `${path} was written by a newer turnlog`, hint);
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${STEPS.length}`);
    writeDigests(database);
  });
}

function versionOf(database: Database): number {
  return database.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

export interface MarkRows {
  readonly marks: readonly MarksRow[];
  readonly tags: readonly TagRow[];
}

/** All marks and tags; throws where they are not as they were written. */
export function readMarkRows(database: Database): MarkRows {
  const rows = selectMarks(database);
  compareDigest(database, "marks", rows);
  return rows;
}

/** By time. The same. */
export function readLineageRows(database: Database): readonly LineageEntry[] {
  if (versionOf(database) < LINEAGE_SINCE) return [];
  const rows = selectLineage(database);
  compareDigest(database, "lineage", rows);
  return rows;
}

/** Within the transaction that changed something. */
export function writeDigests(database: Database): void {
  const write = database.prepare("INSERT OR REPLACE INTO digests VALUES (?, ?)");
  write.run("marks", digestOf(selectMarks(database)));
  write.run("lineage", digestOf(selectLineage(database)));
}

function selectMarks(database: Database): MarkRows {
  const marks = database.prepare<MarksRow>("SELECT session, title, favourite, note FROM marks ORDER BY session").all();
  const tags = database.prepare<TagRow>("SELECT session, tag FROM tags ORDER BY session, tag").all();
  return { marks, tags };
}

function selectLineage(database: Database): readonly LineageEntry[] {
  const select = "SELECT session, source, command, at, path FROM lineage ORDER BY at, session";
  return database.prepare<LineageEntry>(select).all();
}

/** An older version has no digests, and a newer one may mean something else by them. */
function compareDigest(database: Database, name: string, rows: unknown): void {
  if (versionOf(database) !== DIGESTS_SINCE) return;
  const known = database.prepare<{ digest: string }>("SELECT digest FROM digests WHERE name = ?").get(name)?.digest;
  if (known !== digestOf(rows)) throw new DamagedContents(`its ${name} are not as they were written`);
}

function digestOf(rows: unknown): string {
  return hash(
    "sha256",
    JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
  );
}
