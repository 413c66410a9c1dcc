import { asNumber, asObject, isObject } from "../json.js";

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
    input: asCount(usage["input_tokens"]),
    output: asCount(usage["output_tokens"]),
    cacheRead: asCount(usage["cache_read_input_tokens"]),
    cacheWrite: asCount(usage["cache_creation_input_tokens"]),
    cacheWrite5m: asCount(split?.["ephemeral_5m_input_tokens"]),
    cacheWrite1h: asCount(split?.["ephemeral_1h_input_tokens"]),
    webSearches: asCount(serverTools?.["web_search_requests"]),
    webFetches: asCount(serverTools?.["web_fetch_requests"]),
  };
}

function asCount(value: unknown): number {
  return Math.max(0, asNumber(value) ?? 0);
}
