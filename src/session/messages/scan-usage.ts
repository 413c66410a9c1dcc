import { scanCutNote, scanUsageLine, type UsageLine } from "../../format/reader/usage-line.js";
import { isOutputRecorded, SYNTHETIC_MODEL } from "./message.js";
import { maxCounters, sumUsage, toUsage, type Usage } from "./usage.js";

/** What one API message spent, however many lines and files repeat it. */
export interface MessageUsage {
  /** Message id, else request id, else uuid; null for a line that has none and is a message of its own. */
  readonly key: string | null;
  readonly model: string | null;
  readonly timestamp: string | null; // of its first line
  readonly speed: string | null;
  readonly isSidechain: boolean;
  /** False where the file holds only the placeholder that is written before the answer is complete, or the network cut it off. */
  readonly outputKnown: boolean;
  readonly usage: Usage;
}

export interface UsageScan {
  /** One line: the bytes in `[start, end)`, without the line feed. The lines of many files may follow each other. */
  add(bytes: Buffer, start: number, end: number): void;
  messages(): MessageUsage[];
  total(): Usage;
}

/** The exact token totals of session files: each API message once, and no line decoded beyond the few bytes it takes. */
export function scanUsage(): UsageScan {
  const byKey = new Map<string, SeenMessage>();
  const withoutKey: SeenMessage[] = [];
  /** The last line without stop details; a note about a cut directly follows the line that it is about. */
  let last: { readonly uuid: string; readonly message: SeenMessage } | undefined;
  const all = () => [...byKey.values(), ...withoutKey];
  return {
    add(bytes, start, end) {
      const line = scanUsageLine(bytes, start, end);
      if (line === undefined) {
        if (last && scanCutNote(bytes, start, end) === last.uuid) last.message.isCut ||= !last.message.hasStopDetails;
        return;
      }
      if (line.isMeta || line.model === SYNTHETIC_MODEL) return;
      const seen = line.key === null ? undefined : byKey.get(line.key);
      const message = seen ?? { ...line, isCut: false };
      if (seen !== undefined) addLine(seen, line);
      else if (line.key === null) withoutKey.push(message);
      else byKey.set(line.key, message);
      last = line.uuid === null ? undefined : { uuid: line.uuid, message };
    },
    messages: () => all().map(toMessageUsage),
    total: () => sumUsage(all().map(({ counters }) => toUsage(counters))),
  };
}

type SeenMessage = { -readonly [Field in keyof UsageLine]: UsageLine[Field] } & { isCut: boolean };

function addLine(seen: SeenMessage, line: UsageLine): void {
  seen.model ??= line.model;
  seen.timestamp ??= line.timestamp;
  seen.speed ??= line.speed;
  seen.hasStopReason ||= line.hasStopReason;
  seen.hasStopDetails ||= line.hasStopDetails;
  seen.counters = maxCounters(seen.counters, line.counters);
}

function toMessageUsage({
  key,
  model,
  timestamp,
  speed,
  isSidechain,
  hasStopReason,
  isCut,
  counters,
}: SeenMessage): MessageUsage {
  const outputKnown = !isCut && isOutputRecorded(hasStopReason, counters.output);
  return { key, model, timestamp, speed, isSidechain, outputKnown, usage: toUsage(counters) };
}
