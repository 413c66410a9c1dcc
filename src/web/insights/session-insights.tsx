import { formatCount, formatTime, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { ContextAnswer } from "../../server/api/context.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { sessionPath } from "../routes.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import { ContextOverTime } from "./context-over-time.js";
import { Timeline } from "./timeline.js";
import { TokensPerTurn } from "./tokens-per-turn.js";

/** What filled the context of one session, and when it did what. */
export function SessionInsights({ session }: { readonly session: SessionAnswer }) {
  const { id } = session.header;
  const path = `/api/sessions/${encodeURIComponent(id)}/context?version=${session.version}`;
  const { answer, failure } = useAnswer<ContextAnswer>(path);
  return (
    <div class="page-body insights">
      {failure ? <FailedState failure={failure} /> : null}
      {!answer && !failure ? <LoadingState /> : null}
      {answer ? <ContextOverTime id={id} points={answer.points} /> : null}
      <Compactions session={session} />
      <TokensPerTurn id={id} turns={session.turns} />
      <Timeline session={session} agents={answer?.agents ?? []} />
    </div>
  );
}

function Compactions({ session: { header, compactions } }: { readonly session: SessionAnswer }) {
  if (compactions.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>{formatCount(compactions.length, "compaction")}</figcaption>
      <ul class="compactions">
        {compactions.map(({ turn, line, at, trigger, preTokens, postTokens }) => (
          <li key={line}>
            <a href={sessionPath(header.id, { turn: Math.max(1, turn) })}>turn {turn}</a>, {formatTime(at)}
            {trigger === null ? "" : `, ${neutralize(trigger)}`}:{" "}
            {preTokens === null ? "unknown" : formatTokens(preTokens)} →{" "}
            {postTokens === null ? "unknown" : formatTokens(postTokens)} tokens
          </li>
        ))}
      </ul>
    </figure>
  );
}
