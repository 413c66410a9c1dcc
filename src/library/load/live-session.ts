import { type FollowResult, openFollower } from "../../format/identity/follow-file.js";
import { openSession } from "../../session/open-session.js";
import { isSessionLocked } from "../../store/lock.js";
import { LIVE_WINDOW_MS, type LoadedSession, type LoadOptions, viewSession } from "./load-session.js";

/** What a look at a session that others write has brought. */
export interface SessionNews {
  /** The session as it is now; undefined when nothing was written. */
  readonly session: LoadedSession | undefined;
  readonly firstNewLine: number;
  readonly lastLine: number; // complete, whatever is in it
  /** What was told before is void. */
  readonly restarted: FollowResult["restarted"];
  readonly isMissing: boolean;
}

export interface FollowedSession {
  poll(): SessionNews;
  close(): void;
}

/** Reads a session file on as it grows; what was read is kept as an outline, bodies are decoded when asked for. */
export function followSession(path: string, options: LoadOptions = {}): FollowedSession {
  const follower = openFollower(path, undefined, { abridge: true });
  let open = openSession();

  function poll(): SessionNews {
    const firstNewLine = follower.cursor.line;
    let records = 0;
    let restarted: FollowResult["restarted"];
    let result: FollowResult;
    do {
      result = follower.poll();
      if (result.restarted) open = openSession();
      restarted ??= result.restarted;
      records += result.records.length;
      for (const record of result.records) open.push(record);
    } while (result.isMore);
    const isNew = records > 0 || restarted !== undefined;
    const session = isNew ? viewSession({ path, sizeBytes: follower.cursor.size }, open, options) : undefined;
    return {
      session,
      firstNewLine: restarted ? 1 : firstNewLine,
      lastLine: follower.cursor.line - 1,
      restarted,
      isMissing: result.isMissing,
    };
  }

  return { poll, close: follower.close };
}

/** From when on (ms since the epoch) a record tells that its session may still be written; all of them do while it is locked. */
export function liveSince(dataDir: string, id: string): number {
  return isSessionLocked(dataDir, id) ? 0 : Date.now() - LIVE_WINDOW_MS;
}
