import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { anySession } from "../../builders/any-session.js";
import { anySmallCorpusFile, corpusBytes } from "../../builders/corpus-bytes.js";
import { outlineJson } from "../../builders/outline-json.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";

function expectSkeletonToSuffice(bytes: Buffer | string): void {
  expect(outlineJson(parseRecords(bytes, { abridge: true }))).toEqual(outlineJson(parseRecords(bytes)));
}

/** Makes every text of a record long: what the skeleton needs must not depend on the length of the rest. */
function stretch(value: unknown, pad: string): unknown {
  if (Array.isArray(value)) return value.map((item) => stretch(item, pad));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      TEXT_KEYS.has(key) && typeof item === "string" ? item + pad : stretch(item, pad),
    ]),
  );
}

const TEXT_KEYS = new Set(["text", "content", "thinking", "prompt", "stdout", "lastPrompt", "summary", "customTitle"]);

function stretchFile(bytes: Buffer | string, pad: string): string {
  return parseRecords(bytes)
    .map((record) => (record.kind === "broken" ? record.text : JSON.stringify(stretch(record.raw, pad))))
    .join("\n");
}

const long = "x".repeat(6000);
const line = (record: object): string => JSON.stringify(record);
const result = (block: object): string =>
  line({ type: "user", uuid: "u", message: { content: [{ type: "tool_result", tool_use_id: "t", ...block }] } });

describe("the skeleton of a session", () => {
  test.each(corpusSessions())("tells as much as the whole of %s", (path) => {
    expectSkeletonToSuffice(corpusBytes(path));
  });

  test("tells as much as the whole, however long the texts are", () => {
    const pads = fc.constantFrom(
      long,
      "中".repeat(3000),
      `${long}[Request interrupted by user for tool use]`,
      `${long}</system-reminder>`,
      `${long}</command-args>`,
    );
    const recorded = fc.property(anySmallCorpusFile(), pads, (bytes, pad) => {
      expectSkeletonToSuffice(stretchFile(bytes, pad));
    });
    const invented = fc.property(anySession(), pads, (lines, pad) => {
      expectSkeletonToSuffice(stretchFile(lines.join("\n"), pad));
    });
    fc.assert(recorded, runs(60));
    fc.assert(invented, runs(60));
  });

  test.each([
    ["a torn record before another", `${line({ type: "user", text: long }).slice(0, -9)}${line({ type: "mode" })}`],
    ["a hole of NUL in a long text", line({ type: "user", text: long }).replace("xxxx", "\0\0\0\0")],
    [
      "an interrupt at the end of a long error",
      result({ is_error: true, content: `${long}[Request interrupted by user for tool use]` }),
    ],
    [
      "an error in a list",
      result({ is_error: true, content: [{ type: "text", text: `The user doesn't want${long}` }] }),
    ],
    [
      "an error of a server-side tool",
      line({
        type: "assistant",
        uuid: "a",
        message: {
          content: [
            { type: "server_tool_use", id: "t", name: "web_search", input: { query: long } },
            { type: "web_search_tool_result", tool_use_id: "t", content: { type: "web_search_tool_result_error" } },
          ],
        },
      }),
    ],
    [
      "a local command with long arguments",
      line({
        type: "system",
        subtype: "local_command",
        uuid: "s",
        content: `<command-args>${"中".repeat(3000)}</command-args><command-name>/rename</command-name>`,
      }),
    ],
    [
      "three thousand calls in one record",
      line({
        type: "assistant",
        uuid: "a",
        message: {
          content: Array.from({ length: 3000 }, (_, index) => ({ type: "tool_use", id: `t${index}`, pad: long })),
        },
      }),
    ],
  ])("is right about %s", (_, text) => {
    expectSkeletonToSuffice(`${text}\n`);
  });
});
