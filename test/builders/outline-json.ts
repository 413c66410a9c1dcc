import type { LogRecord } from "../../src/format/record/record.js";
import { type Outline, openSession } from "../../src/session/open-session.js";

/** An outline as plain JSON, so that two can be compared. */
export function outlineJson(records: Iterable<LogRecord>): unknown {
  const session = openSession();
  for (const record of records) session.push(record);
  return toJson(session.view());
}

export function toJson(outline: Outline): unknown {
  return JSON.parse(JSON.stringify(outline, (_, value) => (value instanceof Map ? [...value] : value)));
}
