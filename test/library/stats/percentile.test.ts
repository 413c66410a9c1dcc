import fc from "fast-check";
import { expect, test } from "vitest";
import { percentile, withoutCancelled } from "../../../src/library/stats/tool-stats.js";
import { runs } from "../../runs.js";

const durations = fc.array(fc.integer({ min: -5, max: 50 }));

test("of nothing there is no percentile", () => {
  expect(percentile(new Float64Array(), 50)).toBeNull();
});

test("a percentile is the value at its rank among all values in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1 }),
      fc.integer({ min: 0, max: 100 }),
      (values, percent) => {
        const sorted = values.toSorted((a, b) => a - b);
        const rank = Math.max(1, Math.ceil((percent / 100) * values.length));
        expect(percentile(Float64Array.from(values), percent)).toBe(sorted[rank - 1]);
      },
    ),
    runs(200),
  );
});

test("what is taken back leaves once each", () => {
  fc.assert(
    fc.property(durations, durations, (kept, cancelled) => {
      const left = [...withoutCancelled([...kept, ...cancelled], cancelled)];
      expect(left.toSorted((a, b) => a - b)).toEqual(kept.toSorted((a, b) => a - b));
    }),
    runs(100),
  );
});
