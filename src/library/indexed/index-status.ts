import { statSync } from "node:fs";
import type { FileProblem } from "../../format/folder-listing.js";
import type { Index } from "./open-index.js";

/** What the index holds, and what it could not read. */
export interface IndexStatus {
  readonly path: string;
  readonly engine: string;
  readonly sizeBytes: number;
  readonly sessions: number;
  readonly subagents: number;
  readonly texts: number;
  readonly sourceBytes: number;
  readonly problems: readonly FileProblem[];
}

export function indexStatus({ db, path }: Index): IndexStatus {
  const count = (sql: string) => db.prepare<{ n: number | null }>(sql).get()?.n ?? 0;
  return {
    path,
    engine: db.engine,
    sizeBytes: ["", "-wal"].reduce((sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0), 0),
    sessions: count("SELECT count(*) AS n FROM sessions"),
    subagents: count("SELECT count(*) AS n FROM files WHERE owner IS NOT NULL"),
    texts: count("SELECT count(*) AS n FROM docs"),
    sourceBytes: count("SELECT sum(size) AS n FROM files"),
    problems: db
      .prepare<FileProblem>(
        `SELECT path, coalesce(problem, 'broken lines: ' || broken_lines) AS reason FROM files
         WHERE problem IS NOT NULL OR broken_lines > 0 ORDER BY path`,
      )
      .all(),
  };
}
