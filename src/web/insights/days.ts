const DAY_MS = 86_400_000;

/** Every day from the first to the last, as `2026-01-31`. */
export function daysBetween(from: string | null, to: string | null): string[] {
  if (from === null || to === null) return [];
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** Monday is 0. */
export function weekday(day: string): number {
  return (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}
