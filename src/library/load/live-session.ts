import { type FollowResult, openFollower } from "../../format/identity/follow-file.js";
import { openSession } from "../../session/open-session.js";
import { type LoadedSession, type LoadOptions, viewSession } from "./load-session.js";

/** What changed in a followed session since the last poll. */
export interface SessionNews {
  /** Undefined when nothing was written. */
  readonly session: LoadedSession | undefined;
  readonly firstNewLine: number;
  readonly lastLine: number; // the last complete line
  /** Set when the file was replaced: everything read before is void. */
  readonly restarted: FollowResult["restarted"];
  readonly isMissing: boolean;
}

export interface FollowedSession {
  poll(): SessionNews;
  close(): void;
}

/** Follows a growing session file. Keeps an outline in memory; bodies are decoded on demand. */
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

  return { poll, close: () => follower.close() };
}
