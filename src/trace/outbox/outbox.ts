import type { Cursor, KnownPlace } from "../../format/identity/follow-file.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { DamagedContents, type Database } from "../../store/sqlite.js";
import type { KnownAgent, Trace } from "../observe/observation.js";
import { type Batch, nextBatch, type Queue, type Signal, settleBatch, splitBatch, type Verdict } from "./batches.js";
import { forgetFailures, forgetPause, type Health, noteOutcome, type Outcome, readHealth } from "./health.js";
import { closeLedger, earlierLedgers, type Ledger, type LedgerOwner, listLedgers, openLedger } from "./ledgers.js";
import { withOutboxDatabase } from "./outbox-schema.js";

/** What is to be sent, what was sent, and how far each session was read, in one database so that they are consistent. */
export interface Outbox {
  /** The ledger of a target; where its account or address is new, a new one. */
  ledgerOf(target: LedgerOwner, options?: { readonly isSameAccount?: boolean }): string;
  ledgers(): readonly Ledger[];
  /** Of a target that was removed. */
  closeLedger(ledger: string): void;
  /** Atomic. Returns the number of spans that are new to a target. */
  store(parcels: readonly TargetTrace[], options?: StoreOptions): number;
  /** Notes what is sent to no target, nor to one that is installed later. */
  giveUp(traces: readonly Pick<TargetTrace, "session" | "spans" | "agents">[], progress: readonly Progress[]): void;
  progressOf(path: string): Progress | undefined;
  /** Of all sessions. */
  progress(): readonly Progress[];
  agentsOf(path: string): ReadonlyMap<string, KnownAgent>;
  /** The batch to send next: one that was begun before, with the same spans, else the oldest spans that fit. */
  nextBatch(queue: Queue, maxBytes: number): Batch | undefined;
  /** Splits a batch that was too large into two. */
  splitBatch(batch: Batch): void;
  settle(batch: Batch, verdict: Verdict): void;
  /** Marks spans as sent that another tool has sent. */
  markSent(ledger: string, spanIds: readonly string[], session: string): void;
  /** Queues refused spans again; batches refused in part only with `repeatsPartly`. */
  revive(ledgers: readonly string[], options?: { readonly repeatsPartly?: boolean }): number;
  drop(ledgers: readonly string[], what: "dead" | "all"): number;
  note(queue: Queue, outcome: Outcome): void;
  health(queue: Queue): Health;
  counts(): readonly Count[];
  /** Notes that an event of a hook is handled now, and returns how often that was begun before. */
  tryEvent(file: string): number;
  forgetEvent(file: string): void;
  triesOf(file: string): number;
}

/** A span or data point for one target, ready to be sent. */
export interface StoredSpan {
  readonly spanId: string;
  readonly kind: Trace["observations"][number]["kind"] | "point";
  readonly json: string;
}

/** The ledger of what ended while tracing was off: given up for every target, also for those that are installed later. */
const OFF = "off";

/** One trace for one target. */
export interface TargetTrace {
  readonly ledger: string;
  readonly session: string;
  readonly spans: readonly StoredSpan[];
  readonly agents: readonly KnownAgent[];
}

export interface StoreOptions {
  readonly progress?: readonly Progress[];
  /**
   * `new`: what the ledger does not know. `newest`: and no earlier ledger of the target, for turns that are sent as they end.
   * `again`: also what was sent, refused or given up.
   */
  readonly which?: "new" | "newest" | "again";
}

/** How far a session was read: the start of the first turn that may still change. */
export interface Progress {
  readonly path: string;
  /** A full cursor where it was written long ago. */
  readonly cursor: KnownPlace | Cursor;
  readonly number: number;
  /** The size of the file when it was read completely as an ended session; null while it may grow. */
  readonly endedSize: number | null;
}

export interface Count {
  readonly ledger: string;
  readonly signal: Signal;
  readonly state: "queued" | "sent" | "dead" | "dropped";
  readonly reason: string | null;
  readonly isPartly: 0 | 1; // refused with others of which some arrived
  readonly spans: number;
  readonly bytes: number;
}

export function withOutbox<T>(dir: string, work: (outbox: Outbox) => Promise<T> | T): Promise<T> {
  return withOutboxDatabase(dir, (database) => work(toOutbox(database)));
}

function toOutbox(db: Database): Outbox {
  return {
    ...ledgerActions(db),
    ...batchActions(db),
    ...eventActions(db),
    store: (parcels, { progress = [], which = "new" } = {}) =>
      db.transaction(() => {
        const stored = storeParcels(db, parcels, which);
        for (const reached of progress) writeProgress(db, reached);
        return stored;
      }),
    giveUp: (traces, progress) =>
      db.transaction(() => {
        for (const trace of traces) giveUp(db, trace);
        for (const reached of progress) writeProgress(db, reached);
      }),
    progressOf: (path) => readProgress(db, "WHERE path = ?", path)[0],
    progress: () => readProgress(db, ""),
    agentsOf: (path) => readAgents(db, path),
    counts: () => db.prepare<Count>(COUNT_SPANS).all(),
  };
}

function ledgerActions(db: Database): Pick<Outbox, "ledgerOf" | "ledgers" | "closeLedger" | "note" | "health"> {
  const opened = new Map<string, string>();
  return {
    ledgerOf: (target, options) => {
      const key = JSON.stringify([target.name, target.url, target.identities, options ?? {}]);
      const known = opened.get(key);
      if (known !== undefined) return known;
      const ledger = db.transaction(() => openLedger(db, target, Date.now(), options));
      opened.set(key, ledger);
      return ledger;
    },
    ledgers: () => listLedgers(db),
    closeLedger: (ledger) => {
      opened.clear();
      closeLedger(db, ledger);
    },
    note: (queue, outcome) => noteOutcome(db, queue, outcome),
    health: (queue) => readHealth(db, queue),
  };
}

function batchActions(
  db: Database,
): Pick<Outbox, "nextBatch" | "splitBatch" | "settle" | "markSent" | "revive" | "drop"> {
  const forAll = (ledgers: readonly string[], sql: string) =>
    ledgers.reduce((sum, ledger) => sum + db.prepare(`${sql} AND target = ?`).run(ledger).changes, 0);
  return {
    nextBatch: (queue, maxBytes) => db.transaction(() => nextBatch(db, queue, maxBytes)),
    splitBatch: (batch) => db.transaction(() => splitBatch(db, batch)),
    settle: (batch, verdict) => settleBatch(db, batch, verdict),
    markSent: (ledger, spanIds, session) =>
      db.transaction(() => {
        const insert = db.prepare(INSERT_SPAN);
        for (const spanId of spanIds) insert.run(ledger, spanId, session, "sent", null, 0, "traces");
      }),
    revive: (ledgers, { repeatsPartly = false } = {}) => {
      for (const ledger of ledgers) forgetPause(db, ledger);
      const which = repeatsPartly ? "" : "AND batch IS NULL";
      return forAll(ledgers, `UPDATE spans SET state = 'queued', reason = NULL WHERE state = 'dead' ${which}`);
    },
    drop: (ledgers, what) => {
      const states = what === "dead" ? "'dead'" : "'dead', 'queued'";
      const sql = `UPDATE spans SET state = 'dropped', json = NULL, batch = NULL WHERE state IN (${states})`;
      const dropped = forAll(ledgers, sql);
      for (const ledger of ledgers) forgetFailures(db, ledger);
      return dropped;
    },
  };
}

function eventActions(db: Database): Pick<Outbox, "tryEvent" | "forgetEvent" | "triesOf"> {
  const triesOf = (file: string) =>
    db.prepare<{ tries: number }>("SELECT tries FROM events WHERE file = ?").get(file)?.tries ?? 0;
  return {
    triesOf,
    tryEvent: (file) => {
      const before = triesOf(file);
      db.prepare("INSERT OR REPLACE INTO events VALUES (?, ?)").run(file, before + 1);
      return before;
    },
    forgetEvent: (file) => {
      db.prepare("DELETE FROM events WHERE file = ?").run(file);
    },
  };
}

const INSERT_SPAN =
  "INSERT OR IGNORE INTO spans (target, span_id, session, state, json, bytes, signal) VALUES (?, ?, ?, ?, ?, ?, ?)";
/** What waits already is sent as it was stored. */
const INSERT_AGAIN = `INSERT INTO spans (target, span_id, session, state, json, bytes, signal)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (target, span_id) DO UPDATE SET
    state = 'queued', json = excluded.json, bytes = excluded.bytes, batch = NULL, reason = NULL WHERE state <> 'queued'`;
const COUNT_SPANS = `SELECT target AS ledger, signal, state, reason, state = 'dead' AND batch IS NOT NULL AS isPartly,
    count(*) AS spans, sum(bytes) AS bytes
  FROM spans GROUP BY target, signal, state, reason, isPartly ORDER BY target, state, spans DESC`;

function storeParcels(
  db: Database,
  parcels: readonly TargetTrace[],
  which: NonNullable<StoreOptions["which"]>,
): number {
  const insert = db.prepare(INSERT_SPAN);
  const insertAgain = db.prepare(INSERT_AGAIN);
  const find = db.prepare<{ found: number }>("SELECT 1 AS found FROM spans WHERE target = ? AND span_id = ?");
  const earlier = new Map<string, readonly string[]>();
  let stored = 0;
  for (const parcel of parcels) {
    const { ledger, session, spans, agents } = parcel;
    if (which === "newest" && !earlier.has(ledger)) earlier.set(ledger, earlierLedgers(db, ledger));
    const before = earlier.get(ledger) ?? [];
    const others = which === "again" ? before : [...before, OFF];
    const isKnown = ({ spanId }: StoredSpan) => [ledger, ...others].some((one) => find.get(one, spanId) !== undefined);
    const [root] = spans;
    const isOff = which !== "again" && root !== undefined && find.get(OFF, root.spanId) !== undefined;
    if (isOff || isCopy(parcel, isKnown)) continue;
    rememberAgents(db, session, agents);
    for (const span of spans) {
      const { spanId, json, kind } = span;
      if (before.length > 0 && isKnown(span)) continue;
      const signal = kind === "point" ? "metrics" : "traces";
      // Points add up, so those that were sent would count twice.
      const put = which === "again" && signal === "traces" ? insertAgain : insert;
      const { changes } = put.run(ledger, spanId, session, "queued", json, Buffer.byteLength(json), signal);
      if (signal === "traces") stored += changes;
    }
  }
  return stored;
}

function rememberAgents(db: Database, session: string, agents: readonly KnownAgent[]): void {
  const remember = db.prepare("INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?)");
  for (const { agentId, size, parentSpanId, trace } of agents) {
    remember.run(session, agentId, size, parentSpanId, JSON.stringify(trace));
  }
}

/** What some target has got stays so: it ended before tracing was switched off. */
function giveUp(db: Database, { session, spans, agents }: Pick<TargetTrace, "session" | "spans" | "agents">): void {
  const insert = db.prepare(INSERT_SPAN);
  const find = db.prepare("SELECT 1 FROM spans WHERE target = ? AND span_id = ?");
  const ledgers = listLedgers(db);
  rememberAgents(db, session, agents);
  for (const { spanId } of spans) {
    const isKnown = ledgers.some(({ ledger }) => find.get(ledger, spanId) !== undefined);
    if (!isKnown) insert.run(OFF, spanId, session, "dropped", null, 0, "traces");
  }
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
  return rows.map((row) => ({ ...row, cursor: parseOwn<Progress["cursor"]>(row.cursor) }));
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
