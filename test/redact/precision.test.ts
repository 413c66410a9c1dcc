import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { lookAlikes } from "./look-alikes.js";

const redact = (text: string) => createRedactor({ level: "mask" }).text(text);

describe("what only looks like a secret stays", () => {
  test("there are more than two hundred of them", () => {
    expect(lookAlikes(1).length).toBeGreaterThan(200);
  });

  test.each([1, 2, 3, 4, 5])("in plain text (seed %i)", (seed) => {
    const hits = lookAlikes(seed).filter((text) => redact(text) !== text);
    expect(hits).toEqual([]);
  });

  test.each([1, 2])("as a line of JSON inside JSON (seed %i)", (seed) => {
    const escaped = lookAlikes(seed).map((text) =>
      JSON.stringify({ content: JSON.stringify({ stdout: `${text}\n` }) }),
    );
    expect(escaped.filter((text) => redact(text) !== text)).toEqual([]);
  });

  test("all together in one text", () => {
    const text = lookAlikes(6).join("\n\n");
    expect(redact(text)).toBe(text);
  });
});
