import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textMatcher } from "../../../src/library/search/search-request.js";
import { hitSnippet, promptLine } from "../../../src/library/search/snippet.js";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { runs } from "../../runs.js";

/** Put together here so that no scanner takes this file for a leak. */
const SECRET = ["ghp", "0123456789abcdef0123456789abcdef0123"].join("_");
const OTHER = ["ghp", "fedcba9876543210fedcba9876543210fedc"].join("_");
const PIECE = 12;
const redactor = createRedactor({ level: "mask" });
const mask = (text: string) => redactor.text(text, "snippet");
const words = (text: string) => textMatcher({ text, mode: "words", filter: {} });
const filler = (length: number) => "some filler words ".repeat(Math.ceil(length / 18)).slice(0, Math.max(0, length));

/** Whether any part of the secret that could be of use is shown. */
function leaks(shown: string): boolean {
  return Array.from({ length: SECRET.length - PIECE }, (_, at) => SECRET.slice(at, at + PIECE)).some((piece) =>
    shown.includes(piece),
  );
}

test("the match is shown with its marks", () => {
  const { text, marks } = hitSnippet(`${filler(3000)} needle ${filler(3000)}`, words("needle"), mask);
  expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(["needle"]);
  expect(text).toMatch(/^….*…$/);
});

test("without a mask it is the same snippet", () => {
  const text = `${filler(500)} needle ${filler(300)} needle hay ${filler(500)}`;
  expect(hitSnippet(text, words("needle hay"), mask)).toEqual(hitSnippet(text, words("needle hay")));
});

test.each([0, 30, 150, 600, 2000, 32_700, 32_760, 32_800, 33_000])(
  "a secret %i characters before or after a match is not shown, not even in part",
  (distance) => {
    for (const text of [
      `${SECRET} ${filler(distance)} needle`,
      `needle ${filler(distance)} ${SECRET}`,
      `${filler(40_000)} ${SECRET} ${filler(distance)} needle ${filler(distance)} ${SECRET} ${filler(40_000)}`,
    ]) {
      expect(leaks(hitSnippet(text, words("needle"), mask).text)).toBe(false);
    }
  },
);

describe("what is looked for may be the secret itself", () => {
  test.each([0, 100, 32_760, 40_000])("after %i characters", (distance) => {
    const text = `${SECRET} ${filler(distance)} ${SECRET} end ${filler(distance)} ${SECRET}`;
    const { text: shown, marks } = hitSnippet(text, words(SECRET.slice(4)), mask);
    expect(leaks(shown)).toBe(false);
    expect(marks).toEqual([]);
  });

  test("the snippet is where it stood", () => {
    const text = `${filler(9000)} before ${SECRET} after ${filler(9000)}`;
    expect(hitSnippet(text, words(SECRET), mask).text).toMatch(/before \S+ after/);
  });
});

test.each([8 * 1024, 32 * 1024])(
  "a secret that is cut %i characters before another that was looked for stays hidden",
  (window) => {
    for (let shift = 0; shift < SECRET.length; shift += 3) {
      const text = `${SECRET} ${filler(window - shift)} ${OTHER} end`;
      expect(leaks(hitSnippet(text, words(OTHER), mask).text)).toBe(false);
    }
  },
);

test("large secrets that fall together bring no cut one near", () => {
  const keyOf = (length: number) => {
    const body = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n`.repeat(1000).slice(0, length - 54);
    return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
  };
  for (let shift = 2; shift < SECRET.length; shift += 3) {
    const keys = [keyOf(8 * 1024 - shift), keyOf(8 * 1024), keyOf(8 * 1024), keyOf(8 * 1024)].join("");
    expect(mask(keys).length).toBeLessThan(300);
    expect(leaks(hitSnippet(`${SECRET} ${keys}needle`, words("needle"), mask).text)).toBe(false);
    expect(leaks(hitSnippet(`needle ${keys} ${SECRET}`, words("needle"), mask).text)).toBe(false);
  }
});

test("wherever secrets and matches stand, no secret is shown", () => {
  const piece = fc.oneof(
    fc.constantFrom(SECRET, "needle", "hay", `TOKEN=${SECRET}`, "漢字", "\n\n"),
    fc.constantFrom(10, 100, 700, 8000, 16_000, 32_000).map(filler),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom("needle", "needle hay", "漢", SECRET),
      (pieces, query) => {
        expect(leaks(hitSnippet(pieces.join(" "), words(query), mask).text)).toBe(false);
      },
    ),
    runs(150),
  );
});

test.each([0, 20, 60, 90, 110, 380])("the line of a prompt shows no secret after %i characters", (distance) => {
  expect(leaks(promptLine(`${filler(distance)} ${SECRET} and more`, mask))).toBe(false);
  expect(leaks(promptLine(`${" \n".repeat(distance)} ${SECRET} and more`, mask))).toBe(false);
});

test("the line of a prompt is one line", () => {
  expect(promptLine("fix\n\n  the   tests")).toBe("fix the tests");
});
