import { formatCost, formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { ListedSession } from "../../server/api/sessions.js";
import { sessionPath } from "../routes.js";
import { Sign } from "../shell/sign.js";
import { clockWords, projectName } from "../words.js";

interface SessionRowProps {
  readonly session: ListedSession | undefined; // until it is loaded
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  onSelect(id: string): void;
}

export function SessionRow({ session, isCurrent, isSelected, onSelect }: SessionRowProps) {
  if (!session) return <div class="row pending" />;
  const { id, title, project, endedAt, turns, toolCalls, costUsd, favourite, tags } = session;
  const errors = session.toolErrors + session.apiErrors;
  const name = neutralize(title);
  return (
    <div class={isSelected ? "row selected" : "row"}>
      <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={() => onSelect(id)} />
      <a href={sessionPath(id)} {...(isCurrent ? { "aria-current": "true" as const } : {})}>
        <span class="row-title">
          {session.live ? <span class="live-dot" role="img" aria-label="running" /> : null}
          <span class="name" dir="auto">
            {name}
          </span>
          {favourite ? (
            <span class="favourite" role="img" aria-label="favourite">
              <Sign name="star" />
            </span>
          ) : null}
          <time title={formatTime(endedAt)}>{clockWords(endedAt)}</time>
        </span>
        <span class="row-facts">
          <span class="project" title={neutralize(project ?? "")}>
            {neutralize(projectName(project))}
          </span>
          {tags.length === 0 ? null : (
            <span class="tag" title={neutralize(tags.join(", "))}>
              {neutralize(tags[0] ?? "")}
              {tags.length > 1 ? ` +${tags.length - 1}` : ""}
            </span>
          )}
          <span>{formatCount(turns, "turn")}</span>
          {errors === 0 ? null : <span class="failed">{errors} failed</span>}
          {costUsd === null ? null : <span>{formatCost(costUsd)}</span>}
          {toolCalls === 0 ? null : (
            <span title={formatCount(toolCalls, "tool call")}>{formatCount(toolCalls, "tool")}</span>
          )}
        </span>
      </a>
    </div>
  );
}
