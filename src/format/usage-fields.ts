import { isObject, numberAt, stringAt } from "./json.js";

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
  return {
    input: numberAt(usage, "input_tokens"),
    output: numberAt(usage, "output_tokens"),
    cacheRead: numberAt(usage, "cache_read_input_tokens"),
    cacheWrite: numberAt(usage, "cache_creation_input_tokens"),
    cacheWrite5m: numberAt(usage, "cache_creation", "ephemeral_5m_input_tokens"),
    cacheWrite1h: numberAt(usage, "cache_creation", "ephemeral_1h_input_tokens"),
    webSearches: numberAt(usage, "server_tool_use", "web_search_requests"),
    webFetches: numberAt(usage, "server_tool_use", "web_fetch_requests"),
    speed: stringAt(usage, "speed"),
  };
}
