import type { SessionHeader } from "../../session/describe-session.js";
import type { Node } from "../../session/node.js";
import type { Outline, TurnOutline } from "../../session/outline.js";
import { isCountedMessage, isOutputKnown, usageOf } from "../../session/session-message.js";
import { spentByModel } from "../../session/spent-by-model.js";
import type { Usage } from "../../session/usage.js";
import type { Database, SqlInput } from "../../store/sqlite.js";
import { keyHash } from "./key-hash.js";
import { encodeTurnLines } from "./turn-lines.js";

export interface NumberWriter {
  /** Replaces all that the index counts of a file. */
  write(file: number, outline: Outline, header: SessionHeader, isAgent: boolean): void;
  removeFile(file: number): void;
}

const TABLES = ["messages", "calls", "turns", "launches"] as const;

export function createNumberWriter(db: Database): NumberWriter {
  const removals = TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE file = ?`));
  const removeSession = db.prepare("DELETE FROM sessions WHERE file = ?");
  const insertSession = db.prepare(insertInto("sessions", 21));
  const insertMessage = db.prepare(insertInto("messages", 15));
  const insertCall = db.prepare(insertInto("calls", 7));
  const insertTurn = db.prepare(insertInto("turns", 6));
  const insertLaunch = db.prepare(insertInto("launches", 3));

  function removeFile(file: number): void {
    for (const removal of removals) removal.run(file);
    removeSession.run(file);
  }

  function writeMessages(file: number, outline: Outline): void {
    for (const message of outline.messages.values()) {
      if (!isCountedMessage(message)) continue;
      const { key, time, model, speed, gitBranch, isCopied } = message;
      const usage = usageColumns(usageOf(message));
      insertMessage.run(keyHash(key), file, time, model, speed, gitBranch, ...usage, isOutputKnown(message), isCopied);
    }
  }

  function writeCalls(file: number, outline: Outline): void {
    const lines = callLines(outline.active);
    for (const { id, name, startedAt, endedAt, status } of outline.calls.values()) {
      const duration = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
      insertCall.run(keyHash(id), file, name, startedAt, duration, status, lines.get(id) ?? 0);
    }
  }

  function writeTurns(file: number, outline: Outline): void {
    for (const turn of outline.turns) {
      const { start, nodes, index } = turn;
      const ended = nodes.findLast(({ time }) => time !== undefined)?.time;
      insertTurn.run(keyHash(turnKey(turn)), file, index, start.time, ended, branchOf(turn, outline));
    }
  }

  return {
    write(file, outline, header, isAgent) {
      removeFile(file);
      writeMessages(file, outline);
      writeCalls(file, outline);
      for (const [agentId, call] of outline.tasks) insertLaunch.run(file, agentId, keyHash(call));
      if (isAgent) return;
      writeTurns(file, outline);
      insertSession.run(...sessionColumns(file, outline, header));
    },
    removeFile,
  };
}

function insertInto(table: string, columns: number): string {
  return `INSERT OR REPLACE INTO ${table} VALUES (${Array(columns).fill("?").join(",")})`;
}

function usageColumns(usage: Usage): number[] {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches } = usage;
  return [input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches];
}

function sessionColumns(file: number, outline: Outline, header: SessionHeader): SqlInput[] {
  const { totals, calls } = outline;
  return [
    file,
    header.project,
    header.title,
    header.startedAt,
    header.endedAt,
    totals.turns,
    totals.toolCalls,
    totals.toolErrors,
    totals.apiErrors,
    JSON.stringify(header.models),
    JSON.stringify([...new Set([...calls.values()].map(({ name }) => name))]),
    header.gitBranch,
    ...usageColumns(totals.usage),
    JSON.stringify(spentByModel(outline.messages.values())),
    encodeTurnLines(outline.turns),
  ];
}

/** Copies of a turn may have new uuids, but they have the same answer. */
function turnKey({ nodes, start, index }: TurnOutline): string {
  const answer = nodes.find(({ message, role }) => message !== undefined && role === "answer")?.message;
  return answer ?? start.uuid ?? `${index} ${start.time}`;
}

function branchOf({ nodes }: TurnOutline, { messages }: Outline): string | undefined {
  const answered = nodes.find(({ message }) => message !== undefined && messages.get(message)?.gitBranch !== undefined);
  return messages.get(answered?.message ?? "")?.gitBranch;
}

function callLines(active: readonly Node[]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { calls, line } of active) {
    for (const { id } of calls ?? []) if (!lines.has(id)) lines.set(id, line);
  }
  return lines;
}
