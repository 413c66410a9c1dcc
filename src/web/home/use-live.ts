import { useEffect } from "preact/hooks";
import type { LiveAnswer, RunningSession } from "../../server/api/live.js";
import { useAnswer } from "../api.js";
import { useServerEvents } from "../server-events.js";
import { setTitleBadge } from "../shell/page-title.js";
import { notifyOf } from "./notifications.js";

/** The running sessions; undefined until they are known. Also keeps the badge in the title, and notifies. */
export function useLive(): readonly RunningSession[] | undefined {
  const { answer, reload } = useAnswer<LiveAnswer>("/api/live");
  useServerEvents((event) => {
    if (event.kind === "connected" || event.kind === "live" || event.kind === "marks") reload();
    if (event.kind === "live") for (const news of event.news) notifyOf(news);
  });
  const waiting = answer?.sessions.filter(({ needsYou }) => needsYou).length ?? 0;
  useEffect(() => setTitleBadge(waiting), [waiting]);
  return answer?.sessions;
}
