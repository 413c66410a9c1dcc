import type { Database } from "../../store/sqlite.js";
import { gatherCalls, gatherMessages, gatherTurns } from "./ledger.js";
import { packCalls, packMessages, packTurns } from "./ledger-text.js";
import type { CallRow, MessageRow, TurnRow } from "./number-rows.js";

interface NumberRows {
  readonly messages: readonly MessageRow[];
  readonly calls: readonly CallRow[];
  readonly turns: readonly TurnRow[];
}

interface LedgerWriter {
  /** After the rows themselves were written. */
  write(file: number, rows: NumberRows): void;
}

const COPIED_TABLES = ["messages", "calls", "turns"] as const;

export function createLedgerWriter(db: Database): LedgerWriter {
  const insert = db.prepare("INSERT INTO ledgers VALUES (?,?,?,?,?,?)");
  const noteCopies = COPIED_TABLES.map((table) =>
    db.prepare(`INSERT OR IGNORE INTO copies (kind, key, file) SELECT '${table}', key, file FROM ${table} WHERE key IN (
      SELECT own.key FROM ${table} own JOIN ${table} other ON other.key = own.key AND other.file <> own.file
      WHERE own.file = ?)`),
  );
  return {
    write(file, { messages, calls, turns }) {
      const { first, last } = timeRange([messages, calls, turns].flatMap((rows) => rows.map(({ time }) => time)));
      const spans = [
        packMessages(gatherMessages(messages)),
        packCalls(gatherCalls(calls)),
        packTurns(gatherTurns(turns)),
      ];
      insert.run(file, first, last, ...spans);
      for (const statement of noteCopies) statement.run(file);
    },
  };
}

function timeRange(times: readonly (number | null)[]): { first: number | undefined; last: number | undefined } {
  let [first, last]: (number | undefined)[] = [];
  for (const time of times) {
    if (time === null) continue;
    if (first === undefined || time < first) first = time;
    if (last === undefined || time > last) last = time;
  }
  return { first, last };
}
