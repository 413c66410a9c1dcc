import { asString, isObject, isTrueAt, objectAt, stringAt, valueAt } from "./json.js";
import type { LogRecord } from "./record.js";

/** A file as the client kept it, so that it can be rewound to. */
export interface FileBackup {
  readonly path: string; // relative to the session's folder, or absolute
  /** The name of the copy; null: there was no file. */
  readonly copy: string | null;
  readonly time: string | null;
  /** The message before whose work it was taken. */
  readonly messageId: string | null;
  /** Taken when a prompt was sent, not before an edit. */
  readonly isAtPrompt: boolean;
}

/** What a snapshot or delta record tells; the record must be whole. */
export function toFileBackups(record: LogRecord): FileBackup[] {
  if (!isFileHistory(record)) return [];
  const { raw } = record;
  const messageId = stringAt(raw, "messageId") ?? null;
  if (record.type === "file-history-delta") {
    const path = stringAt(raw, "trackingPath");
    return path === undefined ? [] : toBackup(path, valueAt(raw, "backup"), { messageId, isAtPrompt: false });
  }
  const isAtPrompt = !isTrueAt(raw, "isSnapshotUpdate");
  const tracked = objectAt(raw, "snapshot", "trackedFileBackups") ?? {};
  return Object.entries(tracked).flatMap(([path, backup]) => toBackup(path, backup, { messageId, isAtPrompt }));
}

export function isFileHistory(record: LogRecord): record is Extract<LogRecord, { kind: "side" }> {
  return record.kind === "side" && record.type.startsWith("file-history-");
}

function toBackup(path: string, backup: unknown, told: Pick<FileBackup, "messageId" | "isAtPrompt">): FileBackup[] {
  if (!isObject(backup)) return [];
  const copy = backup["backupFileName"];
  if (copy !== null && typeof copy !== "string") return [];
  return [{ path, copy, time: asString(backup["backupTime"]) ?? null, ...told }];
}
