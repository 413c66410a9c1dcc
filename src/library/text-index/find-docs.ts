import type { TextKind } from "../../session/search-texts.js";
import type { Database, SqlInput } from "../../store/sqlite.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";
import type { Query, Term } from "./parse-query.js";
import { tokenize } from "./tokenize.js";
import { KIND_STEP, KINDS, kindOf } from "./write-docs.js";

/** A matching text. */
export interface FoundDoc {
  readonly id: number;
  /** Relevance in units of 1e-12; lower is better, as in SQLite. */
  readonly score: number;
  readonly time: number | null;
}

/** Conditions on a text besides matching. */
export interface DocFilter {
  readonly kinds: readonly TextKind[];
  /** Undefined: all. */
  readonly files?: readonly number[];
  /** Only files below these; undefined: all. */
  readonly roots?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly errors?: boolean;
}

/** Words that are parts of identifiers count less. */
const PARTS_WEIGHT = 0.5;
const RELEVANCE = `bm25(texts, 1.0, ${PARTS_WEIGHT})`;
const ALL_ALIKE = "-1";

/** The newest `limit` texts that match a query. */
export function findDocs(db: Database, query: Query, filter: DocFilter, limit: number): FoundDoc[] {
  const match = toMatchExpression(query);
  if (match === undefined) return selectAll(db, toExcludedExpression(query), filter, limit);
  if (hasOnlyPrefixes(query)) {
    const found = selectMatching(db, match, filter, limit, ALL_ALIKE);
    if (found.length === limit) return found;
  }
  return selectMatching(db, match, filter, limit, RELEVANCE);
}

/** Short prefixes, as in search while typing, match so many texts that their relevance says little and takes longest to compute. */
function hasOnlyPrefixes({ required }: Query): boolean {
  return required.flat().every(({ tokens, isPrefix }) => isPrefix && tokens.length === 1);
}

/** The titles of some sessions, for titles given by the user: those are in user.db, not in the index. */
export function findTitles(db: Database, sessionIds: readonly string[], filter: DocFilter): FoundDoc[] {
  if (sessionIds.length === 0 || !filter.kinds.includes("title")) return [];
  const { sql, params } = conditions({ ...filter, kinds: ["title"] }, "d.id");
  const ofSessions = "d.file IN (SELECT id FROM files WHERE session_id IN (SELECT value FROM json_each(?)))";
  const select = `SELECT d.id, ${ALL_ALIKE} AS score, d.time FROM docs d WHERE ${ofSessions}${sql}`;
  return readFound(db, select, JSON.stringify(sessionIds), ...params);
}

/** The texts that may contain a literal; undefined where the index cannot tell. */
export function findLiteralCandidates(db: Database, literal: string, filter: DocFilter): FoundDoc[] | undefined {
  const match = narrowLiteral(literal);
  return match === undefined ? undefined : selectMatching(db, match, filter, Number.MAX_SAFE_INTEGER, RELEVANCE);
}

function selectMatching(
  db: Database,
  match: string,
  filter: DocFilter,
  limit: number,
  score: typeof ALL_ALIKE | typeof RELEVANCE,
): FoundDoc[] {
  const { sql, params } = conditions(filter, "texts.rowid");
  const select = `SELECT texts.rowid AS id, ${score} AS score, d.time
    FROM texts CROSS JOIN docs d ON d.id = texts.rowid
    WHERE texts MATCH ?${sql} ORDER BY texts.rowid DESC LIMIT ?`;
  return readFound(db, select, match, ...params, limit);
}

function selectAll(db: Database, excluded: string | undefined, filter: DocFilter, limit: number): FoundDoc[] {
  const { sql, params } = conditions(filter, "d.id");
  const without = excluded === undefined ? "" : " AND d.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)";
  const select = `SELECT d.id, ${ALL_ALIKE} AS score, d.time FROM docs d WHERE 1${sql}${without} ORDER BY d.id DESC LIMIT ?`;
  return readFound(db, select, ...params, ...(excluded === undefined ? [] : [excluded]), limit);
}

/** bm25 of a word that is in most texts is about a millionth. */
const SCORE_UNITS = 1e12;

/** Read as one JSON text of integers: thousands of single rows, or fractions, take longer to read than to find. */
function readFound(db: Database, select: string, ...params: readonly SqlInput[]): FoundDoc[] {
  const rows = db.prepare<{ rows: string | null }>(
    `SELECT group_concat('[' || id || ',' || CAST(score * ${SCORE_UNITS} AS INTEGER) || ',' || coalesce(time, 'null') || ']') AS rows FROM (${select})`,
  );
  const found = JSON.parse(`[${rows.get(...params)?.rows ?? ""}]`) as [number, number, number | null][];
  return found.map(([id, score, time]) => ({ id, score, time }));
}

function conditions(filter: DocFilter, id: string): { sql: string; params: SqlInput[] } {
  const parts: { sql: string; params: readonly SqlInput[] }[] = [];
  const add = (sql: string, ...params: SqlInput[]) => parts.push({ sql, params });
  if (filter.kinds.length < KINDS.length) {
    add(`${id} % ${KIND_STEP} IN (${filter.kinds.map((kind) => KINDS.indexOf(kind)).join(",")})`);
  }
  if (filter.files) add("d.file IN (SELECT value FROM json_each(?))", JSON.stringify(filter.files));
  if (filter.roots) {
    const isBelow = `EXISTS (SELECT 1 FROM files f WHERE f.id = d.file AND ${belowRoots(filter.roots, "f.path")})`;
    add(isBelow, ...boundsOf(filter.roots));
  }
  if (filter.since !== undefined) add("d.time >= ?", filter.since);
  if (filter.until !== undefined) add("d.time <= ?", filter.until);
  if (filter.tool !== undefined) add("d.tool = ? COLLATE NOCASE", filter.tool);
  if (filter.errors) add("d.is_error = 1");
  return { sql: parts.map(({ sql }) => ` AND ${sql}`).join(""), params: parts.flatMap(({ params }) => params) };
}

/** The FTS5 expression of a query over the columns `text` and `parts`; undefined when the query requires no term. */
export function toMatchExpression({ required, excluded }: Query): string | undefined {
  if (required.length === 0) return undefined;
  const wanted = required.map((terms) => anyOf(terms)).join(" AND ");
  return excluded.length === 0 ? wanted : `(${wanted}) NOT ${anyOf(excluded)}`;
}

/** The FTS5 expression of the texts to leave out, for queries without a required term. */
export function toExcludedExpression({ excluded }: Query): string | undefined {
  return excluded.length === 0 ? undefined : anyOf(excluded);
}

function anyOf(terms: readonly Term[]): string {
  return `(${terms.flatMap(phrasesOf).join(" OR ")})`;
}

function phrasesOf({ tokens, parts, isPrefix }: Term): string[] {
  const whole = toPhrase(tokens, isPrefix);
  return parts ? [whole, `parts : ${toPhrase(parts, isPrefix)}`] : [whole];
}

/** Tokens contain no quotes, so nothing needs escaping. */
function toPhrase(tokens: readonly string[], isPrefix: boolean): string {
  return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}

/**
 * An FTS5 expression that matches every text containing the literal in any case; undefined where there is none.
 * The first word may be the end of a longer one, so it is used only after a separator; the last may be a prefix.
 */
export function narrowLiteral(literal: string): string | undefined {
  if (/[^\x00-\x7f]/.test(literal)) return undefined;
  const bounded = literal.replace(/^[0-9A-Za-z]+/, "");
  const tokens = tokenize(bounded);
  if (tokens.length === 0) return undefined;
  return `text : ${toPhrase(tokens, /[0-9A-Za-z]$/.test(bounded))}`;
}

/** What people wrote is more often wanted than tool output. */
const WEIGHTS: Readonly<Record<TextKind, number>> = {
  title: 4,
  prompt: 3,
  command: 2,
  answer: 2,
  thinking: 1.2,
  file: 1,
  toolInput: 1,
  toolOutput: 0.6,
  context: 0.3,
};
const DAY_MS = 86_400_000;
const FADE_DAYS = 60;

/** Best first, by relevance, kind and age; age halves the weight at most. */
export function rankDocs(docs: readonly FoundDoc[], now: number): FoundDoc[] {
  const valued = docs.map((doc) => ({ doc, worth: worthOf(doc, now) }));
  return valued.sort((a, b) => b.worth - a.worth || b.doc.id - a.doc.id).map(({ doc }) => doc);
}

function worthOf({ id, score, time }: FoundDoc, now: number): number {
  const ageDays = time === null ? Number.POSITIVE_INFINITY : Math.max(0, now - time) / DAY_MS;
  const freshness = 0.5 + 0.5 * Math.exp(-ageDays / FADE_DAYS);
  return -score * WEIGHTS[kindOf(id)] * freshness;
}
