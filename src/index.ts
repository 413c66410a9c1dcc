export { UserError, type UserErrorCode } from "./errors.js";
export type { ApiBlock, ApiMessage } from "./format/api-message.js";
export type { LogRecord } from "./format/record.js";
export { parseRecords, readRecordStream, readRecords } from "./format/record-reader.js";
export { type Replay, type ReplayOptions, replayOutline, toApiMessages } from "./session/api-replay.js";
export { openSession } from "./session/open-session.js";
export type { ReplayItem, ReplayKind, ReplayReport } from "./session/replay-report.js";
export { selectReplay } from "./session/select-replay.js";
