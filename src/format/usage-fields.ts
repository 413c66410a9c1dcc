import { asNumber, asObject, asString, isObject } from "./json.js";

/** The counters of one assistant record, as the client wrote them; undefined where it wrote none. */
export interface UsageFields {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined; // not divided by lifetime
  readonly cacheWrite5m: number | undefined;
  readonly cacheWrite1h: number | undefined;
  readonly webSearches: number | undefined;
  readonly webFetches: number | undefined;
  readonly speed: string | undefined; // "fast" costs more
}

export function toUsageFields(usage: unknown): UsageFields | undefined {
  if (!isObject(usage)) return undefined;
  const divided = asObject(usage["cache_creation"]);
  const serverTools = asObject(usage["server_tool_use"]);
  return {
    input: asNumber(usage["input_tokens"]),
    output: asNumber(usage["output_tokens"]),
    cacheRead: asNumber(usage["cache_read_input_tokens"]),
    cacheWrite: asNumber(usage["cache_creation_input_tokens"]),
    cacheWrite5m: asNumber(divided?.["ephemeral_5m_input_tokens"]),
    cacheWrite1h: asNumber(divided?.["ephemeral_1h_input_tokens"]),
    webSearches: asNumber(serverTools?.["web_search_requests"]),
    webFetches: asNumber(serverTools?.["web_fetch_requests"]),
    speed: asString(usage["speed"]),
  };
}
