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

interface SessionInsightsProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
}

/** What filled the context of one session, and when it did what. */
export function SessionInsights({ session, branch }: SessionInsightsProps) {
  const { id } = session.header;
  const fields = new URLSearchParams({ version: String(session.version), ...(branch === null ? {} : { branch }) });
  const { answer, failure } = useAnswer<ContextAnswer>(`/api/sessions/${encodeURIComponent(id)}/context?${fields}`);
  const pathTo = (turn: number) => sessionPath(id, { turn: Math.max(1, turn), branch });
  return (
    <div class="page-body insights">
      {failure ? <FailedState failure={failure} /> : null}
      {!answer && !failure ? <LoadingState /> : null}
      {answer ? <ContextOverTime points={answer.points} pathTo={pathTo} /> : null}
      <Compactions session={session} pathTo={pathTo} />
      <TokensPerTurn turns={session.turns} pathTo={pathTo} />
      <Timeline session={session} agents={answer?.agents ?? []} pathTo={pathTo} />
    </div>
  );
}

interface CompactionsProps extends Pick<SessionInsightsProps, "session"> {
  pathTo(turn: number): string;
}

function Compactions({ session: { compactions }, pathTo }: CompactionsProps) {
  if (compactions.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>{formatCount(compactions.length, "compaction")}</figcaption>
      <ul class="compactions">
        {compactions.map(({ turn, line, at, trigger, preTokens, postTokens }) => (
          <li key={line}>
            <a href={pathTo(turn)}>turn {turn}</a>, {formatTime(at)}
            {trigger === null ? "" : `, ${neutralize(trigger)}`}:{" "}
            {preTokens === null ? "unknown" : formatTokens(preTokens)} →{" "}
            {postTokens === null ? "unknown" : formatTokens(postTokens)} tokens
          </li>
        ))}
      </ul>
    </figure>
  );
}
