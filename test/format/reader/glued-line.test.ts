import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { runs } from "../../runs.js";

const user = (uuid: string): string =>
  JSON.stringify({ parentUuid: null, type: "user", message: { role: "user", content: `{"a": [1]} "${uuid}"` }, uuid });

/** What 2.1.45 writes while a sub-agent works: a whole record of the sub-agent inside one of the main chain. */
const progress = JSON.stringify({
  type: "progress",
  data: {
    message: JSON.parse(user("inner")),
    normalizedMessages: [JSON.parse(user("inner-too"))],
    type: "agent_progress",
  },
  uuid: "outer",
});

const found = (text: string): string[] =>
  parseRecords(text).map((record) =>
    record.kind === "broken" ? `broken ${record.text}` : (record.uuid ?? record.type),
  );

/** A record that was torn just before a value cannot be told from one that holds the next as its value. */
function mayContinueWithObject(torn: string): boolean {
  const outsideStrings = torn.replace(/"(\\.|[^"\\])*("|\\?$)/g, '"');
  return /[:,[]$/.test(outsideStrings);
}

describe("glued lines", () => {
  test.each([
    ["two records", user("a") + user("b"), ["a", "b"]],
    ["three records", user("a") + user("b") + user("c"), ["a", "b", "c"]],
    ["a torn record and a whole one", `{"type":"us${user("a")}`, ['broken {"type":"us', "a"]],
    ["a whole record and a torn one", `${user("a")}{"type":"us`, ["a", 'broken {"type":"us']],
    ["a torn one between two", `${user("a")}{"ty${user("b")}`, ["a", 'broken {"ty', "b"]],
    ["garbage around records", `xx${user("a")}yy${user("b")}zz`, ["broken xx", "a", "broken yy", "b", "broken zz"]],
    ["records with blanks between them", `${user("a")} \r${user("b")}`, ["a", "b"]],
    ["a hole of NUL between records", `${user("a")}\0\0\0${user("b")}`, ["a", "b"]],
    ["a record without uuid", `{"type":"mo{"type":"mode","mode":"plan"}`, ['broken {"type":"mo', "mode"]],
    ["a type from the future", `{"x{"type":"new","uuid":"n"}`, ['broken {"x', "n"]],
    ["two of a type from the future", '{"type":"new","x":1} {"type":"new","x":1}', ["new", "new"]],
    ["one of a type from the future before a torn one", '{"type":"new"}{"type":"us', ["new", 'broken {"type":"us']],
  ])("give the records of %s", (_, text, expected) => {
    expect(found(`${text}\n`)).toEqual(expected);
  });

  test("tell only the last fragment of a growing file to be unfinished", () => {
    const [first, , last] = parseRecords(`xx${user("a")}{"type":"us`);
    expect(first).toMatchObject({ kind: "broken", isTruncatedTail: false });
    expect(last).toMatchObject({ kind: "broken", isTruncatedTail: true });
  });

  test("of a type from the future are not believed behind a fragment", () => {
    const text = '{"type":"us{"type":"new","x":1}';
    expect(found(`${text}\n`)).toEqual([`broken ${text}`]);
  });

  test("do not include a record that stands inside another, wherever that was cut", () => {
    const cuts = Array.from({ length: progress.length - 2 }, (_, index) => `${progress.slice(0, index + 1)}\n`);
    expect(cuts.flatMap((text) => parseRecords(text)).filter(({ kind }) => kind !== "broken")).toEqual([]);
  });

  test("give back every whole record, whatever was torn before it", () => {
    const anywhere = fc.nat({ max: progress.length - 1 });
    const property = fc.property(anywhere, anywhere, (first, second) => {
      const torn = (length: number) => progress.slice(0, length);
      const records = found(`${torn(first)}${user("a")}${torn(second)}\n${user("b")}\n`);
      expect(records).toContain("b");
      expect(records.includes("inner")).toBe(false);
      expect(records.includes("a") || mayContinueWithObject(torn(first))).toBe(true);
    });
    fc.assert(property, runs(500));
  });

  test("of many megabytes are given up in reasonable time", () => {
    const text = '{"'.repeat(1_500_000);
    expect(parseRecords(`${text}\n${user("a")}\n`).map(({ kind }) => kind)).toEqual(["broken", "user"]);
  });
});
