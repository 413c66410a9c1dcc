import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { toContentBlocks } from "../../../src/format/record/content-block.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { openSession } from "../../../src/session/open-session.js";
import { byteByByte } from "../../builders/in-pieces.js";
import { readPieces } from "../../builders/read-lines.js";
import { runs } from "../../runs.js";

const kinds = (records: readonly LogRecord[]): string[] => records.map(({ kind }) => kind);
const rawOf = (record: LogRecord | undefined): unknown => (record?.kind === "broken" ? record.text : record?.raw);

function outlineOf(records: Iterable<LogRecord>): unknown {
  const session = openSession();
  for (const record of records) session.push(record);
  return JSON.parse(JSON.stringify(session.view()));
}

describe("lines", () => {
  test.each(["\u2028", "\u2029", "\u0085", "\v", "\f", "\r"])("are not split at %j", (character) => {
    const [record, ...others] = parseRecords(`{"type":"user","text":${JSON.stringify(`a${character}b`)}}\n`);
    expect(others).toEqual([]);
    expect(rawOf(record)).toEqual({ type: "user", text: `a${character}b` });
  });

  test("are not split at a raw separator inside a string", () => {
    expect(kinds(parseRecords('{"type":"user","text":"a\u2028b"}\n'))).toEqual(["user"]);
  });

  test("join characters that a chunk border cut", () => {
    const text = '{"type":"user","message":{"content":"é中😀"}}\n';
    expect(readPieces(byteByByte(Buffer.from(text)))).toEqual(parseRecords(text));
  });

  test("keep what is not UTF-8, as replacement characters", () => {
    const bytes = Buffer.concat([Buffer.from('{"type":"user","text":"'), Buffer.of(0xff, 0x80), Buffer.from('"}\n')]);
    expect(rawOf(parseRecords(bytes)[0])).toEqual({ type: "user", text: "\ufffd\ufffd" });
  });

  test.each([
    ["CRLF", '{"type":"user"}\r\n{"type":"mode"}\r\n'],
    ["a byte order mark", '\ufeff{"type":"user"}\n{"type":"mode"}\n'],
    ["runs of NUL", '\0\0{"type":"user"}\0\0\n\0\0\0\n{"type":"mode"}'],
    ["blank lines", '\n  \n{"type":"user"}\n\t\n{"type":"mode"}\n\n'],
  ])("are read in spite of %s", (_, text) => {
    expect(kinds(parseRecords(text))).toEqual(["user", "side"]);
  });

  test("have a byte order mark set aside at the start of the file only", () => {
    expect(kinds(parseRecords('{"type":"user"}\n\ufeff{"type":"user"}\n'))).toEqual(["user", "broken", "user"]);
  });

  test("of garbage are counted, and reading goes on", () => {
    expect(kinds(parseRecords('nonsense\n[1]\n"text"\n17\nnull\n{"type":"user"}\n'))).toEqual([
      ...Array<string>(5).fill("broken"),
      "user",
    ]);
  });

  test("that end early are pending, not broken for good", () => {
    const [first, last] = parseRecords('{"type":"us\n{"type":"us');
    expect(first).toMatchObject({ kind: "broken", isTruncatedTail: false });
    expect(last).toMatchObject({ kind: "broken", isTruncatedTail: true, reason: "truncated last line" });
  });
});

describe("values", () => {
  test("with lone surrogates survive", () => {
    const text = String.raw`{"type":"user","text":"\ud83d"}`;
    expect(JSON.stringify(rawOf(parseRecords(text)[0]))).toBe(text);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("under the key %s are only data", (key) => {
    const text = `{"type":"user","${key}":{"isMeta":true,"uuid":"evil"},"message":{"${key}":"x","content":"hi"}}`;
    const record = parseRecords(text)[0];
    expect(record).toMatchObject({ kind: "user", isMeta: false, uuid: undefined });
    expect(JSON.stringify(rawOf(record))).toBe(text);
    expect({}).not.toHaveProperty("isMeta");
  });

  test.each(["__proto__", "constructor", "toString"])("named %s confuse no index", (name) => {
    const line = JSON.stringify({
      type: "assistant",
      uuid: name,
      parentUuid: name,
      agentId: name,
      message: { id: name, model: name, usage: { output_tokens: 3 }, content: [{ type: "tool_use", id: name, name }] },
    });
    expect(outlineOf(parseRecords(line))).toMatchObject({ models: [name], totals: { messages: 1, toolCalls: 1 } });
  });

  test("beyond 2^53 and repeated keys are read as JSON.parse reads them", () => {
    const text = '{"type":"user","n":12345678901234567890,"n":9007199254740993,"m":1e999}';
    expect(rawOf(parseRecords(text)[0])).toEqual(JSON.parse(text));
  });

  test.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("nested a hundred thousand times as %s overflow nothing", (_, open, close) => {
    const value = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    const text = `{"type":"user","uuid":"u1","message":{"content":[{"type":"text","text":"hi","deep":${value}}]}}\n`;
    const unclosed = `{"type":"user","message":${open.repeat(100_000)}\n`;
    const records = [...parseRecords(text + unclosed), ...parseRecords(text + unclosed, { abridge: true })];
    expect(kinds(records).filter((kind) => kind === "broken").length).toBeGreaterThanOrEqual(2);
    expect(outlineOf(records)).toBeDefined();
  });
});

/** Any JSON value under any of the names that the reader looks at. */
const wireNames = [
  ...["type", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "agentId", "isSidechain", "isMeta"],
  ...["message", "content", "usage", "id", "role", "model", "stop_reason", "name", "input", "tool_use_id", "is_error"],
  ...["toolUseResult", "compactMetadata", "preservedMessages", "preservedSegment", "uuids", "attachment", "prompt"],
  ...["data", "origin", "forkedFrom", "recordedBy", "operation", "subtype", "text", "leafUuid", "summary", "cwd"],
  ...["input_tokens", "output_tokens", "cache_creation", "server_tool_use", "commandMode", "requestId", "version"],
];
const types = [
  ...["user", "assistant", "system", "attachment", "progress", "queue-operation", "last-prompt", "summary", "future"],
  ...["tool_use", "tool_result", "text", "thinking", "image", "queued_command", "compact_boundary", "local_command"],
];
const scalars = fc.oneof(
  fc.constantFrom(...types, "u1", "u2", "u3", "", "2026-01-01T00:00:00.000Z", "<command-name>", "enqueue", "remove"),
  fc.constantFrom(null, true, false, 0, -1, 1e300),
);
const { object: wrongObject } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalars, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(fc.constantFrom(...wireNames), tie("value"), { maxKeys: 8, noNullPrototype: true }),
}));
const wrongRecord = fc
  .tuple(fc.constantFrom(...types), wrongObject)
  .map(([type, fields]) => JSON.stringify({ type, ...Object.fromEntries(Object.entries(fields as object)) }));

describe("wrong types everywhere", () => {
  test("give records, and an outline, without an error", () => {
    const property = fc.property(fc.array(wrongRecord, { maxLength: 12 }), (lines) => {
      const records = parseRecords(lines.join("\n"));
      expect(records).toHaveLength(lines.length);
      expect(outlineOf(records)).toMatchObject({ totals: { records: lines.length, brokenLines: 0 } });
    });
    fc.assert(property, runs(400));
  });

  test.each([null, 17, true, { type: "text" }, undefined])("content %j is no blocks", (content) => {
    expect(toContentBlocks(content)).toEqual([]);
  });

  test.each([
    { message: null },
    { message: [] },
    { message: "text" },
    {},
    { message: { content: null, usage: null, id: 7, model: [] } },
  ])("an assistant record with %j is kept, with nothing in it", (fields) => {
    expect(parseRecords(JSON.stringify({ type: "assistant", uuid: 5, ...fields }))[0]).toMatchObject({
      kind: "assistant",
      uuid: undefined,
      blocks: [],
      usage: undefined,
      messageId: undefined,
    });
  });
});
