import { UserError } from "../../errors.js";

/** Converts between times (ms since the epoch) and days (`2026-05-01`) of a time zone. */
export interface TimeZone {
  readonly name: string;
  dayOf(time: number): string;
  /** `14:05` */
  clockOf(time: number): string;
  startOfDay(day: string): number;
}

const DAY_MS = 86_400_000;

/** Default: the system's time zone. */
export function openTimeZone(name?: string): TimeZone {
  const measureOffset =
    name === undefined ? (time: number) => new Date(time).getTimezoneOffset() * -60_000 : offsetsIn(name);
  const offsets = new Map<number, number | undefined>();

  /** Offsets are cached by day: computing them is slow, and they change on two days of a year. */
  function offsetAt(time: number): number {
    const day = Math.floor(time / DAY_MS);
    if (!offsets.has(day)) {
      const [start, end] = [measureOffset(day * DAY_MS), measureOffset((day + 1) * DAY_MS)];
      offsets.set(day, start === end ? start : undefined);
    }
    return offsets.get(day) ?? measureOffset(time);
  }

  const localTime = (time: number) => new Date(time + offsetAt(time)).toISOString();
  const days = new Map<number, string>();

  return {
    get name() {
      return name ?? Intl.DateTimeFormat().resolvedOptions().timeZone; // takes a quarter of the start of Node
    },
    dayOf(time) {
      const local = Math.floor((time + offsetAt(time)) / DAY_MS);
      const day = days.get(local) ?? new Date(local * DAY_MS).toISOString().slice(0, 10);
      days.set(local, day);
      return day;
    },
    clockOf: (time) => localTime(time).slice(11, 16),
    startOfDay(day) {
      const asUtc = Date.parse(`${day}T00:00:00Z`);
      const [early, late] = [asUtc - offsetAt(asUtc - DAY_MS / 2), asUtc - offsetAt(asUtc + DAY_MS / 2)];
      const candidates = [Math.min(early, late), Math.max(early, late)];
      return candidates.find((time) => localTime(time).slice(0, 10) >= day) ?? late;
    },
  };
}

/** The offset from UTC in ms. */
function offsetsIn(timeZone: string): (time: number) => number {
  const format = createFormat(timeZone);
  return (time) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(time)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
  };
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric";
  const date = { year: numeric, month: numeric, day: numeric } as const;
  const clock = { hour: numeric, minute: numeric, second: numeric, hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory", { timeZone, ...date, ...clock });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError("usage", `no such time zone: ${timeZone}`, "for example --timezone Europe/Berlin, or UTC");
  }
}

/** `2026-W46`: weeks start on Monday and belong to the year of their Thursday (ISO 8601). */
export function weekOf(day: string): string {
  const thursday = Date.parse(`${mondayOf(day)}T00:00:00Z`) + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return addDays(day, -((date.getUTCDay() + 6) % 7));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}
