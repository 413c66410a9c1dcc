import fc from "fast-check";
import {
  assistant,
  attachment,
  callBlock,
  prompt,
  type Row,
  resultBlock,
  system,
  textBlock,
  thinkingBlock,
} from "../builders/session-builder.js";

const callId = fc.constantFrom("a", "b", "c", "d", "bad id", "");
const messageId = fc.nat(9).map((at) => `m${at}`);
const uuid = fc.nat(17).map((at) => `r${at}`);
const words = fc.constantFrom("go", "done", "", " \n", "half \ud83d", "<system-reminder>\nnote\n</system-reminder>");
const source = fc.constantFrom<unknown>(
  { type: "base64", media_type: "image/png", data: "AA==" },
  { type: "base64" },
  7,
);

const someCall = fc
  .tuple(callId, fc.constantFrom<unknown>({}, { k: [1] }, "raw", null))
  .map(([id, input]) => callBlock(id, input));
const someResult = fc
  .tuple(callId, fc.boolean(), anyResultContent())
  .map(([id, isError, content]) => resultBlock(id, content, { is_error: isError }));
const someThinking = fc.oneof(
  fc.constantFrom("x", "y", "half \ud83d").map((it) => thinkingBlock(it)),
  fc.constantFrom<Row>(
    thinkingBlock("unsigned", ""),
    { type: "redacted_thinking", data: "z" },
    { type: "redacted_thinking" },
  ),
);
const serverBlock = fc
  .constantFrom("s1", "s2")
  .chain((id) =>
    fc.constantFrom<Row>(
      { type: "server_tool_use", id, name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: id, content: [] },
    ),
  );
const oddBlock = fc.oneof(
  source.map((it) => ({ type: "image", source: it, cache_control: {} })),
  fc.constantFrom<unknown>(null, 7, "loose", {}, { type: "novelty" }, { type: "" }, { type: "search_result" }),
  fc.constantFrom<unknown>({ type: "tool_use" }, { type: "tool_result" }),
);
const userBlocks = fc.array(
  weighted([6, someResult], [4, words.map(textBlock)], [1, oddBlock], [1, someCall], [1, someThinking]),
  {
    maxLength: 4,
  },
);
const answerBlocks = fc.array(
  weighted(
    [6, someCall],
    [4, words.map(textBlock)],
    [4, someThinking],
    [3, serverBlock],
    [1, oddBlock],
    [1, someResult],
  ),
  { maxLength: 4 },
);

function weighted<T>(...options: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> {
  return fc.oneof(...options.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

function anyResultContent(): fc.Arbitrary<unknown> {
  const part = fc.oneof(
    words.map(textBlock),
    source.map((it) => ({ type: "image", source: it })),
    fc.constantFrom(null, "x"),
  );
  return fc.oneof(fc.constantFrom<unknown>("out", "", null, 7, { k: 1 }), fc.array(part, { maxLength: 3 }));
}

const anyLine: fc.Arbitrary<Row> = weighted<Row>(
  [6, userBlocks.map((it) => prompt(it))],
  [2, words.map((it) => prompt(it))],
  [9, fc.tuple(messageId, answerBlocks).map(([id, it]) => assistant(id, it))],
  [1, fc.tuple(messageId, answerBlocks).map(([id, it]) => assistant(id, it, { isAbortedMidStream: true }))],
  [1, answerBlocks.map((it) => assistant("e", it, { isApiErrorMessage: true }))],
  [1, words.map((it) => prompt(it, { isCompactSummary: true }))],
  [1, fc.array(uuid, { maxLength: 4 }).map((uuids) => boundary({ preservedMessages: { uuids } }))],
  [1, fc.tuple(uuid, uuid).map(([headUuid, tailUuid]) => boundary({ preservedSegment: { headUuid, tailUuid } }))],
  [1, words.map((content) => system("local_command", { content }))],
  [2, fc.tuple(words, fc.constantFrom("user", "system")).map(([it, role]) => rendered("date", it, role))],
  [1, words.map((it) => attachment("queued_command", { prompt: it }))],
  [1, fc.constantFrom<Row>({ type: "progress" }, { type: "novelty" }, { type: "mode" })],
);

function boundary(compactMetadata: Row): Row {
  return system("compact_boundary", { parentUuid: null, compactMetadata });
}

function rendered(type: string, content: string, renderedRole: string): Row {
  return attachment(type, {}, { rendered: [{ content }], renderedRole });
}

/** Mostly a chain; now and then a fork, a root, a missing parent, a cycle, a sub-agent's record. */
const place: fc.Arbitrary<Row> = weighted<Row>(
  [20, fc.constant({})],
  [2, uuid.map((parentUuid) => ({ parentUuid }))],
  [1, fc.constantFrom<Row>({ parentUuid: null }, { parentUuid: "gone" }, { isSidechain: true })],
);

/** Lines of every kind in any order, with calls, results and messages that fit together often, but by chance. */
export function randomSession(): fc.Arbitrary<Row[]> {
  return fc
    .array(fc.tuple(anyLine, place), { maxLength: 18, size: "max" })
    .map((lines) => lines.map(([line, where], at) => ({ uuid: `r${at}`, ...line, ...where })));
}
