import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { type PlantedText, plantedSuite } from "./planted-suite.js";

const asText = (text: string) => createRedactor({ level: "mask" }).text(text);
const asField = (text: string) => createRedactor({ level: "mask" }).json({ stdout: text }).stdout;

const isLeft =
  (redact: (text: string) => string) =>
  ({ text, secrets }: PlantedText) => {
    const redacted = redact(text);
    return secrets.some((secret) => redacted.includes(secret));
  };

const recall = (texts: readonly PlantedText[], redact: (text: string) => string) =>
  1 - texts.filter(isLeft(redact)).length / texts.length;

describe.each([701, 702, 703])("all that is planted with seed %i", (seed) => {
  const suite = plantedSuite(seed);

  test.each([
    ["a text", asText],
    ["a field of a record", asField],
  ])("goes from %s: 99 of 100 as people write it, 60 of 100 of what is hidden", (_, redact) => {
    expect(recall(suite.standard, redact)).toBeGreaterThanOrEqual(0.99);
    expect(recall(suite.hard, redact)).toBeGreaterThanOrEqual(0.6);
  });

  test("is told from what only looks like it, but for 1 of 200", () => {
    const taken = suite.lookAlikes.filter((text) => asText(text) !== text);
    expect(taken.length / suite.lookAlikes.length).toBeLessThanOrEqual(0.005);
  });
});
