import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MessageUsage, scanUsage, type UsageScan } from "../../../src/session/messages/scan-usage.js";
import type { Usage } from "../../../src/session/messages/usage.js";
import { runs } from "../../runs.js";
import { anyLine } from "./any-usage-line.js";
import { usageByParsing } from "./usage-by-parsing.js";

const RUNS = runs(300);

function scanLines(lines: readonly string[]): UsageScan {
  const scan = scanUsage();
  for (const line of lines) scan.add(Buffer.from(line), 0, Buffer.byteLength(line));
  return scan;
}

const messagesOf = (...lines: string[]): MessageUsage[] => scanLines(lines).messages();
const totalOf = (...lines: string[]): Usage => scanLines(lines).total();

function assistant(message: object, rest: object = {}): string {
  const whole = { id: "m", model: "claude-x", role: "assistant", ...message };
  return JSON.stringify({ type: "assistant", message: whole, ...rest });
}

describe("a message", () => {
  test("counts once, with the largest figure of each of its lines", () => {
    const first = assistant({ usage: { input_tokens: 4, output_tokens: 1, cache_read_input_tokens: 10 } });
    const second = assistant({ usage: { input_tokens: 4, output_tokens: 133, cache_read_input_tokens: null } });
    expect(totalOf(first, second, second)).toMatchObject({ input: 4, output: 133, cacheRead: 10 });
  });

  test("uses the split of the cache figure, and counts what lies beyond it as 5m", () => {
    const undivided = assistant({ usage: { cache_creation_input_tokens: 900 } });
    const split = { cache_creation: { ephemeral_5m_input_tokens: 700, ephemeral_1h_input_tokens: 100 } };
    const divided = assistant({ usage: { cache_creation_input_tokens: 800, ...split } });
    expect(totalOf(divided)).toMatchObject({ cacheWrite5m: 700, cacheWrite1h: 100 });
    expect(totalOf(undivided)).toMatchObject({ cacheWrite5m: 900, cacheWrite1h: 0 });
    expect(totalOf(undivided, divided)).toMatchObject({ cacheWrite5m: 800, cacheWrite1h: 100 });
  });

  test("without a message id goes by its request", () => {
    const line = assistant({ id: null, usage: { output_tokens: 5 } }, { requestId: "r", uuid: "u" });
    const other = assistant({ id: null, usage: { output_tokens: 7 } }, { requestId: "r", uuid: "v" });
    expect(messagesOf(line, other)).toMatchObject([{ key: "r", usage: { output: 7 } }]);
  });

  test("without any id is a message of its own", () => {
    const line = assistant({ id: null, usage: { output_tokens: 5 } });
    expect(totalOf(line, line).output).toBe(10);
  });

  test("has unknown output while only placeholders without a stop reason were written", () => {
    const placeholder = assistant({ stop_reason: null, usage: { output_tokens: 1 } });
    const stopped = assistant({ stop_reason: "end_turn", usage: { output_tokens: 1 } });
    expect(messagesOf(placeholder)[0]?.outputKnown).toBe(false);
    expect(messagesOf(placeholder, stopped)[0]?.outputKnown).toBe(true);
  });

  test.each([
    ["an id", `"id":"a","id":"b","usage":{"output_tokens":4}`, { key: "b" }],
    ["its usage", `"usage":{"input_tokens":5},"usage":{"output_tokens":4}`, { usage: { input: 0, output: 4 } }],
    ["a counter", `"usage":{"output_tokens":5,"output_tokens":4}`, { usage: { output: 4 } }],
    [
      "the split of the cache",
      `"usage":{"cache_creation":{"ephemeral_5m_input_tokens":5},"cache_creation":{"ephemeral_1h_input_tokens":4}}`,
      { usage: { cacheWrite5m: 0, cacheWrite1h: 4 } },
    ],
  ])("that repeats %s is read like JSON.parse does: the last one stands", (_, members, expected) => {
    const line = `{"type":"assistant","message":{${members}}}`;
    expect(messagesOf(line)).toMatchObject([expected]);
    expect(messagesOf(line)).toEqual(usageByParsing([line]));
  });

  test("may come without a type, as an assistant's row", () => {
    const row = JSON.stringify({ message: { usage: { output_tokens: 5 }, role: "assistant" } });
    expect(totalOf(row).output).toBe(5);
    expect(totalOf(row.replace("assistant", "user")).output).toBe(0);
  });
});

describe("nothing is counted of", () => {
  const usage = { output_tokens: 7 };
  const progress = { data: { message: { type: "assistant", message: { role: "assistant", usage } } } };
  test.each([
    ["a synthetic message", assistant({ model: "<synthetic>", usage })],
    ["an injected message", assistant({ usage }, { isMeta: true })],
    ["an agent's result", JSON.stringify({ type: "user", message: { role: "user" }, toolUseResult: { usage } })],
    ["an agent's progress", JSON.stringify({ type: "progress", ...progress })],
    ["a logged request", JSON.stringify({ type: "api-request-blob", message: { role: "assistant", usage } })],
    ["usage inside the content", assistant({ content: [{ type: "tool_use", input: { usage } }] })],
    ["usage in a text", assistant({ content: [{ type: "text", text: JSON.stringify({ usage }) }] })],
    ["a cut line", assistant({ usage }).slice(0, -1)],
    ["two glued lines", assistant({ usage }) + assistant({ usage })],
    ["a list", `[${assistant({ usage })}]`],
  ])("%s", (_, line) => {
    expect(messagesOf(line)).toEqual([]);
    expect(usageByParsing([line])).toEqual([]);
  });
});

describe("the scan of bytes equals the parsing of every line", () => {
  test("for records of any shape, key order, white space and escapes", () => {
    fc.assert(
      fc.property(fc.array(anyLine(), { maxLength: 10 }), (lines) => {
        expect(messagesOf(...lines)).toEqual(usageByParsing(lines));
      }),
      RUNS,
    );
  });

  test("for a line anywhere inside a larger buffer", () => {
    fc.assert(
      fc.property(anyLine(), fc.string(), fc.string(), (line, before, after) => {
        const scan = scanUsage();
        const [head, body] = [Buffer.from(before), Buffer.from(line)];
        scan.add(Buffer.concat([head, body, Buffer.from(`\n${after}`)]), head.length, head.length + body.length);
        expect(scan.messages()).toEqual(usageByParsing([line]));
      }),
      RUNS,
    );
  });

  test("for lines that were cut anywhere, whatever the buffer held before", () => {
    fc.assert(
      fc.property(anyLine(), fc.nat(), (line, cut) => {
        const bytes = Buffer.from(line);
        const end = cut % (bytes.length + 1);
        const scan = scanUsage();
        scan.add(bytes, 0, end);
        expect(scan.messages()).toEqual(usageByParsing([bytes.toString("utf8", 0, end)]));
      }),
      RUNS,
    );
  });
});
