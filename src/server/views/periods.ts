import { addDays } from "../../library/stats/time-zone.js";
import type { Period } from "../api/stats.js";

/** More days or weeks cannot be told apart side by side. */
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
  const startOf = STARTS[unit];
  const list: Period[] = [];
  for (let first = startOf(from); first <= to; ) {
    const next = startOf(addDays(first, LONGEST[unit]));
    const isLast = next > to || next <= first; // years of five digits come before those of four
    list.push({ unit, first, end: isLast ? addDays(to, 1) : next });
    if (isLast) break;
    first = next;
  }
  return { list, startOf };
}

const LONGEST: Readonly<Record<Period["unit"], number>> = { day: 1, week: 7, month: 31 };

/** Weeks begin on Monday. */
const STARTS: Readonly<Record<Period["unit"], (day: string) => string>> = {
  day: (day) => day,
  week: (day) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7)),
  month: (day) => `${day.slice(0, 7)}-01`,
};
