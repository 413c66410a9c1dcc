import { CUT_NOTE } from "../record/record.js";
import type { UsageCounters } from "../record/usage-counters.js";
import { countReader, objectReader, type ReadValue } from "./json-members.js";
import {
  isObjectAt,
  isQuotedTextAt,
  isStringAt,
  isTrueAt,
  NOT_JSON,
  readString,
  skipSpace,
  skipValue,
} from "./json-scanner.js";
import { parseLine } from "./parse-line.js";

/** What one line says about the tokens of its API message. */
export interface UsageLine {
  /** The same for all lines of a message: its id, else that of the request, else of the line; null where all are missing. */
  readonly key: string | null;
  readonly model: string | null;
  readonly timestamp: string | null;
  readonly speed: string | null;
  readonly isMeta: boolean;
  readonly isSidechain: boolean;
  readonly hasStopReason: boolean;
  /** Complete messages have stop details, null or not (2.1.326). */
  readonly hasStopDetails: boolean;
  /** Of a line without stop details, which a note about a cut may follow. */
  readonly uuid: string | null;
  readonly counters: UsageCounters;
}

/**
 * The usage of the line in `[start, end)`, without its line feed: what JSON.parse would find at `message.usage` of an
 * assistant record, in any key order. A row without `type` is judged by its role. Everything else gives undefined, most
 * of it after its first 300 bytes: a `type` that is not `assistant` ends the scan. Two things that Claude Code never writes are
 * taken as they come: of two `type` keys the first may decide, and damage inside a skipped value goes unseen as long as
 * quotes and brackets match.
 */
export function scanUsageLine(bytes: Buffer, start: number, end: number): UsageLine | undefined {
  const found = noFindings();
  const after = readRecord(bytes, skipSpace(bytes, start, end), end, found);
  const { message } = found;
  if (after < 0 || skipSpace(bytes, after, end) !== end || message?.usage === undefined) return undefined;
  if (!found.hasType && !isAssistantAt(bytes, message.roleAt, end)) return undefined;
  return {
    key:
      readString(bytes, message.idAt, end) ||
      readString(bytes, found.requestIdAt, end) ||
      readString(bytes, found.uuidAt, end) ||
      null,
    model: readString(bytes, message.modelAt, end),
    timestamp: readString(bytes, found.timestampAt === ABSENT ? message.timestampAt : found.timestampAt, end),
    speed: readString(bytes, message.usage.speedAt, end),
    isMeta: found.isMeta,
    isSidechain: found.isSidechain,
    hasStopReason: message.stopReasonAt !== ABSENT,
    hasStopDetails: message.hasStopDetails,
    uuid: message.hasStopDetails ? null : readString(bytes, found.uuidAt, end),
    counters: message.usage.counters,
  };
}

/**
 * The parent of the note that Claude Code writes when the network cuts an answer off; undefined for other lines, most of which are
 * not decoded.
 */
export function scanCutNote(bytes: Buffer, start: number, end: number): string | null | undefined {
  if (bytes.subarray(start, end).indexOf(CUT_NOTE) < 0) return undefined;
  const line = { bytes, start, end, number: 1, offset: start, length: end - start };
  const [record] = parseLine({ ...line, isTerminated: true, isAbridged: false });
  return record?.kind === "user" && record.followsCut ? (record.parentUuid ?? null) : undefined;
}

/** Strings are kept as positions, and decoded only when the line turns out to count. */
interface Findings {
  hasType: boolean;
  uuidAt: number;
  requestIdAt: number;
  timestampAt: number;
  isMeta: boolean;
  isSidechain: boolean;
  message: MessageFindings | undefined;
}

interface MessageFindings {
  idAt: number;
  roleAt: number;
  modelAt: number;
  timestampAt: number;
  stopReasonAt: number;
  hasStopDetails: boolean;
  usage: UsageFindings | undefined;
}

interface UsageFindings {
  speedAt: number;
  readonly counters: { -readonly [Name in keyof UsageCounters]: number };
}

const ABSENT = -1;
const ASSISTANT = Buffer.from('"assistant"');

const readCacheCreation = objectReader<UsageFindings>({
  ephemeral_5m_input_tokens: countReader(({ counters }, count) => {
    counters.cacheWrite5m = count;
  }),
  ephemeral_1h_input_tokens: countReader(({ counters }, count) => {
    counters.cacheWrite1h = count;
  }),
});

const readServerToolUse = objectReader<UsageFindings>({
  web_search_requests: countReader(({ counters }, count) => {
    counters.webSearches = count;
  }),
  web_fetch_requests: countReader(({ counters }, count) => {
    counters.webFetches = count;
  }),
});

/** Of two equal keys the last one counts, so an object resets its counters. */
const readUsage = objectReader<UsageFindings>({
  input_tokens: countReader(({ counters }, count) => {
    counters.input = count;
  }),
  output_tokens: countReader(({ counters }, count) => {
    counters.output = count;
  }),
  cache_read_input_tokens: countReader(({ counters }, count) => {
    counters.cacheRead = count;
  }),
  cache_creation_input_tokens: countReader(({ counters }, count) => {
    counters.cacheWrite = count;
  }),
  cache_creation: (bytes, at, end, usage) => {
    usage.counters.cacheWrite5m = 0;
    usage.counters.cacheWrite1h = 0;
    return isObjectAt(bytes, at) ? readCacheCreation(bytes, at, end, usage) : skipValue(bytes, at, end);
  },
  server_tool_use: (bytes, at, end, usage) => {
    usage.counters.webSearches = 0;
    usage.counters.webFetches = 0;
    return isObjectAt(bytes, at) ? readServerToolUse(bytes, at, end, usage) : skipValue(bytes, at, end);
  },
  speed: stringFinder((usage, at) => {
    usage.speedAt = at;
  }),
});

const readMessage = objectReader<MessageFindings>({
  id: stringFinder((message, at) => {
    message.idAt = at;
  }),
  role: stringFinder((message, at) => {
    message.roleAt = at;
  }),
  model: stringFinder((message, at) => {
    message.modelAt = at;
  }),
  timestamp: stringFinder((message, at) => {
    message.timestampAt = at;
  }),
  stop_reason: stringFinder((message, at) => {
    message.stopReasonAt = at;
  }),
  stop_details: (bytes, at, end, message) => {
    message.hasStopDetails = true;
    return skipValue(bytes, at, end);
  },
  usage: (bytes, at, end, message) => {
    message.usage = isObjectAt(bytes, at) ? noUsage() : undefined;
    return message.usage === undefined ? skipValue(bytes, at, end) : readUsage(bytes, at, end, message.usage);
  },
});

const readRecord = objectReader<Findings>({
  type: (bytes, at, end, found) => {
    found.hasType = isStringAt(bytes, at);
    if (found.hasType && !isAssistantAt(bytes, at, end)) return NOT_JSON;
    return skipValue(bytes, at, end);
  },
  uuid: stringFinder((found, at) => {
    found.uuidAt = at;
  }),
  requestId: stringFinder((found, at) => {
    found.requestIdAt = at;
  }),
  timestamp: stringFinder((found, at) => {
    found.timestampAt = at;
  }),
  isMeta: (bytes, at, end, found) => {
    found.isMeta = isTrueAt(bytes, at);
    return skipValue(bytes, at, end);
  },
  isSidechain: (bytes, at, end, found) => {
    found.isSidechain = isTrueAt(bytes, at);
    return skipValue(bytes, at, end);
  },
  message: (bytes, at, end, found) => {
    found.message = isObjectAt(bytes, at) ? noMessage() : undefined;
    return found.message === undefined ? skipValue(bytes, at, end) : readMessage(bytes, at, end, found.message);
  },
});

function stringFinder<T>(keep: (target: T, at: number) => void): ReadValue<T> {
  return (bytes, at, end, target) => {
    keep(target, isStringAt(bytes, at) ? at : ABSENT);
    return skipValue(bytes, at, end);
  };
}

function isAssistantAt(bytes: Buffer, at: number, end: number): boolean {
  return isQuotedTextAt(bytes, at, end, ASSISTANT);
}

function noFindings(): Findings {
  return {
    hasType: false,
    uuidAt: ABSENT,
    requestIdAt: ABSENT,
    timestampAt: ABSENT,
    isMeta: false,
    isSidechain: false,
    message: undefined,
  };
}

function noMessage(): MessageFindings {
  return {
    idAt: ABSENT,
    roleAt: ABSENT,
    modelAt: ABSENT,
    timestampAt: ABSENT,
    stopReasonAt: ABSENT,
    hasStopDetails: false,
    usage: undefined,
  };
}

function noUsage(): UsageFindings {
  const counters = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    webSearches: 0,
    webFetches: 0,
  };
  return { speedAt: ABSENT, counters };
}
