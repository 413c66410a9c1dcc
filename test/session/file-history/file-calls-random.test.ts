import fc from "fast-check";
import { expect, test } from "vitest";
import { toFileCalls } from "../../../src/format/record/file-changes.js";
import { contentAt, foldFile } from "../../../src/session/file-history/fold-file.js";
import { countLines, diffContents, formatFilePatch } from "../../../src/session/file-history/unified-diff.js";
import { runs } from "../../runs.js";

const someNumber = fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constantFrom(1e15, Number.MAX_VALUE, 0.5));
const someText = fc.constantFrom("", "a", "a\nb", "a\nb\n", "-a", "+b", " a", "\\ No newline", "+x\n--- a/y");
const someHunk = fc.record(
  {
    oldStart: someNumber,
    oldLines: someNumber,
    newStart: someNumber,
    newLines: someNumber,
    lines: fc.oneof(fc.array(fc.oneof(someText, fc.jsonValue())), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const noted = fc.record(
  {
    type: fc.constantFrom("create", "update", "text", 7),
    filePath: fc.oneof(someText, fc.jsonValue()),
    content: fc.oneof(someText, fc.jsonValue()),
    originalFile: fc.oneof(someText, fc.constant(null), fc.jsonValue()),
    oldString: someText,
    newString: someText,
    replaceAll: fc.boolean(),
    structuredPatch: fc.oneof(fc.array(someHunk), fc.jsonValue()),
    edits: fc.oneof(fc.array(fc.record({ old_string: someText, new_string: fc.jsonValue() })), fc.jsonValue()),
    file: fc.oneof(fc.record({ content: someText, startLine: someNumber, numLines: someNumber }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const someCall = fc.record({
  name: fc.constantFrom("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "constructor"),
  input: fc.oneof(fc.record({ file_path: someText, content: someText, old_string: someText }), fc.jsonValue()),
  result: fc.constantFrom(null, "File created successfully at: a", "fine"),
  resultData: fc.oneof(noted, fc.jsonValue()),
});

test("whatever a session says about its files, something can be told and nothing breaks", () => {
  fc.assert(
    fc.property(fc.array(someCall, { maxLength: 6 }), (calls) => {
      const events = calls.flatMap((told, turn) =>
        toFileCalls(told).map((call) => ({ kind: "call" as const, turn, call })),
      );
      const { before, after } = foldFile(events) ?? {};
      const text = formatFilePatch(diffContents("a", before ?? null, after ?? ""));
      expect(text.match(/^diff --git /gm)).toHaveLength(1);
      expect(contentAt(events, 3).doubts.length).toBeLessThanOrEqual(calls.length + 1);
      expect(events.flatMap(({ call }) => call.hunks.flatMap(({ lines }) => lines.join("").match(/\n/) ?? []))).toEqual(
        [],
      );
    }),
    runs(500),
  );
});

test("a file that changed in thousands of lines is still a diff", () => {
  const before = Array.from({ length: 9000 }, (_, line) => `old ${line}\n`).join("");
  const after = Array.from({ length: 8000 }, (_, line) => `new ${line}\n`).join("");
  const { hunks } = diffContents("a", before, after);
  expect(countLines(hunks)).toEqual({ added: 8000, removed: 9000 });
  expect(hunks).toMatchObject([{ oldStart: 1, oldLines: 9000, newStart: 1, newLines: 8000 }]);
});
