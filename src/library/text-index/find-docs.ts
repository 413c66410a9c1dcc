import { PLAN_TOOL } from "../../format/record/persons-words.js";
import type { Place } from "../../format/record/record.js";
import { once } from "../../lazy.js";
import { keyHash } from "../../session/number-rows.js";
import type { TextKind } from "../../session/search-texts.js";
import { type Database, prepareOnce, type SqlInput } from "../../store/sqlite.js";
import { CALLS, readRows } from "../catalog/number-kinds.js";
import type { EarlierCalls } from "./file-texts.js";
import type { Query, Term } from "./parse-query.js";
import { KIND_STEP, KINDS } from "./write-docs.js";

/** Conditions on a text besides matching. */
export interface DocFilter {
  readonly kinds: readonly TextKind[];
  readonly since?: number | undefined; // ms since the epoch
  readonly until?: number | undefined;
  readonly tool?: string | undefined;
  readonly errors?: boolean | undefined;
}

/** Ids of texts in the order of their file. */
export type DocIds = Float64Array;

export const NO_DOCS: DocIds = new Float64Array();

/** The ids of all texts that match a query, by the number of their file. */
export function findDocs(db: Database, query: Query, filter: DocFilter): Map<number, DocIds> {
  const ids = keepKinds(readIds(db, ...selectIds(query, filter)), filter.kinds);
  const found = new Map<number, DocIds>();
  const ranges = readRanges(db, ids);
  let from = 0;
  for (let at = 0; at < ranges.length && from < ids.length; at += RANGE_CELLS) {
    const [first, last, file] = [ranges[at] ?? 0, ranges[at + 1] ?? 0, ranges[at + 2] ?? -1];
    while (from < ids.length && (ids[from] ?? 0) < first) from += 1;
    let to = from;
    while (to < ids.length && (ids[to] ?? 0) <= last) to += 1;
    if (to > from) found.set(file, joinIds(found.get(file), ids.subarray(from, to)));
    from = to;
  }
  return found;
}

function joinIds(before: DocIds | undefined, next: DocIds): DocIds {
  return before ? Float64Array.of(...before, ...next) : next;
}

function keepKinds(ids: DocIds, kinds: readonly TextKind[]): DocIds {
  const isWanted = KINDS.map((kind) => kinds.includes(kind));
  let kept = 0;
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] ?? 0;
    if (isWanted[id % KIND_STEP]) ids[kept++] = id;
  }
  return ids.subarray(0, kept);
}

function selectIds(query: Query, filter: DocFilter): [sql: string, ...params: SqlInput[]] {
  const { sql, params } = conditions(filter);
  const match = toMatchExpression(query);
  if (match !== undefined && sql === "") return ["SELECT rowid AS id FROM texts WHERE texts MATCH ?", match];
  if (match !== undefined) {
    const select = "SELECT d.id FROM texts CROSS JOIN docs d ON d.id = texts.rowid WHERE texts MATCH ?";
    return [`${select}${sql}`, match, ...params];
  }
  const excluded = toExcludedExpression(query);
  const without = excluded === undefined ? "" : " AND d.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)";
  const select = `SELECT d.id FROM docs d WHERE 1${sql}${without} ORDER BY d.id`;
  return [select, ...params, ...(excluded === undefined ? [] : [excluded])];
}

/** Read as one text: hundreds of thousands of single rows take longer to read than to find. */
function readIds(db: Database, select: string, ...params: readonly SqlInput[]): DocIds {
  const sql = `SELECT group_concat(id) AS ids, count(*) AS count FROM (${select})`;
  const row = prepareOnce<{ ids: string | null; count: number }>(db, sql).get(...params);
  return row?.ids ? parseIds(row.ids, row.count) : NO_DOCS;
}

function parseIds(text: string, count: number): DocIds {
  const ids = new Float64Array(count);
  let [id, at] = [0, 0];
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === COMMA) {
      ids[at++] = id;
      id = 0;
    } else id = id * 10 + code - ZERO;
  }
  ids[at] = id;
  return ids;
}

const COMMA = 44;
const ZERO = 48;
const RANGE_CELLS = 3;

/** First and last id and file of each range with some of the ids, in their order. All others may be among them. */
function readRanges(db: Database, ids: DocIds): number[] {
  const isFew = ids.length <= FEW_IDS;
  const select = isFew
    ? `SELECT DISTINCT r.first, r.last, r.file FROM json_each(?) wanted CROSS JOIN ranges r
       ON r.first = (SELECT max(first) FROM ranges WHERE first <= wanted.value) ORDER BY r.first`
    : "SELECT * FROM ranges ORDER BY first";
  const sql = `SELECT group_concat(first || ',' || last || ',' || file) AS cells FROM (${select})`;
  const params = isFew ? [JSON.stringify([...ids])] : [];
  return JSON.parse(`[${prepareOnce<{ cells: string | null }>(db, sql).get(...params)?.cells ?? ""}]`) as number[];
}

/** For more ids it takes less time to read the ranges of all files. */
const FEW_IDS = 300;

/** The numbers of the session files whose title matches. */
export function findTitled(db: Database, query: Query): number[] {
  const match = toMatchExpression(query);
  if (match !== undefined) {
    const sql = "SELECT rowid AS file FROM titles WHERE titles MATCH ?";
    return prepareOnce<{ file: number }>(db, sql).all(match).map(fileOf);
  }
  const excluded = toExcludedExpression(query);
  const without = excluded === undefined ? "" : " WHERE file NOT IN (SELECT rowid FROM titles WHERE titles MATCH ?)";
  const select = db.prepare<{ file: number }>(`SELECT file FROM sessions${without}`);
  return select.all(...(excluded === undefined ? [] : [excluded])).map(fileOf);
}

function fileOf({ file }: { readonly file: number }): number {
  return file;
}

/** Where a text is in its file. */
export interface DocRow {
  readonly id: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
  readonly tool: string | null;
  readonly time: number | null;
}

/** Reads some of them; texts that are no longer in the index are missing. */
export function readDocs(db: Database, ids: readonly number[]): Map<number, DocRow> {
  const sql = `SELECT group_concat(json_array(d.id, d.line, d.offset, d.length, d.part, d.tool, d.time)) AS rows
    FROM json_each(?) wanted CROSS JOIN docs d ON d.id = wanted.value`;
  const text = prepareOnce<{ rows: string | null }>(db, sql).get(JSON.stringify(ids))?.rows;
  const rows = JSON.parse(`[${text ?? ""}]`) as [
    number,
    number,
    number,
    number,
    number,
    string | null,
    number | null,
  ][];
  return new Map(
    rows.map(([id, line, offset, length, part, tool, time]) => [id, { id, line, offset, length, part, tool, time }]),
  );
}

/** The times of texts, without those that have none. */
export function readTimes(db: Database, ids: readonly number[]): Map<number, number> {
  const sql = `SELECT group_concat(d.id || ',' || d.time) AS cells
    FROM json_each(?) wanted CROSS JOIN docs d ON d.id = wanted.value WHERE d.time IS NOT NULL`;
  const cells = prepareOnce<{ cells: string | null }>(db, sql).get(JSON.stringify(ids))?.cells;
  const numbers = JSON.parse(`[${cells ?? ""}]`) as number[];
  const times = new Map<number, number>();
  for (let at = 0; at < numbers.length; at += 2) times.set(numbers[at] ?? 0, numbers[at + 1] ?? 0);
  return times;
}

function conditions({ since, until, tool, errors }: DocFilter): { sql: string; params: SqlInput[] } {
  const parts: { sql: string; params: readonly SqlInput[] }[] = [];
  const add = (sql: string, ...params: SqlInput[]) => parts.push({ sql, params });
  if (since !== undefined) add("d.time >= ?", since);
  if (until !== undefined) add("d.time <= ?", until);
  if (tool !== undefined) add("d.tool = ? COLLATE NOCASE", tool);
  if (errors) add("d.is_error = 1");
  return { sql: parts.map(({ sql }) => ` AND ${sql}`).join(""), params: parts.flatMap(({ params }) => params) };
}

/** The FTS5 expression of a query; undefined when the query requires no term. */
export function toMatchExpression({ required, excluded }: Query): string | undefined {
  if (required.length === 0) return undefined;
  const wanted = required.map((terms) => anyOf(terms)).join(" AND ");
  return excluded.length === 0 ? wanted : `(${wanted}) NOT ${anyOf(excluded)}`;
}

/** The FTS5 expression of the texts to leave out, for queries without a required term. */
function toExcludedExpression({ excluded }: Query): string | undefined {
  return excluded.length === 0 ? undefined : anyOf(excluded);
}

function anyOf(terms: readonly Term[]): string {
  return `(${terms.flatMap(phrasesOf).join(" OR ")})`;
}

function phrasesOf({ tokens, parts, isPrefix }: Term): string[] {
  return [tokens, ...(parts ? [parts] : [])].map((phrase) => toPhrase(phrase, isPrefix));
}

/** Tokens contain no quotes, so nothing needs escaping. */
function toPhrase(tokens: readonly string[], isPrefix: boolean): string {
  return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}

/** The offsets of records of a file that later ones replace. */
export function replacedIn(db: Database, file: number): Set<number> {
  const rows = db.prepare<{ offset: number }>("SELECT offset FROM replaced WHERE file = ?").all(file);
  return new Set(rows.map(({ offset }) => offset));
}

/** The calls in that part of a file whose texts are indexed. */
export function earlierCalls(db: Database, { id: file }: { readonly id: number }): EarlierCalls {
  const calls = once(() => new Map(readRows(db, CALLS, file).map((call) => [call.key, call])));
  const find = (id: string) => calls().get(keyHash("call", id));
  const selectPlace = db.prepare<Place>(
    `SELECT d.line, d.offset, d.length FROM ranges r CROSS JOIN docs d ON d.id BETWEEN r.first AND r.last
     WHERE r.file = ? AND d.line = ? AND d.tool = '${PLAN_TOOL}' LIMIT 1`,
  );
  return {
    nameOf: (id) => find(id)?.tool,
    placeOfPlan(id) {
      const call = find(id);
      return call?.tool === PLAN_TOOL ? selectPlace.get(file, call.line) : undefined;
    },
  };
}
