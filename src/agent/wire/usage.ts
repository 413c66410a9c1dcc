import type { JsonObject } from "../../format/json.js";
import type { Usage } from "../../session/usage.js";

export function toWireUsage({
  input,
  output,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
  webSearches,
  webFetches,
}: Usage): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: webFetches },
  };
}
