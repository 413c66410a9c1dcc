import { scanUsageLine, type UsageLine } from "../../format/reader/usage-line.js";
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
  /** False where the file holds only the placeholder that is written before the answer is complete. */
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
  const all = () => [...byKey.values(), ...withoutKey];
  return {
    add(bytes, start, end) {
      const line = scanUsageLine(bytes, start, end);
      if (line === undefined || line.isMeta || line.model === SYNTHETIC_MODEL) return;
      const seen = line.key === null ? undefined : byKey.get(line.key);
      if (seen !== undefined) addLine(seen, line);
      else if (line.key === null) withoutKey.push(line);
      else byKey.set(line.key, line);
    },
    messages: () => all().map(toMessageUsage),
    total: () => sumUsage(all().map(({ counters }) => toUsage(counters))),
  };
}

type SeenMessage = { -readonly [Field in keyof UsageLine]: UsageLine[Field] };

function addLine(seen: SeenMessage, line: UsageLine): void {
  seen.model ??= line.model;
  seen.timestamp ??= line.timestamp;
  seen.speed ??= line.speed;
  seen.hasStopReason ||= line.hasStopReason;
  seen.counters = maxCounters(seen.counters, line.counters);
}

function toMessageUsage({
  key,
  model,
  timestamp,
  speed,
  isSidechain,
  hasStopReason,
  counters,
}: SeenMessage): MessageUsage {
  const outputKnown = isOutputRecorded(hasStopReason, counters.output);
  return { key, model, timestamp, speed, isSidechain, outputKnown, usage: toUsage(counters) };
}
