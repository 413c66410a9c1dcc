import { asNumber, asObject, isObject } from "./json.js";

/** The counters of one assistant record as the API sent them; 0 where it sent none. */
export interface UsageCounters {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** All that was written to the cache, whether the split below is given or not. */
  readonly cacheWrite: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly webSearches: number;
  readonly webFetches: number;
}

export function toUsageCounters(usage: unknown): UsageCounters | undefined {
  if (!isObject(usage)) return undefined;
  const split = asObject(usage["cache_creation"]);
  const serverTools = asObject(usage["server_tool_use"]);
  return {
    input: asNumber(usage["input_tokens"]) ?? 0,
    output: asNumber(usage["output_tokens"]) ?? 0,
    cacheRead: asNumber(usage["cache_read_input_tokens"]) ?? 0,
    cacheWrite: asNumber(usage["cache_creation_input_tokens"]) ?? 0,
    cacheWrite5m: asNumber(split?.["ephemeral_5m_input_tokens"]) ?? 0,
    cacheWrite1h: asNumber(split?.["ephemeral_1h_input_tokens"]) ?? 0,
    webSearches: asNumber(serverTools?.["web_search_requests"]) ?? 0,
    webFetches: asNumber(serverTools?.["web_fetch_requests"]) ?? 0,
  };
}
