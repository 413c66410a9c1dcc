import { formatCost, formatCount, formatTime } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import { neutralize } from "../../render/neutralize.js";
import type { ListedSession } from "../../server/api/sessions.js";
import { sessionPath } from "../routes.js";
import { Sign } from "../shell/sign.js";
import { clockWords, lastFolder } from "../words.js";

interface SessionRowProps {
  readonly session: ListedSession | undefined; // until it is loaded
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  onSelect(id: string): void;
}

export function SessionRow({ session, isCurrent, isSelected, onSelect }: SessionRowProps) {
  if (!session) return <div class="row pending" />;
  const { id, title, project, endedAt, turns, costUsd, favourite, tags } = session;
  const name = neutralize(title);
  return (
    <div class={isSelected ? "row selected" : "row"}>
      <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={() => onSelect(id)} />
      <a href={sessionPath(id)} {...(isCurrent ? { "aria-current": "true" as const } : {})}>
        <span class="row-title">
          <Marks session={session} />
          <span class="name" dir="auto">
            {name}
          </span>
          {favourite ? (
            <span class="favourite" role="img" aria-label="favourite">
              <Sign name="star" />
            </span>
          ) : null}
        </span>
        <span class="row-facts">
          <span class="project" title={neutralize(project ?? "")}>
            {neutralize(lastFolder(project))}
          </span>
          <span>{formatCount(turns, "turn")}</span>
          {costUsd === null ? null : <span>{formatCost(costUsd)}</span>}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {neutralize(tag)}
            </span>
          ))}
          <time title={formatTime(endedAt)}>{clockWords(endedAt)}</time>
        </span>
      </a>
    </div>
  );
}

function Marks({ session: { live, toolErrors, apiErrors } }: { readonly session: ListedSession }) {
  const errors = toolErrors + apiErrors;
  if (live) return <span class="live-dot" role="img" aria-label="running" />;
  if (errors === 0) return null;
  return (
    <span class="failed" title={`${errors} failed`}>
      <Icon name="error" label={`${errors} failed`} />
    </span>
  );
}
