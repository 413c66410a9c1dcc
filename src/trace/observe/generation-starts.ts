import type { AssistantRecord, LogRecord } from "../../format/record/record.js";
import type { Message } from "../../session/messages/message.js";
import { toMs } from "./observation.js";

/** When the model began a message, as far as the records tell. */
export type StartOf = (message: Message) => number | null;

/**
 * A record is written when its block ends. The model began after the last thing that it was given: a prompt, a result, a
 * follow-up, the end of a compaction or of a hook. `records` in the order of the file, which is that of delivery: a queued message
 * has the time at which it was typed.
 */
export function findGenerationStarts(records: readonly LogRecord[], startMs: number | null): StartOf {
  const times: number[] = startMs === null ? [] : [startMs];
  const starts = new Map<string, number | null>();
  for (const record of records) {
    if (record.kind === "broken") continue;
    const time = toMs(record.timestamp);
    if (record.kind === "assistant") {
      for (const name of namesOf(record)) {
        if (!starts.has(name)) starts.set(name, time === null ? null : lastUpTo(times, time));
      }
    }
    if (time !== null && mayBeWaitedFor(record)) insert(times, time);
  }
  return ({ id, recordUuids }) => {
    const known = [id, ...recordUuids].find((name) => name !== null && starts.has(name));
    return starts.get(known ?? "") ?? null;
  };
}

function namesOf({ messageId, uuid }: AssistantRecord): string[] {
  return [messageId, uuid].filter((name) => name !== undefined);
}

function mayBeWaitedFor(record: LogRecord): boolean {
  switch (record.kind) {
    case "user":
    case "assistant":
      return true;
    case "attachment":
      return record.attachmentType?.startsWith("async_hook_response") !== true;
    case "system":
      return /(?:compact_boundary|stop_hook_summary)$/.test(record.subtype ?? "");
    default:
      return false;
  }
}

function lastUpTo(times: readonly number[], limit: number): number | null {
  return times.findLast((time) => time <= limit) ?? null;
}

/** Records come nearly in order. */
function insert(times: number[], time: number): void {
  const at = times.findLastIndex((known) => known <= time) + 1;
  if (at === times.length) times.push(time);
  else times.splice(at, 0, time);
}
