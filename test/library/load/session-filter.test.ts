import { expect, test } from "vitest";
import { parseMoment } from "../../../src/library/load/session-summary.js";

const NOW = new Date(2026, 4, 10, 12, 0, 0).getTime();
const HOUR = 3_600_000;

test.each([
  ["90m", NOW - 1.5 * HOUR],
  ["12h", NOW - 12 * HOUR],
  ["7d", NOW - 7 * 24 * HOUR],
  ["2w", NOW - 14 * 24 * HOUR],
  ["2 weeks ago", NOW - 14 * 24 * HOUR],
  ["1 hour ago", NOW - HOUR],
  ["today", new Date(2026, 4, 10).getTime()],
  ["yesterday", new Date(2026, 4, 9).getTime()],
  ["2026-05-01", new Date(2026, 4, 1).getTime()],
  ["2026-05-01T10:00:00Z", Date.UTC(2026, 4, 1, 10)],
])("%s is a moment", (text, time) => {
  expect(parseMoment(text, NOW)).toBe(time);
});

test.each(["soon", "", "7 parsecs", "2 months ago", "2 weeks", "2026-13-45", "2026-02-30"])(
  "%j is no moment, and the message says what is",
  (text) => {
    expect(() => parseMoment(text, NOW)).toThrow(/not a time/);
  },
);
