import type { AssistantRecord } from "../record/record.js";
import type { UsageCounters } from "../record/usage-counters.js";
import { countReader, objectReader, type ReadValue } from "./json-members.js";
import { isObjectAt, isQuotedTextAt, isStringAt, isTrueAt, readString, skipSpace, skipValue } from "./json-scanner.js";

/** The fields of an assistant record that decide what its API message counts for. */
export type CountedFields = Pick<
  AssistantRecord,
  | "messageId"
  | "requestId"
  | "requestSessionId"
  | "sessionId"
  | "forkedFrom"
  | "uuid"
  | "fingerprint"
  | "model"
  | "timestamp"
  | "speed"
  | "gitBranch"
  | "agentId"
  | "isMeta"
  | "isSidechain"
  | "stopReason"
  | "hasStopDetails"
  | "usage"
>;

/** What one line says about its API message; without ids that make no difference for what it counts. */
export interface MessageLine extends CountedFields {
  readonly uuid: string;
}

/** A line that the scan does not understand: it has to be parsed. */
export const UNCLEAR = "unclear";

/**
 * The line in `[start, end)`, without its line feed, as JSON.parse would find it in any key order. Undefined for a record of
 * another type. Damage inside a skipped value goes unseen as long as quotes and brackets match, which Claude Code never writes.
 */
export function scanMessageLine(bytes: Buffer, start: number, end: number): MessageLine | typeof UNCLEAR | undefined {
  const found = noFindings();
  const after = readRecord(bytes, skipSpace(bytes, start, end), end, found);
  if (after < 0 || skipSpace(bytes, after, end) !== end || !found.hasType) return UNCLEAR;
  if (!found.isAssistant) return undefined;
  const { message } = found;
  const text = (at: number) => (at === ABSENT ? undefined : (readString(bytes, at, end) ?? undefined));
  const uuid = text(found.uuidAt);
  if (!uuid || message === undefined) return UNCLEAR;
  const { usage } = message;
  const messageId = text(message.idAt) || undefined;
  const origin = text(found.forkedFromAt);
  const requestSessionId = text(found.requestSessionIdAt);
  return {
    uuid,
    messageId,
    requestId: messageId === undefined ? text(found.requestIdAt) || undefined : undefined,
    requestSessionId,
    sessionId: requestSessionId === undefined ? undefined : text(found.sessionIdAt),
    forkedFrom: origin === undefined ? undefined : { sessionId: origin, messageUuid: undefined },
    fingerprint: undefined,
    model: text(message.modelAt),
    timestamp: text(found.timestampAt === ABSENT ? message.timestampAt : found.timestampAt),
    speed: usage && text(usage.speedAt),
    gitBranch: text(found.gitBranchAt),
    agentId: found.isSidechain ? text(found.agentIdAt) : undefined,
    isMeta: found.isMeta,
    isSidechain: found.isSidechain,
    stopReason: text(message.stopReasonAt),
    hasStopDetails: message.hasStopDetails,
    usage: usage?.counters,
  };
}

/** Strings are kept as positions, and decoded only when the line turns out to count. */
interface Findings {
  hasType: boolean;
  isAssistant: boolean;
  uuidAt: number;
  requestIdAt: number;
  requestSessionIdAt: number;
  sessionIdAt: number;
  forkedFromAt: number;
  timestampAt: number;
  gitBranchAt: number;
  agentIdAt: number;
  isMeta: boolean;
  isSidechain: boolean;
  message: MessageFindings | undefined;
}

interface MessageFindings {
  idAt: number;
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

const readForkOrigin = objectReader<Findings>({
  sessionId: stringFinder((found, at) => {
    found.forkedFromAt = at;
  }),
});

const readRecord = objectReader<Findings>({
  type: (bytes, at, end, found) => {
    found.hasType = isStringAt(bytes, at);
    found.isAssistant = isQuotedTextAt(bytes, at, end, ASSISTANT);
    return skipValue(bytes, at, end);
  },
  uuid: stringFinder((found, at) => {
    found.uuidAt = at;
  }),
  requestId: stringFinder((found, at) => {
    found.requestIdAt = at;
  }),
  requestSessionId: stringFinder((found, at) => {
    found.requestSessionIdAt = at;
  }),
  sessionId: stringFinder((found, at) => {
    found.sessionIdAt = at;
  }),
  forkedFrom: (bytes, at, end, found) => {
    found.forkedFromAt = ABSENT;
    return isObjectAt(bytes, at) ? readForkOrigin(bytes, at, end, found) : skipValue(bytes, at, end);
  },
  timestamp: stringFinder((found, at) => {
    found.timestampAt = at;
  }),
  gitBranch: stringFinder((found, at) => {
    found.gitBranchAt = at;
  }),
  agentId: stringFinder((found, at) => {
    found.agentIdAt = at;
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

function noFindings(): Findings {
  return {
    hasType: false,
    isAssistant: false,
    uuidAt: ABSENT,
    requestIdAt: ABSENT,
    requestSessionIdAt: ABSENT,
    sessionIdAt: ABSENT,
    forkedFromAt: ABSENT,
    timestampAt: ABSENT,
    gitBranchAt: ABSENT,
    agentIdAt: ABSENT,
    isMeta: false,
    isSidechain: false,
    message: undefined,
  };
}

function noMessage(): MessageFindings {
  return {
    idAt: ABSENT,
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
