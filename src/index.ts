export { UserError, type UserErrorCode } from "./errors.js";
export type { LogRecord } from "./format/record.js";
export { parseRecords, readRecordStream, readRecords } from "./format/record-reader.js";
export { openSession } from "./session/open-session.js";
