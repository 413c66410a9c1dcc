import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listMembers, listStrings, memberFinder } from "../../../src/format/reader/json-members.js";
import {
  isStringOpenAt,
  JsonWalker,
  NOT_JSON,
  readString,
  skipValue,
} from "../../../src/format/reader/json-scanner.js";
import { runs } from "../../runs.js";

const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });

/** All that the walker reports of a text, which it gets in pieces of the given length. */
function walk(bytes: Buffer, pieceLength: number): string {
  const events: string[] = [];
  class Recorder extends JsonWalker {
    protected override openString = () => events.push("(");
    protected override passText = (piece: Buffer, start: number, end: number) =>
      events.push(piece.toString("latin1", start, end));
    protected override closeString = () => events.push(")");
    protected override open = (byte: number) => events.push(`+${this.depth}${String.fromCharCode(byte)}`);
    protected override close = (byte: number) => events.push(`-${this.depth}${String.fromCharCode(byte)}`);
    protected override passByte = (byte: number) => events.push(String.fromCharCode(byte));
  }
  const recorder = new Recorder();
  for (let at = 0; at < bytes.length; at += pieceLength)
    recorder.push(bytes, at, Math.min(bytes.length, at + pieceLength));
  return events.join("");
}

describe("the scanner of JSON bytes", () => {
  test("skips exactly one value", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", ",", "]", " ", '"{'), (text, rest) => {
        const isScalar = !/^["{[]/.test(text);
        const bytes = Buffer.from(text + (isScalar && rest.startsWith('"') ? "" : rest));
        expect(skipValue(bytes, 0, bytes.length)).toBe(Buffer.byteLength(text));
      }),
      runs(200),
    );
  });

  test("says that a string or object without its end is not JSON", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), object), fc.nat(), (value, cut) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(skipValue(bytes, 0, cut % bytes.length || 1)).toBe(NOT_JSON);
      }),
      runs(200),
    );
  });

  test("reads strings as JSON.parse does, lone surrogates included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (lone, text) => {
        const value = `${lone}\ud800\\"${text}`;
        const bytes = Buffer.from(JSON.stringify(value));
        expect(readString(bytes, 0, bytes.length)).toBe(value);
      }),
      runs(200),
    );
  });

  test("takes no malformed escape for text", () => {
    expect(readString(Buffer.from('"\\x"'), 0, 4)).toBeNull();
    expect(readString(Buffer.from('"\\u12"'), 0, 6)).toBeNull();
  });

  test("knows whether a string is open, from any place before", () => {
    fc.assert(
      fc.property(json, fc.nat(), (text, place) => {
        const bytes = Buffer.from(text);
        const at = place % (bytes.length + 1);
        const isOpen = isStringOpenAt(bytes, 0, at, false);
        const quotes = bytes.toString("latin1", 0, at).replace(/\\./g, "").split('"').length - 1;
        expect(isOpen).toBe(quotes % 2 === 1);
        expect(isStringOpenAt(bytes, at, bytes.length, isOpen)).toBe(false);
      }),
      runs(200),
    );
  });

  test("reports the same of any text, sound or damaged, however it is cut into pieces", () => {
    const damaged = fc
      .tuple(json, fc.nat(), fc.constantFrom("", '"', "\\", "}", "[", "\0"))
      .map(([text, at, by]) => text.slice(0, at % (text.length + 1)) + by + text.slice(at % (text.length + 1)));
    fc.assert(
      fc.property(damaged, fc.integer({ min: 1, max: 9 }), (text, pieceLength) => {
        const bytes = Buffer.from(text);
        expect(walk(bytes, pieceLength)).toBe(walk(bytes, bytes.length));
      }),
      runs(300),
    );
  });
});

describe("the members of an object", () => {
  test("are listed with the places of their values", () => {
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
        const bytes = Buffer.from(`\0${JSON.stringify(value, null, indent)}`);
        const members = listMembers(bytes).map(({ key, start, end }) => [
          key,
          JSON.parse(bytes.toString("utf8", start, end)),
        ]);
        expect(members).toEqual(Object.entries(JSON.parse(JSON.stringify(value))));
      }),
      runs(200),
    );
  });

  test("are listed up to the first damage, repeated keys included", () => {
    const names = (text: string) => listMembers(Buffer.from(text)).map(({ key }) => key);
    expect(names('{"a":1,"a":2,"b":"x"')).toEqual(["a", "a", "b"]);
    expect(names('{"a":1,"b" 2,"c":3}')).toEqual(["a"]);
    expect(names('["a"]')).toEqual([]);
  });

  test("are found by name however the key is spelled, and not inside other values", () => {
    const bytes = Buffer.from('{"in":{"id":1},"text":"\\"id\\":2","\\u0069d":3,"id":4}');
    const member = memberFinder("id")(bytes, 0, bytes.length);
    expect(member && bytes.toString("utf8", member.start, member.end)).toBe("3");
  });

  test("hold strings at any depth, each with the key before it", () => {
    const bytes = Buffer.from('{"a":["x",{"b":"y"}],"c":{"d":["z"]}}');
    const [a, c] = listMembers(bytes);
    const strings = [a, c].flatMap((member) => (member ? [...listStrings(bytes, member)] : []));
    expect(strings.map(({ key, start, end }) => `${key}=${bytes.toString("utf8", start, end)}`)).toEqual([
      'a="x"',
      'b="y"',
      'd="z"',
    ]);
  });
});
