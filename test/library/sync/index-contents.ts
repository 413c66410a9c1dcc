import { join } from "node:path";
import { onTestFinished } from "vitest";
import { listFromIndex } from "../../../src/library/catalog/list-catalog.js";
import { type Index, openIndex } from "../../../src/library/catalog/open-index.js";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import type { SearchAnswer, SearchHit } from "../../../src/library/search/search-hit.js";
import type { SearchRequest } from "../../../src/library/search/search-request.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

/** An index in a folder of its own that is closed when the test ends. */
export function openTestIndex(folder: string = temporaryFolder()): Index {
  const index = openIndex(folder);
  onTestFinished(() => index.close());
  return index;
}

/** All that an index tells of its files, in an order of its own, and without the numbers that it gives them. */
export function contentsOf({ db }: Index) {
  const rows = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value)))
      .sort();
  const ofFile = (table: string, columns: string) =>
    rows(`SELECT f.path, ${columns} FROM ${table} t JOIN files f ON f.id = t.file`);
  return {
    files: rows("SELECT path, owner, session_id, agent_id, size, mtime, is_counted, problem FROM files"),
    sessions: ofFile("sessions", "t.*, 0 AS file"),
    numbers: ofFile("numbers", "t.*, 0 AS file"),
    keys: ofFile("keys", "t.*, 0 AS file"),
    copies: rows(
      `SELECT f.path, t.*, 0 AS file FROM copies t JOIN files f ON f.id = t.file
       WHERE EXISTS (SELECT 1 FROM copies o WHERE o.kind = t.kind AND o.key = t.key AND o.file <> t.file)`,
    ),
    ledgers: ofFile("ledgers", "t.*, 0 AS file"),
    launches: ofFile("launches", "t.*, 0 AS file"),
    agents: ofFile("agents", "t.*, 0 AS file"),
    replaced: ofFile("replaced", "t.*, 0 AS file"),
    docs: rows(
      `SELECT f.path, d.*, 0 AS id, d.id % 16 AS kind
       FROM docs d JOIN ranges r ON d.id BETWEEN r.first AND r.last JOIN files f ON f.id = r.file`,
    ),
    strays: rows(
      `SELECT 'docs' FROM docs WHERE NOT EXISTS (SELECT 1 FROM ranges WHERE id BETWEEN first AND last)
       UNION ALL SELECT 'ranges' FROM ranges WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'titles' FROM titles WHERE rowid NOT IN (SELECT file FROM sessions)
       UNION ALL SELECT 'numbers' FROM numbers WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'snapshots' FROM snapshots WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'keys' FROM keys WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'copies' FROM copies WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'texts' FROM texts WHERE rowid NOT IN (SELECT id FROM docs)`,
    ),
  };
}

/** What an index of the same folder tells that was never anything else. */
export async function freshContents(root: string) {
  const index = openIndex(temporaryFolder());
  try {
    await syncIndex(index, [root], { texts: "all" });
    return contentsOf(index);
  } finally {
    index.close();
  }
}

/** All that a search finds with an index, or without one: sessions in their order, each with its hits. */
export async function answerOf(index: Index | undefined, root: string, request: SearchRequest): Promise<SearchAnswer> {
  return searchLibrary(index, [root], { ...request, filter: { limit: 1_000_000, ...request.filter } });
}

/** The hits with an index, by file and line. */
export async function hitsByIndex(index: Index, root: string, request: SearchRequest): Promise<SearchHit[]> {
  return inOrder((await answerOf(index, root, request)).hits);
}

export async function hitsByScan(root: string, request: SearchRequest): Promise<SearchHit[]> {
  return inOrder((await answerOf(undefined, root, request)).hits);
}

function inOrder(hits: readonly SearchHit[]): SearchHit[] {
  const key = ({ path, line, kind, toolUseId, snippet }: SearchHit) =>
    JSON.stringify([path, line, kind, toolUseId, snippet]);
  return hits.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

export function listed(index: Index, root: string) {
  return listFromIndex(index.db, [root]).sessions;
}

export function projectFolder(root: string, name = "-p0"): string {
  return join(root, "projects", name);
}
