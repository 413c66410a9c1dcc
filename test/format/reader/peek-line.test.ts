import { expect, test } from "vitest";
import type { Line } from "../../../src/format/reader/parse-line.js";
import { createPeeker, type Peeked } from "../../../src/format/reader/peek-line.js";
import { LineSplitter } from "../../../src/format/reader/record-reader.js";

function peek(text: string): Peeked[] {
  const peeked: Peeked[] = [];
  const peek = createPeeker();
  const splitter = new LineSplitter((line: Line) => peeked.push(peek(line)));
  splitter.push(Buffer.from(text));
  splitter.end();
  return peeked;
}

test.each<[string, string, Peeked]>([
  ["a record", '{"parentUuid":"p-1","isSidechain":false,"type":"user"}', { parentUuid: "p-1" }],
  [
    "one with which a conversation begins",
    '{"parentUuid":null,"isSidechain":false,"type":"user"}',
    { parentUuid: null },
  ],
  ["a boundary", '{"parentUuid":null,"logicalParentUuid":"p-1","isSidechain":false}', { parentUuid: null }],
  ["a record of a sub-agent", '{"parentUuid":"p-1","isSidechain":true,"agentId":"a"}', "beside"],
  ["the first of a sub-agent", '{"parentUuid":null,"isSidechain":true,"agentId":"a"}', "beside"],
  ["what clients write beside the conversation", '{"type":"file-history-snapshot","messageId":"m"}', "beside"],
  ["where it ends", '{"type":"last-prompt","leafUuid":"p-1"}', "beside"],
  ["an empty line", "\n", "beside"],
  ["another order of keys", '{"type":"user","parentUuid":"p-1"}', "unclear"],
  ["no word about sub-agents", '{"parentUuid":"p-1","type":"user"}', "unclear"],
  ["an id with escapes", '{"parentUuid":"p\\u002d1","isSidechain":false}', "unclear"],
  ["two records on one line", '{"type":"mode","mode":"x"}{"parentUuid":"p-1","isSidechain":false}', "unclear"],
  ["a type from the future", '{"type":"dream","of":"sheep"}', "unclear"],
  ["a torn line", '{"parentUuid":"p-1', "unclear"],
  ["no JSON at all", "\u0000\u0000\u0000", "unclear"],
])("%s", (_, text, expected) => {
  expect(peek(text)[0]).toEqual(expected);
});

test("what stands in one line is not taken for another's", () => {
  const record = '{"parentUuid":"p-1","isSidechain":false,"type":"user"}';
  const log = '{"type":"mode","mode":"x"}';
  expect(
    peek([record, log, log, `${log}${record}`, record, `{"type":"mode","mo${record}`, log, record].join("\n")),
  ).toEqual([
    ...[{ parentUuid: "p-1" }, "beside", "beside", "unclear"],
    ...[{ parentUuid: "p-1" }, "unclear", "beside", { parentUuid: "p-1" }],
  ]);
});
