import { formatCost, formatCount, formatTime, formatTokens } from "../../render/format-values.js";
import { capitalize } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { RunningSession } from "../../server/api/live.js";
import { agoLabel, projectName } from "../labels.js";
import { sessionPath } from "../router.js";

interface RunningCardProps {
  readonly session: RunningSession;
  readonly now: number;
}

/** One running session: what it does or waits for, and what it cost so far. */
export function RunningCard({ session, now }: RunningCardProps) {
  const { id, title, state, needsYou, stateText, since, lastLine } = session;
  return (
    <li class={`running-card is-${needsYou ? "called" : state}`}>
      <a class="name" href={sessionPath(id)} dir="auto">
        {neutralize(title ?? `Session ${id.slice(0, 8)}`)}
      </a>
      <p class="running-state">
        <span class={state === "working" ? "live-dot" : "state-dot"} aria-hidden="true" />
        <span class="what" title={neutralize(stateText)}>
          {capitalize(neutralize(stateText))}
        </span>
        {since === null ? null : <time title={formatTime(since)}>{agoLabel(since, now)}</time>}
      </p>
      {lastLine === null || isRepeated(session) ? null : (
        <p class="last-line" dir="auto">
          {neutralize(lastLine)}
        </p>
      )}
      <Agents session={session} />
      <Facts session={session} />
    </li>
  );
}

/** The last line is the call that the state names already. */
function isRepeated({ detail, lastLine }: RunningSession): boolean {
  const name = /^[\w-]+: /.exec(detail ?? "")?.[0];
  return name !== undefined && lastLine?.startsWith(name) === true;
}

const SHOWN_AGENTS = 3;

function Agents({ session: { agents } }: Pick<RunningCardProps, "session">) {
  if (agents.length === 0) return null;
  const rest = agents.length - SHOWN_AGENTS;
  return (
    <ul class="running-agents" aria-label="Sub-agents at work">
      {agents.slice(0, SHOWN_AGENTS).map(({ agentId, type, description, lastLine }) => (
        <li key={agentId} title={neutralize(lastLine ?? "")}>
          <span class="agent-type">{neutralize(type ?? "sub-agent")}</span> {neutralize(description ?? lastLine ?? "")}
        </li>
      ))}
      {rest > 0 ? <li>and {formatCount(rest, "more sub-agent")}</li> : null}
    </ul>
  );
}

function Facts({ session }: Pick<RunningCardProps, "session">) {
  const { project, gitBranch, totalCostUsd, costPerMinuteUsd, files, process, source } = session;
  return (
    <p class="facts">
      <span title={neutralize(project ?? "")}>{neutralize(projectName(project))}</span>
      {gitBranch === null ? null : <span>{neutralize(gitBranch)}</span>}
      <Context session={session} />
      {totalCostUsd === null ? null : (
        <span>
          {formatCost(totalCostUsd)}
          {costPerMinuteUsd ? `, ${formatCost(costPerMinuteUsd)}/min` : ""}
        </span>
      )}
      {files === null || files.count === 0 ? null : (
        <span title={neutralize(files.latest.join("\n"))}>{formatCount(files.count, "file")} changed</span>
      )}
      {process === null || process.kind === "foreground" ? null : (
        <span title={`Process ${process.pid}`}>{process.kind}</span>
      )}
      {source === "files" ? (
        <span title="Its process did not register itself, so what it does is concluded from its files">
          by its files
        </span>
      ) : null}
    </p>
  );
}

/** How full the context window is. */
function Context({ session: { contextTokens, contextWindow } }: Pick<RunningCardProps, "session">) {
  if (contextTokens === null) return null;
  const share = contextWindow === null ? null : Math.min(1, contextTokens / contextWindow);
  const of = contextWindow === null ? "" : ` of ${formatTokens(contextWindow)}`;
  return (
    <span class="context-used" title={`Context: ${formatTokens(contextTokens)}${of} tokens`}>
      {share === null ? (
        `context ${formatTokens(contextTokens)}`
      ) : (
        <>
          <meter min={0} max={1} high={0.8} value={share} aria-label="Context used" /> {Math.round(100 * share)} %
        </>
      )}
    </span>
  );
}
