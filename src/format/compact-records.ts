import { type JsonObject, objectAt } from "./json.js";

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
  /** A record of the same session: working directory, client version and the like. */
  readonly neighbour: JsonObject;
}

const SHARED_FIELDS = ["userType", "cwd", "version", "gitBranch", "slug"];

/** Where clients start reading, and what they read there instead of what stood before. Times have to grow. */
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

/** A title in the form that older clients wrote, for the conversation that ends at a record. */
export function summaryTitleRecord(summary: string, leafUuid: string): JsonObject {
  return { type: "summary", summary, leafUuid };
}

/** An answer that says something else. */
export function withAnswerText(answer: JsonObject, text: string): JsonObject {
  const message = objectAt(answer, "message");
  return { ...answer, message: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" } };
}
