import { createRedactor } from "../../redact/create-redactor.js";
import type { SessionHeader } from "../../session/describe-session.js";
import type { Outline } from "../../session/outline.js";
import type { Usage } from "../../session/usage.js";
import type { Database } from "../../store/sqlite.js";
import { keyHash } from "./key-hash.js";
import { type CallRow, listCalls, listMessages, listTurns, type MessageRow, type TurnRow } from "./number-rows.js";
import { packSummary } from "./summary-text.js";
import { encodeTurnLines, encodeTurnStarts } from "./turn-lines.js";
import { createLedgerWriter } from "./write-ledger.js";

export interface NumberWriter {
  /** Replaces all that the index counts of a file. */
  write(file: number, outline: Outline, header: SessionHeader, isAgent: boolean): void;
  removeFile(file: number): void;
  titleOf(file: number): string | undefined;
}

const TABLES = ["messages", "calls", "turns", "launches", "ledgers", "copies"] as const;

export function createNumberWriter(db: Database): NumberWriter {
  const removals = TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE file = ?`));
  const removeSession = db.prepare("DELETE FROM sessions WHERE file = ?");
  const selectTitle = db.prepare<{ title: string }>("SELECT title FROM sessions WHERE file = ?");
  const insertSession = db.prepare(insertInto("sessions", 7));
  const insertMessage = db.prepare(insertInto("messages", 15));
  const insertCall = db.prepare(insertInto("calls", 9));
  const insertTurn = db.prepare(insertInto("turns", 7));
  const insertLaunch = db.prepare(insertInto("launches", 3));
  const ledger = createLedgerWriter(db);
  const mask = createRedactor({ level: "mask" }).text;

  function removeFile(file: number): void {
    for (const removal of removals) removal.run(file);
    removeSession.run(file);
  }

  function writeMessage(file: number, row: MessageRow): void {
    const { key, time, model, speed, gitBranch, usage, isOutputKnown, isCopied } = row;
    insertMessage.run(key, file, time, model, speed, gitBranch, ...usageColumns(usage), isOutputKnown, isCopied);
  }

  function writeCall(file: number, { key, tool, time, durationMs, status, isError, line, isCopied }: CallRow): void {
    insertCall.run(key, file, tool, time, durationMs, status, isError, line, isCopied);
  }

  function writeTurn(file: number, { key, number, time, ended, gitBranch, isCopied }: TurnRow): void {
    insertTurn.run(key, file, number, time, ended, gitBranch, isCopied);
  }

  function writeSession(file: number, outline: Outline, header: SessionHeader): void {
    const { project, title } = header;
    const lines = [encodeTurnLines(outline.turns), encodeTurnStarts(outline.turns)] as const;
    insertSession.run(file, project, title, mask(title) !== title, packSummary(outline, header), ...lines);
  }

  return {
    write(file, outline, header, isAgent) {
      removeFile(file);
      const messages = listMessages(outline);
      const calls = listCalls(outline);
      const turns = isAgent ? [] : listTurns(outline);
      for (const row of messages) writeMessage(file, row);
      for (const row of calls) writeCall(file, row);
      for (const row of turns) writeTurn(file, row);
      ledger.write(file, { messages, calls, turns });
      for (const [agentId, call] of outline.tasks) insertLaunch.run(file, agentId, keyHash(call));
      if (!isAgent) writeSession(file, outline, header);
    },
    removeFile,
    titleOf: (file) => selectTitle.get(file)?.title,
  };
}

function insertInto(table: string, columns: number): string {
  return `INSERT OR REPLACE INTO ${table} VALUES (${Array(columns).fill("?").join(",")})`;
}

function usageColumns(usage: Usage): number[] {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  return [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
}
