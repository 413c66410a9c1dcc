import { isObject, tryParseJson } from "../../format/json.js";
import { DamagedContents, type Database } from "../../store/sqlite.js";

/** What a request carries. */
export type Signal = "traces" | "metrics";

/** Spans and metrics of a ledger wait and fail apart: a backend may take only one of them. */
export interface Queue {
  readonly ledger: string;
  readonly signal: Signal;
}

export interface Batch extends Queue {
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

const MAX_BATCH_SPANS = 512;

interface SpanRow {
  readonly number: number;
  readonly batch: number;
  readonly json: string;
  readonly bytes: number;
}

/** The batch to send next: one that was begun before, with the same spans, else the oldest spans that fit. */
export function nextBatch(db: Database, queue: Queue, maxBytes: number): Batch | undefined {
  return begunBatch(db, queue) ?? newBatch(db, queue, maxBytes);
}

const OF_QUEUE = "target = ? AND signal = ? AND state = 'queued'";

function begunBatch(db: Database, { ledger, signal }: Queue): Batch | undefined {
  const select = `SELECT number, batch, json FROM spans
    WHERE ${OF_QUEUE} AND batch = (SELECT min(batch) FROM spans WHERE ${OF_QUEUE} AND batch IS NOT NULL) ORDER BY number`;
  const spans = db.prepare<SpanRow>(select).all(ledger, signal, ledger, signal);
  const [first] = spans.map(checked);
  return first && { ledger, batch: first.batch, signal, spans };
}

/** At least one span, however large it is. */
function newBatch(db: Database, { ledger, signal }: Queue, maxBytes: number): Batch | undefined {
  const select = `SELECT number, json, bytes FROM spans WHERE ${OF_QUEUE} AND batch IS NULL
    ORDER BY number LIMIT ${MAX_BATCH_SPANS}`;
  const spans: SpanRow[] = [];
  let bytes = 0;
  for (const row of db.prepare<SpanRow>(select).iterate(ledger, signal)) {
    bytes += row.bytes;
    if (spans.length > 0 && bytes > maxBytes) break;
    spans.push(checked(row));
  }
  const [first] = spans;
  if (!first) return undefined;
  // A batch has the number of its first span, which no other can have.
  const assign = `UPDATE spans SET batch = ? WHERE ${OF_QUEUE} AND batch IS NULL AND number BETWEEN ? AND ?`;
  db.prepare(assign).run(first.number, ledger, signal, first.number, spans.at(-1)?.number);
  return { ledger, batch: first.number, signal, spans };
}

function checked(row: SpanRow): SpanRow {
  if (!isObject(tryParseJson(row.json))) throw new DamagedContents("one of its entries is no JSON");
  return row;
}

/** Splits a batch that was too large into two. */
export function splitBatch(db: Database, { ledger, signal, batch, spans }: Batch): void {
  const middle = spans[Math.ceil(spans.length / 2)]?.number;
  db.prepare(`UPDATE spans SET batch = ? WHERE ${OF_BATCH} AND number >= ?`).run(middle, ledger, signal, batch, middle);
}

const OF_BATCH = `${OF_QUEUE} AND batch = ?`;

export function settleBatch(db: Database, { ledger, signal, batch }: Batch, verdict: Verdict): void {
  if (verdict.state === "sent") {
    const sent = `UPDATE spans SET state = 'sent', batch = NULL, json = NULL, reason = NULL WHERE ${OF_BATCH}`;
    db.prepare(sent).run(ledger, signal, batch);
    return;
  }
  const dead = `UPDATE spans SET state = 'dead', batch = ?, reason = ? WHERE ${OF_BATCH}`;
  db.prepare(dead).run(verdict.isPartly ? batch : null, verdict.reason, ledger, signal, batch);
}
