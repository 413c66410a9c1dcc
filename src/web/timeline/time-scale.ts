/** A stretch of time in which something happened, in ms since the epoch. */
export interface Busy {
  readonly from: number;
  readonly to: number;
}

/** Time drawn as it passed, or with long pauses cut short. Places are in milliseconds from the beginning of the drawing. */
export interface TimeScale {
  readonly length: number;
  placeOf(time: number): number;
  timeAt(place: number): number;
  /** Pauses that are drawn shorter than they were. */
  readonly cuts: readonly Cut[];
}

export interface Cut extends Busy {
  readonly start: number;
  readonly end: number;
}

/** A cut pause is drawn half as long as an ordinary turn, within these bounds. */
const [SHORTEST_CUT, LONGEST_CUT] = [2000, 120_000];

/** `busy` is in the order of time. */
export function createTimeScale(busy: readonly Busy[], cutsPauses: boolean): TimeScale {
  const [first] = busy;
  const begin = first?.from ?? 0;
  const lengths = busy.map(({ from, to }) => to - from).sort((a, b) => a - b);
  const ordinary = lengths[lengths.length >> 1] ?? 0;
  const most = cutsPauses ? Math.min(LONGEST_CUT, Math.max(SHORTEST_CUT, ordinary / 2)) : Number.POSITIVE_INFINITY;
  const knots: Knot[] = [{ time: begin, place: 0 }];
  const cuts: Cut[] = [];
  let [time, place] = [begin, 0];
  for (const { from, to } of busy) {
    if (from - time > most) {
      cuts.push({ from: time, to: from, start: place, end: place + most });
      place += most;
      knots.push({ time: from, place });
      time = from;
    }
    const end = Math.max(time, to);
    place += end - time;
    time = end;
    knots.push({ time, place });
  }
  return {
    length: Math.max(1, place),
    cuts,
    placeOf: (wanted) => between(knots, wanted, "time", "place"),
    timeAt: (wanted) => between(knots, wanted, "place", "time"),
  };
}

interface Knot {
  readonly time: number;
  readonly place: number;
}

/** Beyond the last knot it goes on as before it. */
function between(knots: readonly Knot[], value: number, of: keyof Knot, to: keyof Knot): number {
  let [low, high] = [0, knots.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((knots[middle]?.[of] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  const [left, right] = [knots[low], knots[low + 1]];
  if (!left) return 0;
  if (!right || right[of] === left[of]) return left[to] + Math.max(0, value - left[of]);
  return left[to] + ((value - left[of]) / (right[of] - left[of])) * (right[to] - left[to]);
}
