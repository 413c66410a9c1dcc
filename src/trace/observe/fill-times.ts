import type { Draft, Observation } from "./observation.js";

/**
 * Gives every draft a time. A missing time is taken from the nearest neighbour and marked: the parent's start or
 * the end of what came before, else the beginning of what follows, else `fallbackMs`.
 */
export function fillTimes(drafts: readonly Draft[], fallbackMs: number): Observation[] {
  const firstKnown = firstTimesFrom(drafts);
  const bySpan = new Map<string, Observation>();
  let last: number | undefined;
  return drafts.map((draft, at) => {
    const near = last ?? bySpan.get(draft.parentSpanId ?? "")?.startMs ?? firstKnown[at] ?? fallbackMs;
    const observation = settle(draft, near);
    bySpan.set(draft.spanId, observation);
    last = draft.endMs ?? draft.startMs ?? last;
    return observation;
  });
}

/** For each draft, the first known time at or after it. */
function firstTimesFrom(drafts: readonly Draft[]): (number | undefined)[] {
  let next: number | undefined;
  return drafts
    .toReversed()
    .map(({ startMs, endMs }) => {
      next = startMs ?? endMs ?? next;
      return next;
    })
    .reverse();
}

function settle({ startMs, endMs, ...draft }: Draft, near: number): Observation {
  const start = startMs ?? endMs ?? near;
  // Clocks can go back: such a span gets a duration of zero.
  const end = Math.max(start, endMs ?? start);
  const isEstimated = startMs === null || endMs === null || end !== endMs;
  const metadata = isEstimated ? { ...draft.metadata, timing_estimated: true } : draft.metadata;
  const events = draft.events.map((event) => ({ ...event, atMs: event.atMs ?? end }));
  return { ...draft, metadata, events, startMs: start, endMs: end };
}
