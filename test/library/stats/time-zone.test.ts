import { expect, test } from "vitest";
import { monthOf, openTimeZone, weekOf } from "../../../src/library/stats/time-zone.js";

const HOUR_MS = 3_600_000;

test.each([
  { zone: "UTC", time: "2026-05-01T23:59:59.999Z", day: "2026-05-01", clock: "23:59" },
  { zone: "Europe/Berlin", time: "2026-05-01T22:00:00Z", day: "2026-05-02", clock: "00:00" },
  { zone: "Asia/Kathmandu", time: "2026-05-01T18:14:59Z", day: "2026-05-01", clock: "23:59" },
  { zone: "Asia/Kathmandu", time: "2026-05-01T18:15:00Z", day: "2026-05-02", clock: "00:00" },
  { zone: "America/Los_Angeles", time: "2026-01-01T07:59:59Z", day: "2025-12-31", clock: "23:59" },
  { zone: "Pacific/Kiritimati", time: "2026-01-01T10:00:00Z", day: "2026-01-02", clock: "00:00" },
])("in $zone it is $day $clock at $time", ({ zone: name, time, day, clock }) => {
  const zone = openTimeZone(name);
  expect(zone.dayOf(Date.parse(time))).toBe(day);
  expect(zone.clockOf(Date.parse(time))).toBe(clock);
});

test.each([
  { zone: "Europe/Berlin", day: "2026-03-29", hours: 23 },
  { zone: "Europe/Berlin", day: "2026-10-25", hours: 25 },
  { zone: "Europe/Berlin", day: "2026-06-15", hours: 24 },
  { zone: "America/Santiago", day: "2026-09-06", hours: 23 }, // there, clocks jump at midnight
  { zone: "Australia/Lord_Howe", day: "2026-10-04", hours: 23.5 },
])("$day has $hours hours in $zone, and every minute of it belongs to it", ({ zone: name, day, hours }) => {
  const zone = openTimeZone(name);
  const start = zone.startOfDay(day);
  const end = start + hours * HOUR_MS;
  expect([start, end - 1].map(zone.dayOf)).toEqual([day, day]);
  expect(zone.dayOf(start - 1) < day).toBe(true);
  expect(zone.dayOf(end) > day).toBe(true);
});

test("without a name, days are those of this machine", () => {
  const zone = openTimeZone();
  const now = new Date(2026, 6, 9, 0, 0, 0);
  expect(zone.dayOf(now.getTime())).toBe("2026-07-09");
  expect(zone.startOfDay("2026-07-09")).toBe(now.getTime());
});

test("an unknown zone is a usage error with an example", () => {
  expect(() => openTimeZone("Mars/Olympus")).toThrow(/no such time zone: Mars\/Olympus/);
});

test.each([
  ["2026-01-01", "2026-W01"],
  ["2025-12-29", "2026-W01"],
  ["2027-01-03", "2026-W53"],
  ["2027-01-04", "2027-W01"],
  ["2026-11-15", "2026-W46"], // a Sunday
  ["2026-11-16", "2026-W47"],
])("%s lies in week %s", (day, week) => {
  expect(weekOf(day)).toBe(week);
});

test("a month is the beginning of its days", () => {
  expect(monthOf("2026-11-16")).toBe("2026-11");
});
