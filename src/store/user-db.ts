import { existsSync } from "node:fs";
import { UserError } from "../errors.js";
import { dataPaths, ensureDataDir } from "./data-dir.js";
import { DamagedDatabase, useOwn } from "./own-database.js";
import { type Database, isBusy, isSqliteError } from "./sqlite.js";
import { backUp, listBackups, userDatabase } from "./user-backup.js";
import {
  type LineageEntry,
  type MarksRow,
  migrate,
  readLineageRows,
  readMarkRows,
  type TagRow,
  writeDigests,
} from "./user-schema.js";

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
  if (!hasUserData(dir)) return new Map();
  return withDatabase(dir, { readonly: true }, (database) => {
    const { marks, tags } = readMarkRows(database);
    const tagsOf = tagsBySession(tags);
    return new Map(marks.map((row) => [row.session, toMarks(row, tagsOf.get(row.session) ?? [])]));
  });
}

/** Reads, changes and writes the marks of a session in one transaction. */
export function changeMarks(dir: string, session: string, change: (marks: SessionMarks) => SessionMarks): SessionMarks {
  return withChanges(dir, (database) => {
    const { marks, tags } = readMarkRows(database);
    const row = marks.find((row) => row.session === session);
    const changed = change(row ? toMarks(row, tagsBySession(tags).get(session) ?? []) : NO_MARKS);
    write(database, session, changed);
    return changed;
  });
}

export function recordLineage(dir: string, { session, source, command, at, path }: LineageEntry): void {
  withChanges(dir, (database) => {
    readLineageRows(database);
    const insert = "INSERT OR REPLACE INTO lineage (session, source, command, at, path) VALUES (?, ?, ?, ?, ?)";
    database.prepare(insert).run(session, source, command, at, path);
  });
}

/** By time. */
export function readLineage(dir: string): readonly LineageEntry[] {
  return hasUserData(dir) ? withDatabase(dir, { readonly: true }, readLineageRows) : [];
}

function hasUserData(dir: string): boolean {
  return existsSync(dataPaths(dir).user) || listBackups(dir).length > 0;
}

/** In one transaction, and with a copy of the result. */
function withChanges<T>(dir: string, change: (database: Database) => T): T {
  return withDatabase(ensureDataDir(dir), { readonly: false }, (database) => {
    database.exec("PRAGMA synchronous = FULL"); // user data cannot be rebuilt
    migrate(database, dataPaths(dir).user);
    const result = database.transaction(() => {
      const changed = change(database);
      writeDigests(database);
      return changed;
    });
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // what is only in the log is lost with the log
    backUp(database, dir);
    return result;
  });
}

function tagsBySession(rows: readonly TagRow[]): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const { session, tag } of rows) {
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

function withDatabase<T>(dir: string, options: { readonly: boolean }, work: (database: Database) => T): T {
  const own = { ...userDatabase(dir), options };
  try {
    return useOwn(own, work);
  } catch (error) {
    throw toUserError(error, own.path);
  }
}

function toUserError(error: unknown, path: string): unknown {
  const options = { cause: error };
  if (isBusy(error)) {
    return new UserError("busy", `${path} is in use by another process`, "Nothing was changed. Try again.", options);
  }
  if (error instanceof DamagedDatabase) {
    return new UserError(
      "unreadable",
      `${path} is damaged (${error.message})`,
      "`turnlog doctor` shows more.",
      options,
    );
  }
  if (!isSqliteError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError("unreadable", `cannot use ${path} (${reason})`, "Nothing was changed.", options);
}
