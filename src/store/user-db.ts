import { existsSync } from "node:fs";
import { UserError } from "../errors.js";
import { dataPaths, ensureDataDir } from "./data-dir.js";
import { type Database, isBusy, isCorrupt, isSqliteError, openDatabase } from "./sqlite.js";

/** What the user added to a session. */
export interface SessionMarks {
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly note: string | null;
}

export const NO_MARKS: SessionMarks = { title: null, tags: [], favourite: false, note: null };

/** All marks by session id. Also reads databases of newer versions, as far as this version knows them. */
export function readMarks(dir: string): ReadonlyMap<string, SessionMarks> {
  const path = dataPaths(dir).user;
  if (!existsSync(path)) return new Map();
  return withDatabase(path, { readonly: true }, (database) => {
    const tags = tagsBySession(database);
    const rows = versionOf(database) === 0 ? [] : database.prepare<MarksRow>(`${SELECT} ORDER BY session`).all();
    return new Map(rows.map((row) => [row.session, toMarks(row, tags.get(row.session) ?? [])]));
  });
}

/** Reads, changes and writes the marks of a session in one transaction. */
export function changeMarks(dir: string, session: string, change: (marks: SessionMarks) => SessionMarks): SessionMarks {
  const path = dataPaths(ensureDataDir(dir)).user;
  return withDatabase(path, { readonly: false }, (database) => {
    database.exec("PRAGMA synchronous = FULL"); // user data cannot be rebuilt
    migrate(database, path);
    return database.transaction(() => {
      const row = database.prepare<MarksRow>(`${SELECT} WHERE session = ?`).get(session);
      const marks = change(row ? toMarks(row, tagsBySession(database).get(session) ?? []) : NO_MARKS);
      write(database, session, marks);
      return marks;
    });
  });
}

/** A session that turnlog created from another one. */
export interface LineageEntry {
  readonly session: string;
  readonly source: string;
  readonly command: string;
  readonly at: string; // ISO 8601
  readonly path: string; // where it was written
}

export function recordLineage(dir: string, { session, source, command, at, path: written }: LineageEntry): void {
  const path = dataPaths(ensureDataDir(dir)).user;
  withDatabase(path, { readonly: false }, (database) => {
    database.exec("PRAGMA synchronous = FULL");
    migrate(database, path);
    const insert = "INSERT OR REPLACE INTO lineage (session, source, command, at, path) VALUES (?, ?, ?, ?, ?)";
    database.prepare(insert).run(session, source, command, at, written);
  });
}

/** By time. */
export function readLineage(dir: string): readonly LineageEntry[] {
  const path = dataPaths(dir).user;
  if (!existsSync(path)) return [];
  return withDatabase(path, { readonly: true }, (database) => {
    if (versionOf(database) < LINEAGE_SINCE) return [];
    const select = "SELECT session, source, command, at, path FROM lineage ORDER BY at, session";
    return database.prepare<LineageEntry>(select).all();
  });
}

interface MarksRow {
  readonly session: string;
  readonly title: string | null;
  readonly favourite: number;
  readonly note: string | null;
}

const SELECT = "SELECT session, title, favourite, note FROM marks";

/** One migration per version. Released migrations never change. */
const STEPS: readonly string[] = [
  `CREATE TABLE marks (session TEXT PRIMARY KEY, title TEXT, favourite INTEGER NOT NULL, note TEXT) WITHOUT ROWID;
   CREATE TABLE tags (session TEXT, tag TEXT, PRIMARY KEY (session, tag)) WITHOUT ROWID`,
  `CREATE TABLE lineage (session TEXT PRIMARY KEY, source TEXT NOT NULL, command TEXT NOT NULL, at TEXT NOT NULL,
     path TEXT NOT NULL) WITHOUT ROWID`,
];
const LINEAGE_SINCE = 2;

function migrate(database: Database, path: string): void {
  if (versionOf(database) === STEPS.length) return;
  database.transaction(() => {
    const version = versionOf(database);
    if (version > STEPS.length) {
      const hint = "Update turnlog to change it. Nothing was changed.";
      throw new UserError("unreadable", `${path} was written by a newer turnlog`, hint);
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${STEPS.length}`);
  });
}

function versionOf(database: Database): number {
  return database.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

function tagsBySession(database: Database): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  if (versionOf(database) === 0) return tags;
  const rows = database.prepare<{ session: string; tag: string }>(
    "SELECT session, tag FROM tags ORDER BY session, tag",
  );
  for (const { session, tag } of rows.all()) {
    const own = tags.get(session);
    if (own) own.push(tag);
    else tags.set(session, [tag]);
  }
  return tags;
}

function toMarks({ title, favourite, note }: MarksRow, tags: readonly string[]): SessionMarks {
  return { title, tags, favourite: favourite !== 0, note };
}

function write(database: Database, session: string, { title, tags, favourite, note }: SessionMarks): void {
  database.prepare("DELETE FROM marks WHERE session = ?").run(session);
  database.prepare("DELETE FROM tags WHERE session = ?").run(session);
  if (title === null && note === null && !favourite && tags.length === 0) return;
  const insert = "INSERT INTO marks (session, title, favourite, note) VALUES (?, ?, ?, ?)";
  database.prepare(insert).run(session, title, favourite, note);
  for (const tag of tags) database.prepare("INSERT INTO tags (session, tag) VALUES (?, ?)").run(session, tag);
}

function withDatabase<T>(path: string, options: { readonly: boolean }, work: (database: Database) => T): T {
  try {
    const database = openDatabase(path, options);
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw toUserError(error, path);
  }
}

function toUserError(error: unknown, path: string): unknown {
  const options = { cause: error };
  if (isCorrupt(error)) {
    const hint = `It contains your titles, tags and notes: replace it with a backup, or move it away. Nothing was changed.`;
    return new UserError("unreadable", `${path} is damaged`, hint, options);
  }
  if (isBusy(error)) {
    return new UserError("busy", `${path} is in use by another process`, "Nothing was changed. Try again.", options);
  }
  if (!isSqliteError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError("unreadable", `cannot use ${path} (${reason})`, "Nothing was changed.", options);
}
