import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { runs } from "../../runs.js";

const LONG = "x".repeat(5000);

function parse(line: object | string) {
  return parseRecords(typeof line === "string" ? line : JSON.stringify(line), { forReplay: true });
}

function result(data: unknown, more: object = {}) {
  const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: LONG }] };
  return { type: "user", uuid: "u", message, toolUseResult: data, timestamp: "2026-01-01T00:00:00.000Z", ...more };
}

test("of a long toolUseResult only what the skeleton needs is decoded", () => {
  const [record] = parse(result({ stdout: LONG, interrupted: true, nested: { agentId: "no" }, agentId: "a1" }));
  expect(record).toMatchObject({
    isAbridged: false,
    launchedId: "a1",
    toolUseResult: { interrupted: true, agentId: "a1" },
    timestamp: "2026-01-01T00:00:00.000Z",
    blocks: [{ kind: "toolResult", text: LONG }],
  });
  expect(JSON.stringify(record?.kind === "user" ? record.toolUseResult : "").length).toBeLessThan(60);
});

test("a field of that name in the input of a tool is no client's data", () => {
  const call = { type: "tool_use", id: "t", name: "x", input: { a: 1, toolUseResult: { stdout: LONG } } };
  const [record] = parse({ type: "assistant", uuid: "u", message: { id: "m", content: [call] } });
  expect(record).toMatchObject({ blocks: [{ input: call.input }] });
});

test("log lines give no record, but what is glued to one does", () => {
  const log = JSON.stringify({ type: "api-request", body: LONG });
  const user = JSON.stringify(result({ stdout: LONG }));
  expect(parse(log)).toEqual([]);
  expect(parse(log + user)).toMatchObject([{ kind: "side" }, { kind: "user", uuid: "u" }]);
  expect(parse(user + user)).toHaveLength(2);
  expect(parse(user.slice(0, -20))).toMatchObject([{ kind: "broken" }]);
  expect(parse({ type: "custom-title", customTitle: "t" })).toMatchObject([{ kind: "side" }]);
});

test("a line of a few bytes is a broken one", () => {
  expect(parse("abc")).toMatchObject([{ kind: "broken" }]);
});

test("apart from toolUseResult, every record is what it is when it is read whole", () => {
  const data = fc.oneof(
    fc.jsonValue(),
    fc.record({ stdout: fc.string({ unit: "binary" }), long: fc.constant(LONG), interrupted: fc.boolean() }),
  );
  fc.assert(
    fc.property(data, fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, more, isSpaced) => {
      const text = JSON.stringify(result(value, more), null, isSpaced ? 1 : 0).replaceAll("\n", "");
      const whole = parseRecords(text).map((record) => ({ ...record, raw: 0, toolUseResult: 0 }));
      expect(parse(text).map((record) => ({ ...record, raw: 0, toolUseResult: 0 }))).toEqual(whole);
    }),
    runs(60),
  );
});
