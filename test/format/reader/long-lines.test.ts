import { describe, expect, test } from "vitest";
import { type ReadOptions, RecordReader } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { runs } from "../../runs.js";

const MEGABYTE = 1024 * 1024;
const HUGE_MEGABYTES = runs(1).numRuns > 1 ? 3000 : 300;

const BEGINNING =
  '{"parentUuid":"p1","type":"assistant","message":{"id":"m1","model":"claude","content":[{"type":"tool_use","id":"t1",' +
  '"name":"Write","input":{"content":"';
const END =
  '"}},{"type":"tool_use","id":"t2","name":"Read"}],"usage":{"output_tokens":7}},"uuid":"u1"}\n{"type":"mode"}\n';

/** One line around a string of the given size, without ever holding it. */
function* longLine(megabytes: number, fill: string): Generator<Buffer> {
  yield Buffer.from(BEGINNING);
  const chunk = Buffer.alloc(MEGABYTE, fill);
  for (let at = 0; at < megabytes; at++) yield chunk;
  yield Buffer.from(END);
}

interface Reading {
  readonly records: readonly LogRecord[];
  readonly grownMegabytes: number;
}

function read(chunks: Iterable<Buffer>, options: ReadOptions = {}): Reading {
  const reader = new RecordReader(options);
  const records: LogRecord[] = [];
  const before = memoryInUse();
  let most = before;
  for (const chunk of chunks) {
    records.push(...reader.push(chunk));
    most = Math.max(most, memoryInUse());
  }
  return { records: [...records, ...reader.end()], grownMegabytes: (most - before) / MEGABYTE };
}

function memoryInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const callIds = (record: LogRecord | undefined): string[] =>
  record?.kind === "assistant" ? record.blocks.flatMap((block) => (block.kind === "toolCall" ? [block.id] : [])) : [];

describe("a very long line", () => {
  test.each(["x", "\\n", "é", "😀", "\\u4e2d"])("of %j keeps its ids, and memory stays small", (fill) => {
    const { records, grownMegabytes } = read(longLine(HUGE_MEGABYTES, fill));
    expect(records.map(({ line, kind }) => ({ line, kind }))).toEqual([
      { line: 1, kind: "assistant" },
      { line: 2, kind: "side" },
    ]);
    expect(records[0]).toMatchObject({ uuid: "u1", parentUuid: "p1", messageId: "m1", isAbridged: true });
    expect(records[0]).toMatchObject({ usage: { output: 7 }, offset: 0 });
    expect(records[0]?.length).toBe(BEGINNING.length + HUGE_MEGABYTES * MEGABYTE + END.indexOf("\n"));
    expect(callIds(records[0])).toEqual(["t1", "t2"]);
    expect(grownMegabytes).toBeLessThan(150);
  });

  test("below the limit is read whole", () => {
    const { records } = read(longLine(3, "x"), { maxLineBytes: 4 * MEGABYTE });
    expect(records[0]).toMatchObject({ uuid: "u1", isAbridged: false });
    expect(JSON.stringify(records[0]).length).toBeGreaterThan(3 * MEGABYTE);
  });

  test("over the limit is abridged even when it comes in one piece", () => {
    const whole = Buffer.concat([...longLine(3, "x")]);
    const { records } = read([whole], { maxLineBytes: 2 * MEGABYTE });
    expect(records[0]).toMatchObject({ uuid: "u1", isAbridged: true });
    expect(records).toEqual(read(longLine(3, "x"), { maxLineBytes: 2 * MEGABYTE }).records);
  });

  test("of NUL bytes, as a crash leaves them, hides no record behind it", () => {
    const hole = Array.from({ length: 100 }, () => Buffer.alloc(MEGABYTE));
    const { records, grownMegabytes } = read([...hole, Buffer.from('{"type":"user","uuid":"u1"}\n')]);
    expect(records).toMatchObject([{ kind: "user", uuid: "u1" }]);
    expect(grownMegabytes).toBeLessThan(150);
  });

  test("that is no JSON is one broken line, of which only the beginning is kept", () => {
    const { records } = read([...longLine(3, "\0")], { maxLineBytes: MEGABYTE });
    expect(records.map(({ kind }) => kind)).toEqual(["broken", "side"]);
    expect(JSON.stringify(records[0]).length).toBeLessThan(10_000);
  });
});
