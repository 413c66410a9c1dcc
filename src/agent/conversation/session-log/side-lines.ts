import type { JsonObject } from "../../../format/json.js";

/** Records beside the conversation, without uuid and parent. */

export function queueLine(
  sessionId: string,
  operation: "enqueue" | "dequeue" | "remove",
  time: string,
  content?: string,
): JsonObject {
  return {
    type: "queue-operation",
    operation,
    timestamp: time,
    sessionId,
    ...(content === undefined ? {} : { content }),
  };
}

export function lastPromptLine(sessionId: string, lastPrompt: string, leafUuid: string): JsonObject {
  return { type: "last-prompt", lastPrompt, leafUuid, sessionId };
}

export function permissionModeLine(sessionId: string, permissionMode: string): JsonObject {
  return { type: "permission-mode", permissionMode, sessionId };
}

export function toolsUsedLine(sessionId: string, tools: readonly string[]): JsonObject {
  return { type: "tools-used", tools, sessionId };
}

export function customTitleLine(sessionId: string, customTitle: string): JsonObject {
  return { type: "custom-title", customTitle, sessionId };
}

export function aiTitleLine(sessionId: string, aiTitle: string): JsonObject {
  return { type: "ai-title", aiTitle, sessionId };
}

/** The title of the conversation that ends at a record. */
export function summaryLine(summary: string, leafUuid: string): JsonObject {
  return { type: "summary", summary, leafUuid };
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly repository: string;
}

export function prLinkLine(sessionId: string, { number, url, repository }: PullRequest, time: string): JsonObject {
  return { type: "pr-link", sessionId, prNumber: number, prUrl: url, prRepository: repository, timestamp: time };
}

/** The backup of a file before a change; `backupFileName` is null if the file did not exist. */
export interface Backup {
  readonly backupFileName: string | null;
  readonly version: number;
  readonly backupTime?: string;
  readonly realParentDir?: string;
}

export function snapshotLine(
  messageId: string,
  snapshot: { readonly of: string; readonly time: string; readonly backups: Readonly<Record<string, Backup>> },
  isUpdate: boolean,
): JsonObject {
  return {
    type: "file-history-snapshot",
    messageId,
    snapshot: { messageId: snapshot.of, trackedFileBackups: snapshot.backups, timestamp: snapshot.time },
    isSnapshotUpdate: isUpdate,
  };
}

export function snapshotDeltaLine(
  messageId: string,
  snapshotOf: string,
  trackingPath: string,
  backup: Backup,
): JsonObject {
  return {
    type: "file-history-delta",
    messageId,
    snapshotMessageId: snapshotOf,
    trackingPath,
    backup,
    timestamp: backup.backupTime ?? null,
  };
}
