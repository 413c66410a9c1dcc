const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A session whose last record is younger is live: Claude Code may still be writing it. */
export const LIVE_WINDOW_MS = 5 * MINUTE_MS;

/** A session folder that changed within this time gets a file system watch of its own. */
export const WATCHED_WINDOW_MS = 10 * MINUTE_MS;

/** Files that changed within this time are checked in every polling round of the watcher, older ones in every sixth. */
export const POLLED_WINDOW_MS = DAY_MS;

/** A session written within this time is expected to grow: its snapshot is kept, and quick checks for changes include it. */
const GROWING_WINDOW_MS = 3 * DAY_MS;

export function isGrowing(mtimeMs: number, now: number): boolean {
  return now - mtimeMs <= GROWING_WINDOW_MS;
}
