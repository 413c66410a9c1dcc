import { createRedactor } from "../../redact/create-redactor.js";
import type { SessionHeader } from "../../session/describe-session.js";
import type { Outline } from "../../session/open-session.js";
import { PARTS } from "../../session/session-spend.js";
import type { Database } from "../../store/sqlite.js";
import { createChangeCounter } from "./cached-answers.js";
import { gatherCalls, gatherMessages, gatherTurns, packCalls, packMessages, packTurns } from "./ledger.js";
import {
  type CallRow,
  keyHash,
  listCalls,
  listMessages,
  listTurns,
  type MessageRow,
  type TurnRow,
} from "./number-rows.js";
import { packSpent, packSummary } from "./summary-cells.js";
import { encodeTurnLines, encodeTurnStarts } from "./turn-lines.js";

export interface NumberWriter {
  /** Replaces all numbers of a file. */
  write(file: number, outline: Outline, header: SessionHeader, isAgent: boolean): void;
  removeFile(file: number): void;
  titleOf(file: number): string | undefined;
}

const ROW_TABLES = ["messages", "calls", "turns"] as const;
const OTHER_TABLES = ["launches", "ledgers", "copies", "sessions", "agents"] as const;

export function createNumberWriter(db: Database): NumberWriter {
  const removalFrom = (table: string) => db.prepare(`DELETE FROM ${table} WHERE file = ?`);
  const rowRemovals = ROW_TABLES.map(removalFrom);
  const otherRemovals = OTHER_TABLES.map(removalFrom);
  const selectTitle = db.prepare<{ title: string }>("SELECT title FROM sessions WHERE file = ?");
  const insertSession = db.prepare(insertInto("sessions", 9));
  const messageRows = createRowWriter(db, "messages", MESSAGE_COLUMNS);
  const callRows = createRowWriter(db, "calls", CALL_COLUMNS);
  const turnRows = createRowWriter(db, "turns", TURN_COLUMNS);
  const insertAgent = db.prepare(insertInto("agents", 2));
  const insertLaunch = db.prepare(insertInto("launches", 3));
  const ledger = createLedgerWriter(db);
  const countChange = createChangeCounter(db);
  const mask = createRedactor({ level: "mask" }).text;

  function writeSession(file: number, outline: Outline, header: SessionHeader): void {
    const { endedAt, project, title } = header;
    const lines = [encodeTurnLines(outline.turns), encodeTurnStarts(outline.turns)] as const;
    const summary = packSummary(outline, header);
    const relations = JSON.stringify(outline.facts.relations);
    insertSession.run(file, endedAt, project, title, mask(title) !== title, summary, ...lines, relations);
  }

  return {
    write(file, outline, header, isAgent) {
      for (const removal of otherRemovals) removal.run(file);
      const messages = listMessages(outline, isAgent);
      const calls = listCalls(outline);
      const turns = listTurns(outline, isAgent);
      messageRows.write(file, messages.map(messageRow));
      callRows.write(file, calls.map(callRow));
      turnRows.write(file, turns.map(turnRow));
      ledger.write(file, { messages, calls, turns });
      for (const [agentId, call] of outline.tasks) insertLaunch.run(file, agentId, keyHash(call));
      if (isAgent) insertAgent.run(file, packSpent(outline));
      else writeSession(file, outline, header);
      countChange();
    },
    removeFile(file) {
      for (const removal of [...rowRemovals, ...otherRemovals]) removal.run(file);
      countChange();
    },
    titleOf: (file) => selectTitle.get(file)?.title,
  };
}

function insertInto(table: string, columns: number): string {
  return `INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(",")})`;
}

const MESSAGE_COLUMNS = [
  ...["time", "model", "speed", "git_branch"],
  ...["input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "web_searches", "web_fetches"],
  ...["output_known", "is_copied", "part", "turn"],
];

function messageRow(row: MessageRow): KeyedRow {
  const { key, time, model, speed, gitBranch, part, turn, usage, isOutputKnown, isCopied } = row;
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  const counters = [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
  return [
    key,
    time,
    model,
    speed,
    gitBranch,
    ...counters,
    Number(isOutputKnown),
    Number(isCopied),
    PARTS.indexOf(part),
    turn,
  ];
}

const CALL_COLUMNS = ["name", "time", "duration", "status", "is_error", "line", "is_copied"];

function callRow({ key, tool, time, durationMs, status, isError, line, isCopied }: CallRow): KeyedRow {
  return [key, tool, time, durationMs, status, Number(isError), line, Number(isCopied)];
}

const TURN_COLUMNS = ["number", "time", "ended", "git_branch", "api_errors", "is_copied"];

function turnRow({ key, number, time, ended, gitBranch, apiErrors, isCopied }: TurnRow): KeyedRow {
  return [key, number, time, ended, gitBranch, apiErrors, Number(isCopied)];
}

type Cell = string | number | null;
/** The key, then the columns in their order. */
type KeyedRow = readonly [key: bigint, ...cells: Cell[]];

interface RowWriter {
  /** All rows of a file. */
  write(file: number, rows: readonly KeyedRow[]): void;
}

/** Writes only the rows of a file that changed: writing a row takes ten times as long as comparing it. */
function createRowWriter(db: Database, table: string, columns: readonly string[]): RowWriter {
  const select = db.prepare<{ rows: string | null }>(
    `SELECT group_concat(json_array(CAST(key AS TEXT), ${columns})) AS rows FROM ${table} WHERE file = ?`,
  );
  const places = Array(columns.length + 2).fill("?");
  const insert = db.prepare(`INSERT OR REPLACE INTO ${table} (key, file, ${columns}) VALUES (${places})`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE key = ? AND file = ?`);

  function readKnown(file: number): Map<string, readonly Cell[]> {
    const rows = JSON.parse(`[${select.get(file)?.rows ?? ""}]`) as [string, ...Cell[]][];
    return new Map(rows.map(([key, ...cells]) => [key, cells]));
  }

  return {
    write(file, rows) {
      const known = readKnown(file);
      for (const [key, ...cells] of rows) {
        const before = known.get(String(key));
        known.delete(String(key));
        if (!before || cells.some((cell, at) => cell !== before[at])) insert.run(key, file, ...cells);
      }
      for (const key of known.keys()) remove.run(BigInt(key), file);
    },
  };
}

interface NumberRows {
  readonly messages: readonly MessageRow[];
  readonly calls: readonly CallRow[];
  readonly turns: readonly TurnRow[];
}

interface LedgerWriter {
  /** After the rows themselves were written. */
  write(file: number, rows: NumberRows): void;
}

function createLedgerWriter(db: Database): LedgerWriter {
  const insert = db.prepare("INSERT INTO ledgers VALUES (?,?,?,?,?,?)");
  const noteCopies = ROW_TABLES.map((table) =>
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
