import { sessionPaths } from "../format/layout.js";
import type { LogRecord } from "../format/record.js";
import { parseRecords, readRecordStream, readRecords } from "../format/record-reader.js";
import { describeSession, type Session } from "../session/describe-session.js";

/** Where a transcript comes from: a file, a text in memory, or any stream of bytes. */
export type TranscriptSource =
  | { readonly path: string }
  | { readonly text: string | Uint8Array }
  | { readonly stream: AsyncIterable<Uint8Array | string> };

/** A whole session, understood, in memory. For files of hundreds of megabytes take `loadSession` of `turnlog/library`. */
export async function parseTranscript(source: TranscriptSource): Promise<Session> {
  const path = "path" in source ? source.path : null;
  const records = await readAll(source);
  return describeSession(records, { id: path === null ? namedId(records) : sessionPaths(path).id, path });
}

/** Without a file name, the session that the records themselves name. */
function namedId(records: readonly LogRecord[]): string {
  const named = records.find((record) => record.kind !== "broken" && record.sessionId !== undefined);
  return named && named.kind !== "broken" ? (named.sessionId ?? "") : "";
}

async function readAll(source: TranscriptSource): Promise<LogRecord[]> {
  if ("path" in source) return [...readRecords(source.path)];
  if ("text" in source) return parseRecords(source.text);
  const records: LogRecord[] = [];
  for await (const record of readRecordStream(source.stream)) records.push(record);
  return records;
}
