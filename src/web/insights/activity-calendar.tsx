import { formatCount } from "../../render/format-values.js";
import type { StatsAnswer } from "../../server/api/stats.js";
import { useWidth } from "./columns.js";

interface ActivityCalendarProps {
  readonly stats: StatsAnswer;
  onDay(day: string): void;
}

const [CELL, GAP, LEFT, TOP] = [13, 3, 34, 20];
const MAX_WEEKS = 53;
const MONTH = 26; // pixels of a label
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Mon", "", "Wed", "", "Fri", "", ""];

/** At most a year, one column per week. Colours follow a logarithmic scale, so that one busy day does not fade all others. */
export function ActivityCalendar({ stats: { byDay, to }, onDay }: ActivityCalendarProps) {
  const { box, width } = useWidth<HTMLElement>();
  if (to === null) return null;
  const weeks = Math.min(MAX_WEEKS, Math.floor((width - LEFT) / (CELL + GAP)));
  const right = LEFT + weeks * (CELL + GAP);
  const last = addDays(to, 6 - weekday(to));
  const first = addDays(last, 1 - weeks * 7);
  const turns = new Map(byDay.map((day) => [day.day, day.turns]));
  const most = Math.max(1, ...turns.values());
  const days = daysBetween(first, last);
  return (
    <figure class="plot" ref={box}>
      <figcaption>Activity</figcaption>
      <svg
        viewBox={`0 0 ${right} ${TOP + 7 * (CELL + GAP)}`}
        style={{ maxWidth: `${right}px` }}
        role="group"
        aria-label="Turns per day"
      >
        {WEEKDAYS.map((name, row) => (
          <text key={row} x={0} y={TOP + row * (CELL + GAP) + 10}>
            {name}
          </text>
        ))}
        {days.map((day, index) => (
          <Cell key={day} day={day} index={index} turns={turns.get(day) ?? 0} most={most} right={right} onDay={onDay} />
        ))}
      </svg>
    </figure>
  );
}

interface CellProps {
  readonly day: string;
  readonly index: number;
  readonly turns: number;
  readonly most: number;
  /** The right edge of the calendar. */
  readonly right: number;
  onDay(day: string): void;
}

function Cell({ day, index, turns, most, right, onDay }: CellProps) {
  const x = LEFT + Math.floor(index / 7) * (CELL + GAP);
  const y = TOP + (index % 7) * (CELL + GAP);
  const level = turns === 0 ? 0 : Math.ceil((Math.log1p(turns) / Math.log1p(most)) * 4);
  const month = day.endsWith("-01") && x <= right - MONTH ? (MONTHS[Number(day.slice(5, 7)) - 1] ?? "") : "";
  const cell = <rect class={`level-${level}`} x={x} y={y} width={CELL} height={CELL} rx={2} />;
  return (
    <>
      {month === "" ? null : (
        <text x={x} y={12}>
          {month}
        </text>
      )}
      {turns === 0 ? (
        cell
      ) : (
        <g
          class="mark"
          role="link"
          tabIndex={0}
          aria-label={`${day}: ${formatCount(turns, "turn")}`}
          onClick={() => onDay(day)}
          onKeyDown={({ key }) => key === "Enter" && onDay(day)}
        >
          <title>{`${day}: ${formatCount(turns, "turn")}`}</title>
          {cell}
        </g>
      )}
    </>
  );
}

const DAY_MS = 86_400_000;

/** All days from the first to the last, as `2026-01-31`. */
function daysBetween(from: string | null, to: string | null): string[] {
  if (from === null || to === null) return [];
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** Monday is 0. */
function weekday(day: string): number {
  return (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}
