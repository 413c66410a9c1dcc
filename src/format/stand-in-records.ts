import { missingResult } from "./api-message.js";
import type { JsonObject } from "./json.js";

/** Where a record stands that takes the place of a lost one. */
export interface StandIn {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly time: number; // ms since the epoch
  readonly cwd: string | null;
}

/** The client version whose layout new records follow. */
const LAYOUT_VERSION = "2.1.325";

/** A record that says of a call that nobody knows how it ended. */
export function interruptedResult(callId: string, place: StandIn): JsonObject {
  return { ...inputRecord([missingResult(callId)], place), toolDenialKind: "interrupted" };
}

/** A record for the API, which wants a conversation to begin with a person's words, to stand before an answer. */
export function lostBeginning(place: StandIn): JsonObject {
  const text = "[The beginning of this conversation is lost.]";
  return { ...inputRecord([{ type: "text", text }], place), isMeta: true };
}

function inputRecord(content: unknown, { uuid, parentUuid, sessionId, time, cwd }: StandIn): JsonObject {
  return {
    parentUuid,
    isSidechain: false,
    userType: "external",
    ...(cwd === null ? {} : { cwd }),
    sessionId,
    version: LAYOUT_VERSION,
    entrypoint: "turnlog",
    type: "user",
    message: { role: "user", content },
    uuid,
    timestamp: new Date(time).toISOString(),
    recordedBy: { name: "turnlog" },
  };
}
