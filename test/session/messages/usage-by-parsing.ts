import type { MessageUsage } from "../../../src/session/messages/scan-usage.js";

type Json = Record<string, unknown>;

const COUNTERS = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cacheRead: ["cache_read_input_tokens"],
  cacheWrite: ["cache_creation_input_tokens"],
  cacheWrite5m: ["cache_creation", "ephemeral_5m_input_tokens"],
  cacheWrite1h: ["cache_creation", "ephemeral_1h_input_tokens"],
  webSearches: ["server_tool_use", "web_search_requests"],
  webFetches: ["server_tool_use", "web_fetch_requests"],
};

/** What the byte scan must find, said by JSON.parse. */
export function usageByParsing(lines: readonly string[]): MessageUsage[] {
  const groups = new Map<unknown, Json[]>();
  for (const record of lines.map(parse).filter(countsTokens)) {
    const key = keyOf(record) ?? record;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const messages = [...groups.values()].map(toMessage);
  return [...messages.filter(({ key }) => key !== null), ...messages.filter(({ key }) => key === null)];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function countsTokens(record: unknown): record is Json {
  if (!isObject(record) || !isObject(record["message"]) || !isObject(record["message"]["usage"])) return false;
  const type = textAt(record, "type") ?? textAt(record, "message", "role");
  return type === "assistant" && record["isMeta"] !== true && textAt(record, "message", "model") !== "<synthetic>";
}

function keyOf(record: Json): string | null {
  return textAt(record, "message", "id") || textAt(record, "requestId") || textAt(record, "uuid") || null;
}

function toMessage(records: readonly Json[]): MessageUsage {
  const [first = {}] = records;
  const firstText = (...path: string[]) => records.map((it) => textAt(it, ...path)).find((it) => it !== null) ?? null;
  const largest = (path: readonly string[]) => Math.max(...records.map((it) => counterAt(it, path)));
  const times = records.map((it) => textAt(it, "timestamp") ?? textAt(it, "message", "timestamp"));
  const cacheWrite1h = largest(COUNTERS.cacheWrite1h);
  const output = largest(COUNTERS.output);
  return {
    key: keyOf(first),
    model: firstText("message", "model"),
    timestamp: times.find((it) => it !== null) ?? null,
    speed: firstText("message", "usage", "speed"),
    isSidechain: first["isSidechain"] === true,
    outputKnown: firstText("message", "stop_reason") !== null || output > 8,
    usage: {
      input: largest(COUNTERS.input),
      output,
      cacheRead: largest(COUNTERS.cacheRead),
      cacheWrite5m: Math.max(largest(COUNTERS.cacheWrite5m), largest(COUNTERS.cacheWrite) - cacheWrite1h),
      cacheWrite1h,
      webSearches: largest(COUNTERS.webSearches),
      webFetches: largest(COUNTERS.webFetches),
    },
  };
}

function counterAt(record: Json, path: readonly string[]): number {
  const found = valueAt(record, ["message", "usage", ...path]);
  return typeof found === "number" && Number.isFinite(found) ? Math.max(0, found) : 0;
}

function textAt(value: unknown, ...path: string[]): string | null {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : null;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((it, name) => (isObject(it) ? it[name] : undefined), value);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
