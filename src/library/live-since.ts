import { isSessionLocked } from "../store/session-lock.js";
import { LIVE_WINDOW_MS } from "./load-session.js";

/** From when on (ms since the epoch) a record tells that its session may still be written; all of them do while it is locked. */
export function liveSince(dataDir: string, id: string): number {
  return isSessionLocked(dataDir, id) ? 0 : Date.now() - LIVE_WINDOW_MS;
}
