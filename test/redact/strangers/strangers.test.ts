import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { FIFTH_HARD } from "./fifth-hard.js";
import { FIRST_HARD } from "./first-hard.js";
import { FOURTH_HARD } from "./fourth-hard.js";
import { hardStrangers, type Stranger, strangeLookAlikes, strangers } from "./read-strangers.js";
import { SECOND_HARD } from "./second-hard.js";
import { THIRD_HARD } from "./third-hard.js";

const redact = (text: string) => createRedactor({ level: "mask" }).text(text);
const isLeft = ({ text, secrets }: Stranger) => {
  const redacted = redact(text);
  return secrets.some((secret) => redacted.includes(secret));
};
const seeds = process.env["TURNLOG_SOAK"] ? [1, 2, 3, 4, 5, 6] : [1];

// The sets hold what nobody finds too: a share is asked for, not everything.
describe.each(seeds)("of notations that were written down without knowing the rules (seed %i)", (seed) => {
  test.each([
    ["first-standard.txt", 0.985],
    ["second-standard.txt", 0.92],
    ["third-standard.txt", 0.97],
    ["fourth-standard.txt", 0.95],
    ["fifth-standard.txt", 0.96],
  ])("almost all secrets of %s are found", (file, share) => {
    const all = strangers(file, seed);
    expect(all.filter(isLeft).length / all.length).toBeLessThanOrEqual(1 - share);
  });

  test.each([
    ["first", FIRST_HARD, 0.75],
    ["second", SECOND_HARD, 0.8],
    ["third", THIRD_HARD, 0.95],
    ["fourth", FOURTH_HARD, 0.88],
    ["fifth", FIFTH_HARD, 0.93],
  ] as const)("most hidden ones of the %s set are found", (_, notations, share) => {
    const all = hardStrangers(notations, seed);
    expect(all.filter(isLeft).length / all.length).toBeLessThanOrEqual(1 - share);
  });

  test.each(["first", "second", "third", "fourth", "fifth"].map((set) => `${set}-look-alikes.txt`))(
    "hardly any look-alike of %s is taken",
    (file) => {
      const all = strangeLookAlikes(file, seed);
      expect(all.filter((text) => redact(text) !== text).length / all.length).toBeLessThanOrEqual(0.005);
    },
  );
});
