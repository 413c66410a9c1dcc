/** Run by scan-totals.mjs: the same totals by JSON.parse of every line. */
import { eachLine, sessionFiles } from "./session-files.mjs";

/** @typedef {Record<"input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite5m" | "cacheWrite1h", number>} Counters */

/** @type {Map<string, Counters>} */
const messages = new Map();
for (const path of sessionFiles(process.argv[2] ?? ".")) {
  eachLine(path, (bytes, start, end) => addRecord(JSON.parse(bytes.toString("utf8", start, end))));
}
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
for (const counters of messages.values()) {
  usage.input += counters.input;
  usage.output += counters.output;
  usage.cacheRead += counters.cacheRead;
  usage.cacheWrite5m += Math.max(counters.cacheWrite5m, counters.cacheWrite - counters.cacheWrite1h);
  usage.cacheWrite1h += counters.cacheWrite1h;
}
console.log(JSON.stringify({ messages: messages.size, usage }));

/** @param {any} record */
function addRecord({ type, isMeta, requestId, uuid, message }) {
  if (type !== "assistant" || isMeta || !message?.usage || message.model === "<synthetic>") return;
  const key = message.id ?? requestId ?? uuid;
  const counters = toCounters(message.usage);
  const seen = messages.get(key) ?? counters;
  for (const name of /** @type {(keyof Counters)[]} */ (Object.keys(counters))) {
    counters[name] = Math.max(counters[name], seen[name]);
  }
  messages.set(key, counters);
}

/** @param {any} usage @returns {Counters} */
function toCounters(usage) {
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    cacheWrite5m: usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
    cacheWrite1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
  };
}
