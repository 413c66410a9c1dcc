export { UserError, type UserErrorCode } from "./errors.js";
export type { ApiBlock, ApiMessage } from "./format/api-message.js";
export { type Appender, type AppenderOptions, openAppender } from "./format/append.js";
export type { ContentBlock, ToolCallBlock, ToolResultBlock } from "./format/content-block.js";
export {
  type Cursor,
  type Follower,
  type FollowOptions,
  type FollowResult,
  openFollower,
} from "./format/follow-file.js";
export type { LogRecord, UserRecord } from "./format/record.js";
export { parseRecords, type ReadOptions, readRecords } from "./format/record-reader.js";
export { projectSlug } from "./format/slug.js";
export { listSessions, type SessionList } from "./library/list-sessions.js";
export type { LoadOptions } from "./library/load-session.js";
export { parseTranscript, type TranscriptSource } from "./library/parse-transcript.js";
export { search } from "./library/search.js";
export type { SearchHit } from "./library/search-hit.js";
export type { SessionFilter } from "./library/session-filter.js";
export type { SessionSummary } from "./library/session-summary.js";
export { createRedactor, type Redactor, type RedactorOptions } from "./redact/create-redactor.js";
export type { RedactionReport } from "./redact/redaction-report.js";
export { type Replay, type ReplayOptions, toApiMessages } from "./session/api-replay.js";
export { assembleMessages, type Message } from "./session/assemble-messages.js";
export type { FollowUp, Local, Preamble, Turn } from "./session/build-turn.js";
export { classifyInput, type InputClass } from "./session/classify-prompt.js";
export type { Compaction } from "./session/compactions.js";
export { costOf, type Price, type PriceTable } from "./session/cost.js";
export type { Session, SessionHeader } from "./session/describe-session.js";
export { type EventSource, type SessionEvent, toEvents } from "./session/events.js";
export { type GroupedTurns, groupTurns } from "./session/group-turns.js";
export { labelRound, type Round, type RoundInput } from "./session/label-round.js";
export type { Notice } from "./session/list-notices.js";
export { type OpenSession, openSession, type Snapshot } from "./session/open-session.js";
export type { Outline, OutlineOptions, Totals } from "./session/outline.js";
export { type CallNotification, type PairedCalls, pairToolCalls, type ToolCall } from "./session/pair-tool-calls.js";
export type { ReplayItem, ReplayKind, ReplayReport } from "./session/replay-report.js";
export type { Usage } from "./session/usage.js";
export { type VerifyReport, verifySession } from "./session/verify.js";
