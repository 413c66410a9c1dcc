import { statSync } from "node:fs";
import { stringAt } from "./json.js";
import { sessionPaths, transcriptOf } from "./layout.js";
import { readRecords } from "./record-reader.js";

const HEAD_RECORDS = 64;

/**
 * The sessions beside this one that it continues or copies, as its first records tell: a foreign session id, the origin of
 * a fork, or the id under which the client's process began (2.1.325 keeps it after `/clear`).
 */
export function findEarlierSessions(sessionFile: string): string[] {
  const { id: own, projectDir } = sessionPaths(sessionFile);
  const ids = new Set<string>();
  let seen = 0;
  for (const record of readRecords(sessionFile, { abridge: true })) {
    if (record.kind === "broken") continue;
    for (const id of [record.sessionId, record.forkedFrom?.sessionId, stringAt(record.raw, "session_id")]) {
      if (id !== undefined && id !== own) ids.add(id);
    }
    if (++seen >= HEAD_RECORDS) break;
  }
  return [...ids].map((id) => transcriptOf(projectDir, id)).filter((path) => statSync(path, { throwIfNoEntry: false }));
}
