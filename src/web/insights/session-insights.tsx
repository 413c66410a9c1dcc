import type { ContextAnswer } from "../../server/api/context.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import { ContextOverTime } from "./context-over-time.js";
import { Timeline } from "./timeline.js";

/** What filled the context of one session, and when it did what. */
export function SessionInsights({ session }: { readonly session: SessionAnswer }) {
  const id = encodeURIComponent(session.header.id);
  const { answer, failure } = useAnswer<ContextAnswer>(`/api/sessions/${id}/context?version=${session.version}`);
  return (
    <div class="page-body insights">
      {failure ? <FailedState failure={failure} /> : null}
      {!answer && !failure ? <LoadingState /> : null}
      {answer ? <ContextOverTime id={session.header.id} points={answer.points} /> : null}
      <Timeline session={session} />
    </div>
  );
}
