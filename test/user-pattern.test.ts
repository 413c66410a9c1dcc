import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileUserPattern } from "../src/user-pattern.js";

const places = async (source: string, flags: string, text: string) => [
  ...(await compileUserPattern(source, flags)).find(text),
];

describe("no text makes a pattern run for long", () => {
  const LONG = `${"a".repeat(200_000)}!`;

  test.each([
    "(a+)+$",
    "(a|a)*b",
    "(a|aa)+$",
    "([a-zA-Z]+)*$",
    "(.*a){20}b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "a+b",
    "(x*)*y|(a*)*b",
    "(?<=a+)b",
  ])("%s reads it in one pass", async (source) => {
    const pattern = await compileUserPattern(source, "im");
    const native = () => expect.unreachable("a pattern that RE2 knows runs in V8");
    const { test: inV8 } = RegExp.prototype;
    RegExp.prototype.test = native;
    try {
      expect([pattern.matches(LONG), pattern.matches(`${"a".repeat(40)}?`)]).toEqual([
        pattern.matches("aa!"),
        pattern.matches("aa?"),
      ]);
    } finally {
      RegExp.prototype.test = inV8;
    }
  });

  test.each(["(a+)+\\1$", "(?=(a+)+$)b", "(?!(a|a)*c)(a|a)*b"])("%s is ended", async (source) => {
    const pattern = await compileUserPattern(source, "m");
    const text = `${"a".repeat(40)}!`;
    const slow = expect.objectContaining({ code: "usage", message: expect.stringContaining("takes too long") });
    expect(() => pattern.matches(text)).toThrow(slow);
    expect(() => [...pattern.find(text)]).toThrow(slow);
    expect(pattern.matches("c")).toBe(false); // and works again
  });
});

describe("a pattern means what it means in JavaScript", () => {
  const ATOMS = ["a", "b", "B", ".", "\\w", "\\s", "\\S", "\\d", "[ab]", "[^a\\s]", "[$x]", "\\$", "é", "\\u00e9"];
  const sequenceOf = (quantifiers: readonly string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...quantifiers)), { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.map((piece) => piece.join("")).join(""));
  const sequence = sequenceOf(["", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}"]);
  const solid = sequenceOf(["", "+", "{2}"]); // rounds of a group that match nothing are told apart by no user
  const source = fc.oneof(
    sequence,
    fc.tuple(solid, solid).map(([a, b]) => `(?:${a}|${b})+`),
    sequence.map((a) => `^${a}`),
    sequence.map((a) => `${a}$`),
    sequence.map((a) => `\\b${a}`),
  );
  const text = fc.array(fc.constantFrom(..."aabbB1 \n_-$xéÉ\u00a0\u3000支😀".split("")), { maxLength: 12 });

  test("at random", async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.constantFrom("m", "im"), text, async (pattern, flags, characters) => {
        const searched = characters.join("");
        const native = [...searched.matchAll(new RegExp(pattern, `${flags}gu`))];
        expect(await places(pattern, flags, searched)).toEqual(
          native.map(({ 0: match, index }) => ({ start: index, end: index + match.length })),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["foo$", "", "foo\r\nbar", false],
    ["foo$", "m", "foo\r\nbar", true],
    ["\\p{Script=Han}{2}", "", "x支付", true],
    ["\\p{sc=Greek}", "", "x支付", false],
    ["\\u{1F600}", "", "😀", true],
    ["(?<year>\\d{4})-\\k<year>", "", "2024-2024", true],
    ["(?<!x)foo(?=bar)", "", "xfoobar foobar", true],
    ["[a--b]", "v", "a", true],
    ["a{1001}", "", "a".repeat(1001), true],
    ["a.b", "s", "a\nb", true],
    ["\\Qa.b\\E", "", "Qa-bE", true],
    ["[[:alpha:]]x", "", "b]x", false],
    ["^[[:a]]x", "", "a]x", true],
  ])("%s with the flags %j", async (source, flags, text, isFound) => {
    expect((await compileUserPattern(source, flags)).matches(text)).toBe(isFound);
  });

  test("what neither engine knows is a syntax error", async () => {
    await expect(compileUserPattern("(", "")).rejects.toThrow(SyntaxError);
  });
});
