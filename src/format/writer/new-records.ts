import { type JsonObject, objectAt } from "../json.js";
import { missingResult } from "../record/api-message.js";

/** A compaction to be written. */
export interface NewCompaction {
  readonly session: string;
  readonly boundaryUuid: string;
  readonly summaryUuid: string;
  /** Of the record that follows, ms since the epoch. */
  readonly nextTime: number;
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** A record of the same session: working directory, version and the like. */
  readonly neighbour: JsonObject;
}

const SHARED_FIELDS = ["userType", "cwd", "version", "gitBranch", "slug"];

/** The boundary where Claude Code starts reading, and the summary that it reads instead of the records before. Times must increase. */
export function compactionRecords(compaction: NewCompaction): readonly JsonObject[] {
  const { session, boundaryUuid, summaryUuid, nextTime, summary, neighbour } = compaction;
  const shared = {
    isSidechain: false,
    ...Object.fromEntries(
      SHARED_FIELDS.filter((key) => Object.hasOwn(neighbour, key)).map((key) => [key, neighbour[key]]),
    ),
    entrypoint: "turnlog",
    recordedBy: { name: "turnlog" },
    sessionId: session,
  };
  return [
    {
      parentUuid: null,
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      level: "info",
      isMeta: false,
      compactMetadata: { trigger: "manual", preTokens: compaction.tokensBefore, postTokens: compaction.tokensAfter },
      uuid: boundaryUuid,
      timestamp: new Date(nextTime - 2).toISOString(),
      ...shared,
    },
    {
      parentUuid: boundaryUuid,
      type: "user",
      message: { role: "user", content: summary },
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      uuid: summaryUuid,
      timestamp: new Date(nextTime - 1).toISOString(),
      ...shared,
    },
  ];
}

/** A title in the form of older versions, for the conversation that ends at a record. */
export function summaryTitleRecord(summary: string, leafUuid: string): JsonObject {
  return { type: "summary", summary, leafUuid };
}

/** An answer with another text. */
export function withAnswerText(answer: JsonObject, text: string): JsonObject {
  const message = objectAt(answer, "message");
  return { ...answer, message: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" } };
}

/** Where a record goes that replaces a lost one. */
export interface PlaceholderRecord {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly time: number; // ms since the epoch
  readonly cwd: string | null;
}

/** The version of Claude Code whose layout new records follow. */
const LAYOUT_VERSION = "2.1.325";

/** The result of a call whose outcome is unknown. */
export function interruptedResultRecord(callId: string, place: PlaceholderRecord): JsonObject {
  return { ...inputRecord([missingResult(callId)], place), toolDenialKind: "interrupted" };
}

/** A first prompt: the API requires that a conversation starts with a user message. */
export function lostBeginningRecord(place: PlaceholderRecord): JsonObject {
  const text = "[The beginning of this conversation is lost.]";
  return { ...inputRecord([{ type: "text", text }], place), isMeta: true };
}

/** The first prompt of a new session. */
export function promptRecord(text: string, place: PlaceholderRecord): JsonObject {
  return inputRecord(text, place);
}

function inputRecord(content: unknown, place: PlaceholderRecord): JsonObject {
  return placed({ type: "user", message: { role: "user", content } }, place);
}

/** A line that Claude Code shows and does not send. */
export function noticeRecord(content: string, place: PlaceholderRecord): JsonObject {
  return placed({ type: "system", subtype: "informational", content, level: "info", isMeta: false }, place);
}

function placed(record: JsonObject, { uuid, parentUuid, sessionId, time, cwd }: PlaceholderRecord): JsonObject {
  return {
    parentUuid,
    isSidechain: false,
    userType: "external",
    ...(cwd === null ? {} : { cwd }),
    sessionId,
    version: LAYOUT_VERSION,
    entrypoint: "turnlog",
    ...record,
    uuid,
    timestamp: new Date(time).toISOString(),
    recordedBy: { name: "turnlog" },
  };
}

/** A title as a person gives it; the last one in a file counts. */
export function titleRecord(customTitle: string, sessionId: string): object {
  return { type: "custom-title", customTitle, sessionId };
}

/** Says where the conversation ends (read since 2.1.120); explicit: exactly there, whatever is below it (2.1.301). */
export function leafRecord(leafUuid: string, sessionId: string, isExplicit = false): object {
  return { type: "last-prompt", leafUuid, ...(isExplicit ? { explicit: true } : {}), sessionId };
}
