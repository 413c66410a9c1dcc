import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionAnswer } from "../../server/api/session.js";

interface FollowPillProps {
  readonly session: SessionAnswer;
  readonly isAtEnd: boolean;
  onFollow(): void;
}

/** Whether the page follows a running session; scrolling up stops it, and what came since is counted. */
export function FollowPill({ session, isAtEnd, onFollow }: FollowPillProps) {
  const seen = useRef(weightOf(session));
  const [news, setNews] = useState(0);
  useEffect(() => {
    if (isAtEnd) seen.current = weightOf(session);
    setNews(weightOf(session) - seen.current);
  }, [session, isAtEnd]);
  if (isAtEnd && session.live) return <p class="pill following">Following</p>;
  if (news <= 0) return null;
  return (
    <button type="button" class="pill" onClick={onFollow}>
      {news} new, go to the end
    </button>
  );
}

/** Turns and calls: what a reader would count. */
function weightOf({ turns, totals }: SessionAnswer): number {
  return turns.length + totals.toolCalls;
}
