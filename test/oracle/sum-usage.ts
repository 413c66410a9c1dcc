import { numberAt } from "./json-at.js";
import { isAnswer, messageKey } from "./message-key.js";
import type { Row } from "./read-session.js";

export interface UsageFacts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly webSearches: number;
  readonly webFetches: number;
}

/** DESIGN 3.2: each message once, with the per-field maximum over its rows. */
export function sumUsage(rows: readonly Row[]): UsageFacts {
  const answers = rows.filter(isAnswer);
  const messages = [...new Set(answers.map(messageKey))].map((key) =>
    usageOfMessage(answers.filter((row) => messageKey(row) === key)),
  );
  const total = (field: keyof UsageFacts) => messages.reduce((sum, usage) => sum + usage[field], 0);
  return {
    input: total("input"),
    output: total("output"),
    cacheRead: total("cacheRead"),
    cacheWrite5m: total("cacheWrite5m"),
    cacheWrite1h: total("cacheWrite1h"),
    webSearches: total("webSearches"),
    webFetches: total("webFetches"),
  };
}

function usageOfMessage(rows: readonly Row[]): UsageFacts {
  const highest = (...path: string[]) =>
    Math.max(0, ...rows.map(({ json }) => numberAt(json, "message", "usage", ...path) ?? 0));
  const written5m = highest("cache_creation", "ephemeral_5m_input_tokens");
  const written1h = highest("cache_creation", "ephemeral_1h_input_tokens");
  const undivided = Math.max(0, highest("cache_creation_input_tokens") - written5m - written1h);
  return {
    input: highest("input_tokens"),
    output: highest("output_tokens"),
    cacheRead: highest("cache_read_input_tokens"),
    cacheWrite5m: written5m + undivided,
    cacheWrite1h: written1h,
    webSearches: highest("server_tool_use", "web_search_requests"),
    webFetches: highest("server_tool_use", "web_fetch_requests"),
  };
}
