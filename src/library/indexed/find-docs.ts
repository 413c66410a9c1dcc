import type { TextKind } from "../../session/search-texts.js";
import type { Database, SqlInput } from "../../store/sqlite.js";
import { narrowLiteral } from "../literal-narrowing.js";
import { toExcludedExpression, toMatchExpression } from "../match-expression.js";
import type { Query } from "../parse-query.js";
import { KIND_STEP, KINDS } from "./write-docs.js";

/** A text that matches, and where it lies. */
export interface DocRow {
  readonly id: number;
  readonly file: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
  readonly tool: string | null;
  readonly time: number | null;
  /** How well it matches; lower is better, as SQLite has it. */
  readonly score: number;
}

/** What a text must be besides matching. */
export interface DocFilter {
  readonly kinds: readonly TextKind[];
  /** Undefined: all. */
  readonly files?: readonly number[];
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly errors?: boolean;
}

/** Words found as parts of identifiers count less. */
const PARTS_WEIGHT = 0.5;

/** The newest texts that match a query, at most so many. */
export function findDocs(db: Database, query: Query, filter: DocFilter, limit: number): DocRow[] {
  const match = toMatchExpression(query);
  if (match !== undefined) return selectMatching(db, match, filter, limit);
  const excluded = toExcludedExpression(query);
  return selectAll(db, excluded, filter, limit);
}

/** The texts in which a literal may stand; undefined when the index cannot tell. */
export function findLiteralCandidates(db: Database, literal: string, filter: DocFilter): DocRow[] | undefined {
  const match = narrowLiteral(literal);
  return match === undefined ? undefined : selectMatching(db, match, filter, Number.MAX_SAFE_INTEGER);
}

const DOC_COLUMNS = "d.id, d.file, d.line, d.offset, d.length, d.part, d.tool, d.time";

function selectMatching(db: Database, match: string, filter: DocFilter, limit: number): DocRow[] {
  const { sql, params } = conditions(filter, "texts.rowid");
  return db
    .prepare<DocRow>(
      `SELECT ${DOC_COLUMNS}, bm25(texts, 1.0, ${PARTS_WEIGHT}) AS score
       FROM texts CROSS JOIN docs d ON d.id = texts.rowid
       WHERE texts MATCH ?${sql} ORDER BY texts.rowid DESC LIMIT ?`,
    )
    .all(match, ...params, limit);
}

function selectAll(db: Database, excluded: string | undefined, filter: DocFilter, limit: number): DocRow[] {
  const { sql, params } = conditions(filter, "d.id");
  const without = excluded === undefined ? "" : " AND d.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)";
  return db
    .prepare<DocRow>(
      `SELECT ${DOC_COLUMNS}, -1 AS score FROM docs d WHERE 1${sql}${without} ORDER BY d.id DESC LIMIT ?`,
    )
    .all(...params, ...(excluded === undefined ? [] : [excluded]), limit);
}

function conditions(filter: DocFilter, id: string): { sql: string; params: SqlInput[] } {
  const parts: { sql: string; params: readonly SqlInput[] }[] = [];
  const add = (sql: string, ...params: SqlInput[]) => parts.push({ sql, params });
  if (filter.kinds.length < KINDS.length) {
    add(`${id} % ${KIND_STEP} IN (${filter.kinds.map((kind) => KINDS.indexOf(kind)).join(",")})`);
  }
  if (filter.files) add("d.file IN (SELECT value FROM json_each(?))", JSON.stringify(filter.files));
  if (filter.since !== undefined) add("d.time >= ?", filter.since);
  if (filter.until !== undefined) add("d.time <= ?", filter.until);
  if (filter.tool !== undefined) add("d.tool = ? COLLATE NOCASE", filter.tool);
  if (filter.errors) add("d.is_error = 1");
  return { sql: parts.map(({ sql }) => ` AND ${sql}`).join(""), params: parts.flatMap(({ params }) => params) };
}
