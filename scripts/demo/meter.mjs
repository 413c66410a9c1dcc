import { readFileSync } from "node:fs";

const { prices } = JSON.parse(readFileSync(new URL("../../src/session/messages/prices.json", import.meta.url), "utf8"));
const BYTES_PER_TOKEN = 3.6;

/** Counts tokens as the API does: what was sent before comes from the cache, what is new is written to it. */
export function openMeter(systemTokens) {
  let cached = 0;
  let fresh = systemTokens;

  return {
    /** Something that the model will see in its next request. */
    read(text) {
      fresh += tokensOf(text);
    },
    /** One API message; its own output is part of the next request. */
    message(outputText, thinking = 0) {
      const output = tokensOf(outputText) + thinking;
      const usage = { input: 3, cacheRead: cached, cacheWrite: fresh, output, thinking };
      cached += fresh;
      fresh = usage.output;
      return usage;
    },
    context: () => cached + fresh,
    mark: () => ({ cached, fresh }),
    rewind(mark) {
      ({ cached, fresh } = mark);
    },
    /** A compaction keeps the system prompt and continues with a summary. */
    compact(summary) {
      cached = systemTokens;
      fresh = tokensOf(summary);
    },
  };
}

export function tokensOf(text) {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** What the client itself adds up while it runs, with calls that leave no record. */
export function openLedger() {
  const byModel = new Map();
  return {
    add(model, { input, cacheRead, cacheWrite, output, thinking }) {
      const sum = byModel.get(model) ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, thinking: 0 };
      byModel.set(model, {
        input: sum.input + input,
        cacheRead: sum.cacheRead + cacheRead,
        cacheWrite: sum.cacheWrite + cacheWrite,
        output: sum.output + output,
        thinking: sum.thinking + thinking,
      });
    },
    report: () => Object.fromEntries([...byModel].map(([model, sum]) => [model, toModelUsage(model, sum)])),
    cost: () => [...byModel].reduce((total, [model, sum]) => total + costOf(model, sum), 0),
  };
}

function toModelUsage(model, sum) {
  return {
    inputTokens: sum.input,
    outputTokens: sum.output,
    thinkingTokens: sum.thinking,
    cacheReadInputTokens: sum.cacheRead,
    cacheCreationInputTokens: sum.cacheWrite,
    cacheCreationEphemeral5mInputTokens: sum.cacheWrite,
    cacheCreationEphemeral1hInputTokens: 0,
    webSearchRequests: 0,
    costUSD: costOf(model, sum),
  };
}

function costOf(model, sum) {
  const price = prices.find(({ models, speed }) => speed === undefined && models.includes(model));
  if (!price) throw new Error(`no price for ${model}`);
  const perMillion =
    sum.input * price.input +
    sum.output * price.output +
    sum.cacheRead * price.cacheRead +
    sum.cacheWrite * price.cacheWrite5m;
  return Math.round(perMillion) / 1_000_000;
}
