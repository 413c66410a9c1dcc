import { createRedactor } from "../../redact/create-redactor.js";
import type { SessionHeader } from "../../session/describe-session.js";
import type { Outline } from "../../session/outline.js";
import type { Database } from "../../store/sqlite.js";
import { createChangeCounter } from "./kept-answers.js";
import { keyHash } from "./key-hash.js";
import { type CallRow, listCalls, listMessages, listTurns, type MessageRow, type TurnRow } from "./number-rows.js";
import { packSummary } from "./summary-text.js";
import { encodeTurnLines, encodeTurnStarts } from "./turn-lines.js";
import { createLedgerWriter } from "./write-ledger.js";
import { createRowWriter, type KeyedRow } from "./write-rows.js";

export interface NumberWriter {
  /** Replaces all that the index counts of a file. */
  write(file: number, outline: Outline, header: SessionHeader, isAgent: boolean): void;
  removeFile(file: number): void;
  titleOf(file: number): string | undefined;
}

const ROW_TABLES = ["messages", "calls", "turns"] as const;
const OTHER_TABLES = ["launches", "ledgers", "copies", "sessions"] as const;

export function createNumberWriter(db: Database): NumberWriter {
  const removalFrom = (table: string) => db.prepare(`DELETE FROM ${table} WHERE file = ?`);
  const rowRemovals = ROW_TABLES.map(removalFrom);
  const otherRemovals = OTHER_TABLES.map(removalFrom);
  const selectTitle = db.prepare<{ title: string }>("SELECT title FROM sessions WHERE file = ?");
  const insertSession = db.prepare(insertInto("sessions", 8));
  const messageRows = createRowWriter(db, "messages", MESSAGE_COLUMNS);
  const callRows = createRowWriter(db, "calls", CALL_COLUMNS);
  const turnRows = createRowWriter(db, "turns", TURN_COLUMNS);
  const insertLaunch = db.prepare(insertInto("launches", 3));
  const ledger = createLedgerWriter(db);
  const countChange = createChangeCounter(db);
  const mask = createRedactor({ level: "mask" }).text;

  function writeSession(file: number, outline: Outline, header: SessionHeader): void {
    const { endedAt, project, title } = header;
    const lines = [encodeTurnLines(outline.turns), encodeTurnStarts(outline.turns)] as const;
    insertSession.run(file, endedAt, project, title, mask(title) !== title, packSummary(outline, header), ...lines);
  }

  return {
    write(file, outline, header, isAgent) {
      for (const removal of otherRemovals) removal.run(file);
      const messages = listMessages(outline);
      const calls = listCalls(outline);
      const turns = isAgent ? [] : listTurns(outline);
      messageRows.write(file, messages.map(messageRow));
      callRows.write(file, calls.map(callRow));
      turnRows.write(file, turns.map(turnRow));
      ledger.write(file, { messages, calls, turns });
      for (const [agentId, call] of outline.tasks) insertLaunch.run(file, agentId, keyHash(call));
      if (!isAgent) writeSession(file, outline, header);
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
  ...["output_known", "is_copied"],
];

function messageRow({ key, time, model, speed, gitBranch, usage, isOutputKnown, isCopied }: MessageRow): KeyedRow {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  const counters = [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
  return [key, time, model, speed, gitBranch, ...counters, Number(isOutputKnown), Number(isCopied)];
}

const CALL_COLUMNS = ["name", "time", "duration", "status", "is_error", "line", "is_copied"];

function callRow({ key, tool, time, durationMs, status, isError, line, isCopied }: CallRow): KeyedRow {
  return [key, tool, time, durationMs, status, Number(isError), line, Number(isCopied)];
}

const TURN_COLUMNS = ["number", "time", "ended", "git_branch", "is_copied"];

function turnRow({ key, number, time, ended, gitBranch, isCopied }: TurnRow): KeyedRow {
  return [key, number, time, ended, gitBranch, Number(isCopied)];
}
