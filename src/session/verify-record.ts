import { wrongTypes } from "../format/field-types.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../format/record.js";
import { isKnownType } from "../format/record-types.js";
import type { ProblemLog } from "./problem-log.js";

/** What is wrong with a record by itself; `ownId` is the session's id, where its file's name tells it. */
export function checkRecord(record: LogRecord, ownId: string | undefined, log: ProblemLog): void {
  if (record.kind === "broken") {
    log.add(record.isTruncatedTail ? "truncated-last-line" : "broken-line", record.line, record.reason);
    return;
  }
  if (!isKnownType(record.type)) log.addOnce("unknown-type", record.line, record.type);
  if (ownId !== undefined && record.sessionId !== undefined && record.sessionId !== ownId) {
    log.addOnce("session-id-differs", record.line, record.sessionId);
  }
  const preserved = record.kind === "system" ? record.compaction?.preserved : undefined;
  if (preserved) log.add("preserved-records", record.line, preserved.uuids.length || "some");
  if (record.kind === "user" || record.kind === "assistant") checkMessageRecord(record, log);
}

function checkMessageRecord(record: UserRecord | AssistantRecord, log: ProblemLog): void {
  const { line, timestamp } = record;
  for (const { field, expected, found } of wrongTypes(record.raw)) {
    log.add("wrong-type", line, `${field} should be ${expected} and is ${found}`);
  }
  if (record.uuid === undefined) log.add("missing-uuid", line);
  if (record.parentUuid === undefined) log.add("missing-parent-field", line);
  if (record.sessionId === undefined) log.add("missing-session-id", line);
  if (timestamp === undefined) log.add("missing-timestamp", line);
  else if (Number.isNaN(Date.parse(timestamp))) log.add("invalid-timestamp", line, timestamp);
  if (record.kind === "assistant" && record.messageId === undefined) log.add("missing-message-id", line);
}
