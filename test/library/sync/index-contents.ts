import { join } from "node:path";
import { onTestFinished } from "vitest";
import { listFromIndex } from "../../../src/library/catalog/list-catalog.js";
import { type Index, openIndex } from "../../../src/library/catalog/open-index.js";
import { searchIndexed } from "../../../src/library/search/run-search.js";
import { searchByScan } from "../../../src/library/search/scan-search.js";
import type { SearchHit } from "../../../src/library/search/search-hit.js";
import { createMatcher, type SearchRequest } from "../../../src/library/search/search-request.js";
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
    messages: ofFile("messages", "t.*, 0 AS file"),
    calls: ofFile("calls", "t.*, 0 AS file"),
    turns: ofFile("turns", "t.*, 0 AS file"),
    ledgers: ofFile("ledgers", "t.*, 0 AS file"),
    launches: ofFile("launches", "t.*, 0 AS file"),
    agents: ofFile("agents", "t.*, 0 AS file"),
    docs: ofFile("docs", "t.*, 0 AS file, 0 AS id, t.id % 16 AS kind"),
    strays: rows(
      `SELECT 'docs' FROM docs WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'messages' FROM messages WHERE file NOT IN (SELECT id FROM files)
       UNION ALL SELECT 'texts' FROM texts WHERE rowid NOT IN (SELECT id FROM docs)`,
    ),
  };
}

/** What an index of the same folder tells that was never anything else. */
export async function freshContents(root: string) {
  const index = openIndex(temporaryFolder());
  try {
    await syncIndex(index, [root]);
    return contentsOf(index);
  } finally {
    index.close();
  }
}

const ALL = { limit: 1_000_000 };

export function hitsByIndex(index: Index, root: string, request: SearchRequest): SearchHit[] {
  const all = { ...request, filter: { ...ALL, ...request.filter } };
  return inOrder(searchIndexed(index, [root], all, [], { includeCopies: true })?.hits ?? hitsByScan(root, all));
}

export function hitsByScan(root: string, request: SearchRequest): SearchHit[] {
  return inOrder([...searchByScan([root], request, createMatcher(request), [])]);
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
