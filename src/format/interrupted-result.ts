import { missingResult } from "./api-message.js";
import type { JsonObject } from "./json.js";

export interface InterruptedCall {
  readonly id: string;
  readonly uuid: string; // of the new record
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly time: number; // ms since the epoch
  readonly cwd: string | null;
}

/** The client version whose layout new records follow. */
const LAYOUT_VERSION = "2.1.325";

/** A record that says of a call that nobody knows how it ended. */
export function interruptedResult({ id, uuid, parentUuid, sessionId, time, cwd }: InterruptedCall): JsonObject {
  return {
    parentUuid,
    isSidechain: false,
    userType: "external",
    ...(cwd === null ? {} : { cwd }),
    sessionId,
    version: LAYOUT_VERSION,
    entrypoint: "turnlog",
    type: "user",
    message: { role: "user", content: [missingResult(id)] },
    uuid,
    timestamp: new Date(time).toISOString(),
    toolDenialKind: "interrupted",
    recordedBy: { name: "turnlog" },
  };
}
