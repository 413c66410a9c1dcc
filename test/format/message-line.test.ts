import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MessageLine, scanMessageLine, UNCLEAR } from "../../src/format/reader/message-line.js";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import type { AssistantRecord } from "../../src/format/record/record.js";
import { runs } from "../runs.js";
import { anyLine } from "./any-message-line.js";

const RUNS = runs(300);

function scan(line: string) {
  const bytes = Buffer.from(line);
  return scanMessageLine(bytes, 0, bytes.length);
}

function assistant(message: object, rest: object = {}): string {
  const whole = { id: "m", model: "claude-x", role: "assistant", ...message };
  return JSON.stringify({ type: "assistant", uuid: "u", message: whole, ...rest });
}

/** What the scan must find, as parsing finds it. */
function byParsing(line: string): MessageLine | undefined {
  const [record, ...others] = parseRecords(line);
  expect(others).toEqual([]);
  return record?.kind === "assistant" ? fieldsOf(record) : undefined;
}

function fieldsOf({ uuid = "", forkedFrom, ...record }: AssistantRecord): MessageLine {
  const { messageId, requestId, requestSessionId, sessionId, fingerprint, model, timestamp, speed } = record;
  const { gitBranch, agentId, isMeta, isSidechain, stopReason, hasStopDetails, usage } = record;
  const ids = {
    ...{ uuid, messageId, requestSessionId, fingerprint },
    // Ids that make no difference are left out.
    requestId: messageId === undefined ? requestId : undefined,
    sessionId: requestSessionId === undefined ? undefined : sessionId,
    agentId: isSidechain ? agentId : undefined,
  };
  const origin = forkedFrom && { sessionId: forkedFrom.sessionId, messageUuid: undefined };
  const said = { model, timestamp, speed, gitBranch, isMeta, isSidechain, stopReason, hasStopDetails, usage };
  return { ...ids, ...said, forkedFrom: origin };
}

describe("the scan of a line equals its parsing", () => {
  test("for records of any shape, key order, white space and escapes", () => {
    let clear = 0;
    fc.assert(
      fc.property(anyLine(), (line) => {
        const found = scan(line);
        fc.pre(found !== UNCLEAR);
        clear += 1;
        expect(found).toEqual(byParsing(line));
      }),
      RUNS,
    );
    expect(clear).toBeGreaterThan(100);
  });

  test("for a line anywhere inside a larger buffer", () => {
    fc.assert(
      fc.property(anyLine(), fc.string(), fc.string(), (line, before, after) => {
        const [head, body] = [Buffer.from(before), Buffer.from(line)];
        const all = Buffer.concat([head, body, Buffer.from(`\n${after}`)]);
        expect(scanMessageLine(all, head.length, head.length + body.length)).toEqual(scan(line));
      }),
      RUNS,
    );
  });

  test("for lines that were cut anywhere: they are unclear", () => {
    fc.assert(
      fc.property(anyLine(), fc.nat(), (line, cut) => {
        const bytes = Buffer.from(line.trimEnd());
        expect(scanMessageLine(bytes, 0, cut % bytes.length)).toBe(UNCLEAR);
      }),
      RUNS,
    );
  });
});

test.each([
  ["a message", assistant({ usage: { output_tokens: 5 } })],
  ["a message without usage", assistant({})],
  ["a row with two ids", `{"type":"assistant","uuid":"u","message":{"id":"a","id":"b","usage":{"output_tokens":4}}}`],
  ["two types, of which the last stands", `{"type":"user","type":"assistant","uuid":"u","message":{"id":"a"}}`],
  ["an agent's progress", `{"type":"progress","data":{"message":{"type":"assistant","message":{"role":"assistant"}}}}`],
])("%s is clear", (_, line) => {
  expect(scan(line)).toEqual(byParsing(line));
});

test.each([
  ["a row without a type", JSON.stringify({ uuid: "u", message: { role: "assistant" } })],
  ["a message in the record itself", JSON.stringify({ type: "assistant", uuid: "u", content: [], usage: {} })],
  ["a line without uuid", assistant({}, { uuid: undefined })],
  ["two glued lines", assistant({}) + assistant({})],
  ["a list", `[${assistant({})}]`],
])("%s has to be parsed", (_, line) => {
  expect(scan(line)).toBe(UNCLEAR);
});
