import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Abridger } from "../../../src/format/reader/abridger.js";
import { cutAnywhere } from "../../builders/in-pieces.js";
import { runs } from "../../runs.js";

const KEPT_STRING_BYTES = 2048;
const KEPT_DEPTH = 4;

function abridge(...pieces: readonly Buffer[]): Buffer {
  const abridger = new Abridger();
  for (const piece of pieces) abridger.push(piece, 0, piece.length);
  return Buffer.from(abridger.finish());
}

const abridgeText = (text: string): string => abridge(Buffer.from(text)).toString();

/** Whether `short` is `full` with strings cut and lists and objects below the kept depth emptied. */
function isAbridgement(short: unknown, full: unknown, depth = 1): boolean {
  if (typeof full === "string") return typeof short === "string" && isBeginning(short, full);
  if (typeof full !== "object" || full === null) return Object.is(short, full);
  if (typeof short !== "object" || short === null || Array.isArray(short) !== Array.isArray(full)) return false;
  if (depth > KEPT_DEPTH) return Object.keys(short).length === 0;
  const values: Record<string, unknown> = { ...short };
  const entries = Object.entries(full);
  return (
    Object.keys(short).length === entries.length &&
    entries.every(([key, value]) => isAbridgement(values[key], value, depth + 1))
  );
}

/** A short string is kept whole; of a longer one only a character's worth is given up at the cut. */
function isBeginning(short: string, full: string): boolean {
  return full.startsWith(short) && (short === full || Buffer.byteLength(JSON.stringify(full)) > KEPT_STRING_BYTES);
}

const nearTheCut = fc.integer({ min: KEPT_STRING_BYTES - 20, max: KEPT_STRING_BYTES + 3 });
const awkward = fc.array(fc.constantFrom("\\", '"', "😀", "é", "中", "\n", "\u2028", "\u0001", "a"), {
  maxLength: 40,
});
const longString = fc.tuple(nearTheCut, awkward).map(([length, rest]) => `${"x".repeat(length)}${rest.join("")}tail`);
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 7, withCrossShrink: true },
    fc.oneof(fc.string({ unit: "grapheme" }), longString, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const anyObject = fc.dictionary(fc.string({ maxLength: 8 }), anyJson, { maxKeys: 6, noNullPrototype: true });
const asBytes = anyObject.map((value) => Buffer.from(JSON.stringify(value)));

/** As writers do that escape everything outside ASCII. */
const escaped = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);

describe("abridging", () => {
  test("keeps the structure of any object, with strings cut and deep values emptied", () => {
    const property = fc.property(anyObject, (value) => {
      const text = JSON.stringify(value);
      expect(isAbridgement(JSON.parse(abridgeText(text)), JSON.parse(text))).toBe(true);
    });
    fc.assert(property, runs(500));
  });

  test("does not depend on where chunks end", () => {
    const property = fc.property(cutAnywhere(asBytes), ({ bytes, pieces }) => {
      expect(abridge(...pieces).equals(abridge(bytes))).toBe(true);
    });
    fc.assert(property, runs(500));
  });

  test("cuts between characters, escapes and surrogate pairs, wherever the limit falls", () => {
    const text = fc.tuple(nearTheCut, awkward).map(([length, rest]) => "x".repeat(length) + rest.join(""));
    const property = fc.property(text, fc.constantFrom(JSON.stringify, escaped), (full, write) => {
      const short: unknown = JSON.parse(abridgeText(write(full)));
      expect(full.startsWith(String(short))).toBe(true);
      expect(String(short).length).toBeGreaterThanOrEqual(Math.min(full.length, 1000));
      expect(hasLoneSurrogate(String(short)) && !hasLoneSurrogate(full)).toBe(false);
    });
    fc.assert(property, runs(500));
  });

  test("keeps a lone surrogate, which is legal in JSON", () => {
    expect(JSON.parse(abridgeText(escaped("a\ud83d")))).toBe("a\ud83d");
  });

  test.each([
    ["backslashes", "\\".repeat(5000)],
    ["quotes", '"'.repeat(5000)],
    ["emoji", "😀".repeat(2000)],
    ["an escaped backslash before text that looks like a surrogate", `${"x".repeat(2040)}\\ud83d\n\n\n`],
  ])("survives a string full of %s", (_, text) => {
    expect(text.startsWith(JSON.parse(abridgeText(JSON.stringify(text))))).toBe(true);
    expect(text.startsWith(JSON.parse(abridgeText(escaped(text))))).toBe(true);
  });

  test("keeps what stands behind a long value", () => {
    const text = JSON.stringify({ message: { content: [{ text: "x".repeat(9999) }] }, uuid: "u1" });
    expect(JSON.parse(abridgeText(text))).toMatchObject({ uuid: "u1" });
  });

  test("keeps the record's own fields even behind a list without end", () => {
    const blocks = Array.from({ length: 400_000 }, (_, index) => ({ id: `toolu_${index}` }));
    const short: unknown = JSON.parse(
      abridgeText(JSON.stringify({ message: { content: blocks, id: "m1" }, uuid: "u1" })),
    );
    expect(short).toMatchObject({ message: { id: "m1" }, uuid: "u1" });
  });

  test.each([
    ["a hole of NUL in a string that is kept", `{"a":"x\u0000y"}`],
    ["a hole of NUL in a string that is cut", `{"a":"${"x".repeat(4000)}\u0000y"}`],
    ["a hole of NUL below the kept depth", `[[[[[["\u0000"]]]]]]`],
    ["a list that is never closed", `[[[[[[1,2]]]]]`],
    ["a string that is never closed", `{"a":"${"x".repeat(4000)}`],
  ])("does not make JSON of %s", (_, text) => {
    expect(() => JSON.parse(abridgeText(text))).toThrow(SyntaxError);
  });

  test.each([
    ["NUL", "\0"],
    ["digits", "1"],
    ["brackets", "["],
    ["strings", '"a"'],
    ["closing brackets", "]"],
  ])("stays small when a line is nothing but %s", (_, text) => {
    const chunk = Buffer.from(text.repeat(Math.floor(2 ** 20 / text.length)));
    expect(abridge(...Array<Buffer>(40).fill(chunk)).length).toBeLessThan(33 * 2 ** 20);
  });
});
