export { UserError, type UserErrorCode } from "./errors.js";
export {
  type Cursor,
  type Follower,
  type FollowOptions,
  type FollowResult,
  openFollower,
} from "./format/identity/follow-file.js";
export { projectSlug } from "./format/layout/session-paths.js";
export { parseRecords, type ReadOptions, readRecords } from "./format/reader/record-reader.js";
export type { ApiBlock, ApiMessage } from "./format/record/api-message.js";
export type { ContentBlock, ToolCallBlock, ToolResultBlock } from "./format/record/content-block.js";
export type { LogRecord, UserRecord } from "./format/record/record.js";
export { type Appender, type AppenderOptions, openAppender } from "./format/writer/append.js";
export { listSessions, type SessionList } from "./library/catalog/list-sessions.js";
export type { LoadOptions } from "./library/load/load-session.js";
export { parseTranscript, type TranscriptSource } from "./library/load/load-session.js";
export type { SessionFilter, SessionSummary } from "./library/load/session-summary.js";
export { search } from "./library/search/scan-search.js";
export type { SearchHit } from "./library/search/search-hit.js";
export { createRedactor, type Redactor, type RedactorOptions } from "./redact/create-redactor.js";
export type { RedactionReport } from "./redact/tally.js";
export type { Session, SessionHeader } from "./session/describe-session.js";
export { type GroupedTurns, groupTurns } from "./session/describe-session.js";
export { costOf, type Price, type PriceTable } from "./session/messages/cost.js";
export { assembleMessages, type Message } from "./session/messages/message.js";
export type { Usage } from "./session/messages/usage.js";
export type { Outline, OutlineOptions } from "./session/open-session.js";
export { type OpenSession, openSession, type Snapshot } from "./session/open-session.js";
export { classifyInput, type InputClass } from "./session/prompts/classify-input.js";
export { type Replay, type ReplayOptions, toApiMessages } from "./session/replay/api-replay.js";
export type { ReplayItem, ReplayKind, ReplayReport } from "./session/replay/replay-report.js";
export type { Totals } from "./session/totals.js";
export type { FollowUp, Local, Preamble, Turn } from "./session/turns/build-turn.js";
export type { Compaction } from "./session/turns/compactions.js";
export type { Notice } from "./session/turns/notices.js";
export { labelRound, type Round, type RoundInput } from "./session/turns/outline-turns.js";
export { type EventSource, type SessionEvent, toEvents } from "./session/turns/session-events.js";
export { type CallNotification, type PairedCalls, pairToolCalls, type ToolCall } from "./session/turns/tool-calls.js";
export { type VerifyReport, verifySession } from "./session/verify/verify-session.js";
