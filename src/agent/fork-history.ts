import { isObject } from "../format/json.js";
import { sessionPaths } from "../format/layout.js";
import { readRecordsAt } from "../format/record-reader.js";
import { loadSession } from "../library/load-session.js";
import { bodyPlace } from "../session/node.js";
import { atomicWriteChunks } from "../store/atomic-write.js";
import { branchAt } from "./branch-at.js";

/** Copies the conversation of a session into a new file, as the client's own forks do: same uuids, new session id. */
export async function forkHistory(from: string, to: string, at?: string): Promise<void> {
  const session = loadSession(from);
  const { outline } = at === undefined ? session : branchAt(session, at);
  const source = sessionPaths(from).id;
  const { id } = sessionPaths(to);
  function* lines(): Generator<string> {
    for (const record of readRecordsAt(from, outline.active.map(bodyPlace))) {
      if (record.kind === "broken" || !isObject(record.raw) || record.kind === "progress") continue;
      const uuid = record.raw["uuid"];
      const forkedFrom = { sessionId: source, messageUuid: uuid };
      yield `${JSON.stringify({ ...record.raw, sessionId: id, forkedFrom })}\n`;
    }
  }
  await atomicWriteChunks(to, lines(), { overwrite: false });
}
