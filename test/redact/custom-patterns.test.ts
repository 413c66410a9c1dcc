import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { parseCustomPatterns } from "../../src/redact/custom-patterns.js";

const parse = (value: unknown) => parseCustomPatterns(JSON.stringify(value));

describe("custom patterns", () => {
  test("are removed under their own names, at both levels", async () => {
    const { patterns } = await parse({ ticket: "SHOP-\\d+", customer: { pattern: "acme corp", flags: "i" } });
    const text = "SHOP-12 and SHOP-13 of ACME Corp, again SHOP-12";
    const expected = "[REDACTED:ticket:1] and [REDACTED:ticket:2] of [REDACTED:customer:1], again [REDACTED:ticket:1]";
    expect(createRedactor({ level: "mask", customPatterns: patterns }).text(text)).toBe(expected);
    expect(createRedactor({ level: "redact", customPatterns: patterns }).text(text)).toBe(expected);
  });

  test("may be called like our own kinds", async () => {
    const { patterns } = await parse({ home: "Elm Street \\d+" });
    expect(createRedactor({ level: "mask", customPatterns: patterns }).text("at Elm Street 12")).toBe(
      "at [REDACTED:home:1]",
    );
  });

  test("do not reach into placeholders", async () => {
    const { patterns } = await parse({ everything: "\\w+" });
    const redactor = createRedactor({ level: "mask", customPatterns: patterns });
    expect(redactor.text("one [REDACTED:aws-key:1]")).toBe("[REDACTED:everything:1] [REDACTED:aws-key:1]");
  });

  test.each([
    ["x*", "matches the empty string"],
    ["", "matches the empty string"],
    ["\\b", "matches the empty string"],
    ["(?=z)", "matches the empty string"],
    ["(", "Unterminated group"],
    [7, "expected a regular expression"],
    [{ flags: "i" }, "expected a regular expression"],
    [{ pattern: "a", flags: "y" }, 'not "y"'],
    [{ pattern: "a", flags: "uv" }, "Invalid flags"],
    [null, "expected a regular expression"],
  ])("%j is reported, and the others are used", async (bad, reason) => {
    const { patterns, problems } = await parse({ bad, good: "abc" });
    expect(patterns.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toEqual([{ name: "bad", reason: expect.stringContaining(reason) }]);
  });

  test.each(["", "a b", "a:1", "a]", "x".repeat(65)])("the name %j cannot stand in a placeholder", async (name) => {
    expect((await parse({ [name]: "abc" })).problems).toEqual([
      { name, reason: expect.stringContaining("a name has") },
    ]);
  });

  test.each([
    ["{", "not JSON"],
    ["[]", "one JSON object"],
    ["null", "one JSON object"],
    ['"x"', "one JSON object"],
  ])("the file %s is reported as a whole", async (text, reason) => {
    expect(await parseCustomPatterns(text)).toEqual({
      patterns: [],
      problems: [{ name: "", reason: expect.stringContaining(reason) }],
    });
  });
});
