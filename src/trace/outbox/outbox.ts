import type { Cursor } from "../../format/identity/follow-file.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { DamagedContents, type Database } from "../../store/sqlite.js";
import type { KnownAgent, Trace } from "../observe/observation.js";
import { isTimeOrNull, withOutboxDatabase } from "./outbox-schema.js";

/** What is to be sent, what was sent, and how far each session was read, in one database so that they are consistent. */
export interface Outbox {
  /** Atomic. Returns the number of spans that are new to a target. */
  store(parcels: readonly TargetTrace[], progress?: Progress): number;
  progressOf(path: string): Progress | undefined;
  /** Of all sessions. */
  progress(): readonly Progress[];
  agentsOf(path: string): ReadonlyMap<string, KnownAgent>;
  /** The batch to send next: one that was begun before, with the same spans, else the oldest spans that fit. */
  nextBatch(target: string, maxBytes: number): Batch | undefined;
  /** Splits a batch that was too large into two. */
  splitBatch(batch: Batch): void;
  settle(batch: Batch, verdict: Verdict): void;
  /** Marks spans as sent that another tool has sent. */
  markSent(target: string, spanIds: readonly string[], session: string): void;
  /** Queues refused spans again; batches refused in part only with `repeatsPartly`. */
  revive(target: string | undefined, options?: { readonly repeatsPartly?: boolean }): number;
  drop(target: string | undefined, what: "dead" | "all"): number;
  note(target: string, outcome: Outcome): void;
  health(target: string): Health;
  counts(): readonly Count[];
}

/** A span for one target, ready to be sent. */
export interface StoredSpan {
  readonly spanId: string;
  readonly kind: Trace["observations"][number]["kind"];
  readonly json: string;
}

/** One trace for one target. */
export interface TargetTrace {
  readonly target: string;
  readonly session: string;
  readonly spans: readonly StoredSpan[];
  readonly agents: readonly KnownAgent[];
}

/** How far a session was read: the start of the first turn that may still change. */
export interface Progress {
  readonly path: string;
  readonly cursor: Cursor;
  readonly number: number;
  /** The size of the file when it was read completely as an ended session; null while it may grow. */
  readonly endedSize: number | null;
}

export interface Batch {
  readonly target: string;
  readonly batch: number;
  readonly spans: readonly { readonly number: number; readonly json: string }[];
}

export type Verdict =
  | { readonly state: "sent" }
  | {
      readonly state: "dead";
      readonly reason: string;
      /** Some of its spans arrived, but not known which. The batch stays together, so that a repeat has the same bytes. */
      readonly isPartly: boolean;
    };

export type Outcome =
  | { readonly kind: "success"; readonly at: number }
  | { readonly kind: "failure"; readonly at: number; readonly reason: string; readonly nextAt: number };

export interface Health {
  readonly failures: number; // in a row
  readonly nextAt: number;
  readonly lastSuccess: number | null;
  readonly lastFailure: number | null;
  readonly lastReason: string | null;
}

export interface Count {
  readonly target: string;
  readonly state: "queued" | "sent" | "dead" | "dropped";
  readonly reason: string | null;
  readonly isPartly: 0 | 1; // refused with others of which some arrived
  readonly spans: number;
  readonly bytes: number;
}

const MAX_BATCH_SPANS = 512;

export function withOutbox<T>(dir: string, work: (outbox: Outbox) => Promise<T> | T): Promise<T> {
  return withOutboxDatabase(dir, (database) => work(toOutbox(database)));
}

function toOutbox(db: Database): Outbox {
  return {
    store: (parcels, progress) =>
      db.transaction(() => {
        const stored = storeParcels(db, parcels);
        if (progress) writeProgress(db, progress);
        return stored;
      }),
    progressOf: (path) => readProgress(db, "WHERE path = ?", path)[0],
    progress: () => readProgress(db, ""),
    agentsOf: (path) => readAgents(db, path),
    nextBatch: (target, maxBytes) => db.transaction(() => begunBatch(db, target) ?? newBatch(db, target, maxBytes)),
    splitBatch: (batch) => db.transaction(() => split(db, batch)),
    settle: (batch, verdict) => settle(db, batch, verdict),
    markSent: (target, spanIds, session) =>
      db.transaction(() => {
        const insert = db.prepare(INSERT_SPAN);
        for (const spanId of spanIds) insert.run(target, spanId, session, "sent", null, 0);
      }),
    revive: (target, { repeatsPartly = false } = {}) => {
      db.prepare("UPDATE targets SET next_at = 0").run();
      const which = repeatsPartly ? "" : "AND batch IS NULL";
      return forTarget(db, `UPDATE spans SET state = 'queued', reason = NULL WHERE state = 'dead' ${which}`, target);
    },
    drop: (target, what) => {
      const states = what === "dead" ? "'dead'" : "'dead', 'queued'";
      const sql = `UPDATE spans SET state = 'dropped', json = NULL, batch = NULL WHERE state IN (${states})`;
      return forTarget(db, sql, target);
    },
    note: (target, outcome) => noteOutcome(db, target, outcome),
    health: (target) => readHealth(db, target),
    counts: () => db.prepare<Count>(COUNT_SPANS).all(),
  };
}

const INSERT_SPAN =
  "INSERT OR IGNORE INTO spans (target, span_id, session, state, json, bytes) VALUES (?, ?, ?, ?, ?, ?)";
const COUNT_SPANS = `SELECT target, state, reason, state = 'dead' AND batch IS NOT NULL AS isPartly,
    count(*) AS spans, sum(bytes) AS bytes
  FROM spans GROUP BY target, state, reason, isPartly ORDER BY target, state, spans DESC`;

function storeParcels(db: Database, parcels: readonly TargetTrace[]): number {
  const insert = db.prepare(INSERT_SPAN);
  const remember = db.prepare("INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?)");
  const find = db.prepare<{ found: number }>("SELECT 1 AS found FROM spans WHERE target = ? AND span_id = ?");
  let stored = 0;
  for (const parcel of parcels) {
    const { target, session, spans, agents } = parcel;
    if (isCopy(parcel, ({ spanId }) => find.get(target, spanId) !== undefined)) continue;
    for (const { agentId, size, parentSpanId, trace } of agents) {
      remember.run(session, agentId, size, parentSpanId, JSON.stringify(trace));
    }
    for (const { spanId, json } of spans) {
      stored += insert.run(target, spanId, session, "queued", json, Buffer.byteLength(json)).changes;
    }
  }
  return stored;
}

/** A copied history with new uuids: its messages were already sent with the original turn. */
function isCopy({ spans }: TargetTrace, isKnown: (span: StoredSpan) => boolean): boolean {
  const [root] = spans;
  const generations = spans.filter(({ kind }) => kind === "generation");
  return root !== undefined && generations.length > 0 && !isKnown(root) && generations.every(isKnown);
}

function writeProgress(db: Database, { path, cursor, number, endedSize }: Progress): void {
  const replace = db.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)");
  replace.run(path, JSON.stringify(cursor), number, endedSize);
}

interface ProgressRow extends Omit<Progress, "cursor"> {
  readonly cursor: string;
}

function readProgress(db: Database, where: string, ...params: readonly string[]): Progress[] {
  const select = `SELECT path, cursor, number, ended_size AS endedSize FROM sessions ${where}`;
  const rows = db.prepare<ProgressRow>(select).all(...params);
  return rows.map((row) => ({ ...row, cursor: parseOwn<Cursor>(row.cursor) }));
}

/** Written by this program: anything else is damage. */
function parseOwn<T>(json: string | null): T {
  const value = tryParseJson(json ?? "");
  if (!isObject(value)) throw new DamagedContents("one of its entries is no JSON");
  return value as T;
}

interface AgentRow {
  readonly agent_id: string;
  readonly size: number;
  readonly parent_span_id: string | null;
  readonly trace: string;
}

function readAgents(db: Database, path: string): Map<string, KnownAgent> {
  const rows = db
    .prepare<AgentRow>("SELECT agent_id, size, parent_span_id, trace FROM agents WHERE path = ?")
    .all(path);
  return new Map(
    rows.map(({ agent_id: agentId, size, parent_span_id: parentSpanId, trace }) => [
      agentId,
      { agentId, size, parentSpanId, trace: parseOwn<KnownAgent["trace"]>(trace) },
    ]),
  );
}

interface SpanRow {
  readonly number: number;
  readonly batch: number;
  readonly json: string;
  readonly bytes: number;
}

function checked(row: SpanRow): SpanRow {
  parseOwn(row.json);
  return row;
}

function begunBatch(db: Database, target: string): Batch | undefined {
  const select = `SELECT number, batch, json FROM spans
    WHERE target = ? AND state = 'queued' AND batch =
      (SELECT min(batch) FROM spans WHERE target = ? AND state = 'queued' AND batch IS NOT NULL) ORDER BY number`;
  const spans = db.prepare<SpanRow>(select).all(target, target);
  const [first] = spans.map(checked);
  return first && { target, batch: first.batch, spans };
}

/** At least one span, however large it is. */
function newBatch(db: Database, target: string, maxBytes: number): Batch | undefined {
  const select = `SELECT number, json, bytes FROM spans WHERE target = ? AND state = 'queued' AND batch IS NULL
    ORDER BY number LIMIT ${MAX_BATCH_SPANS}`;
  const spans: SpanRow[] = [];
  let bytes = 0;
  for (const row of db.prepare<SpanRow>(select).iterate(target)) {
    bytes += row.bytes;
    if (spans.length > 0 && bytes > maxBytes) break;
    spans.push(checked(row));
  }
  const [first] = spans;
  if (!first) return undefined;
  // A batch has the number of its first span, which no other can have.
  const assign = `UPDATE spans SET batch = ?
    WHERE target = ? AND state = 'queued' AND batch IS NULL AND number BETWEEN ? AND ?`;
  db.prepare(assign).run(first.number, target, first.number, spans.at(-1)?.number);
  return { target, batch: first.number, spans };
}

function split(db: Database, { target, batch, spans }: Batch): void {
  const middle = spans[Math.ceil(spans.length / 2)]?.number;
  db.prepare(`UPDATE spans SET batch = ? WHERE ${OF_BATCH} AND number >= ?`).run(middle, target, batch, middle);
}

const OF_BATCH = "target = ? AND state = 'queued' AND batch = ?";

function settle(db: Database, { target, batch }: Batch, verdict: Verdict): void {
  if (verdict.state === "sent") {
    const sent = `UPDATE spans SET state = 'sent', batch = NULL, json = NULL, reason = NULL WHERE ${OF_BATCH}`;
    db.prepare(sent).run(target, batch);
    return;
  }
  const dead = `UPDATE spans SET state = 'dead', batch = ?, reason = ? WHERE ${OF_BATCH}`;
  db.prepare(dead).run(verdict.isPartly ? batch : null, verdict.reason, target, batch);
}

function forTarget(db: Database, update: string, target: string | undefined): number {
  const isOne = target !== undefined;
  const statement = db.prepare(isOne ? `${update} AND target = ?` : update);
  return (isOne ? statement.run(target) : statement.run()).changes;
}

function noteOutcome(db: Database, target: string, outcome: Outcome): void {
  db.prepare("INSERT OR IGNORE INTO targets (name, failures, next_at) VALUES (?, 0, 0)").run(target);
  if (outcome.kind === "success") {
    db.prepare("UPDATE targets SET failures = 0, next_at = 0, last_success = ? WHERE name = ?").run(outcome.at, target);
    return;
  }
  const { at, reason, nextAt } = outcome;
  db.prepare(
    "UPDATE targets SET failures = failures + 1, next_at = ?, last_failure = ?, last_reason = ? WHERE name = ?",
  ).run(nextAt, at, reason, target);
}

function readHealth(db: Database, target: string): Health {
  const select = `SELECT failures, next_at AS nextAt, last_success AS lastSuccess, last_failure AS lastFailure,
    last_reason AS lastReason FROM targets WHERE name = ?`;
  const none = { failures: 0, nextAt: 0, lastSuccess: null, lastFailure: null, lastReason: null };
  const health = db.prepare<Health>(select).get(target) ?? none;
  const { nextAt, lastSuccess, lastFailure } = health;
  if (![nextAt, lastSuccess, lastFailure].every(isTimeOrNull)) throw new DamagedContents("one of its times is none");
  return health;
}
