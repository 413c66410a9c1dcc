import { addDays } from "../../library/stats/time-zone.js";
import type { Period } from "../api/stats.js";

/** More cannot be told apart side by side. */
const MOST = 120;
const DAY_MS = 86_400_000;

/** All of the time, in days, weeks or months. */
export interface Periods {
  readonly list: readonly Period[];
  /** The first day of the period that a day is in. */
  startOf(day: string): string;
}

export function dividePeriods(from: string | null, to: string | null): Periods {
  if (from === null || to === null) return { list: [], startOf: (day) => day };
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const unit: Period["unit"] = count <= MOST ? "day" : count <= MOST * 7 ? "week" : "month";
  const days = Array.from({ length: count }, (_, index) => addDays(from, index));
  const starts = new Map(days.map((day) => [day, STARTS[unit](day)]));
  const firsts = [...new Set(starts.values())];
  const list = firsts.map((first, index) => ({ unit, first, end: firsts[index + 1] ?? addDays(to, 1) }));
  return { list, startOf: (day) => starts.get(day) ?? day };
}

/** Weeks begin on Monday. */
const STARTS: Readonly<Record<Period["unit"], (day: string) => string>> = {
  day: (day) => day,
  week: (day) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7)),
  month: (day) => `${day.slice(0, 7)}-01`,
};
