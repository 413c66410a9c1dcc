import { formatCost, formatCount, formatTime, formatTokens, totalTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { ListedSession } from "../../server/api/list.js";
import type { SearchGroup, ServedHit } from "../../server/api/search.js";
import { projectName } from "../labels.js";
import type { BoxOption } from "./box-options.js";
import { HIT_KINDS, Snippet } from "./snippet.js";

/** More of the chosen line, where there is room. */
export function BoxPreview({ option }: { readonly option: BoxOption | undefined }) {
  return (
    <aside class="box-preview" aria-label="Preview">
      {option?.listed ? (
        <ListedPreview session={option.listed} />
      ) : option?.session ? (
        <FoundPreview group={option.session} hit={option.hit} />
      ) : option ? (
        <>
          <h3>{option.label}</h3>
          <p class="quiet">{option.detail}</p>
        </>
      ) : null}
    </aside>
  );
}

function ListedPreview({ session }: { readonly session: ListedSession }) {
  const { title, project, startedAt, endedAt, turns, toolCalls, models, gitBranch, totalCostUsd, totalUsage } = session;
  const rows = [
    ["Project", project ?? "unknown"],
    ["Branch", gitBranch ?? ""],
    ["From", formatTime(startedAt)],
    ["To", formatTime(endedAt)],
    ["Turns", `${turns}, ${formatCount(toolCalls, "tool call")}`],
    ["Tokens", formatTokens(totalTokens(totalUsage))],
    ["Cost", totalCostUsd === null ? "unknown" : formatCost(totalCostUsd)],
    ["Models", models.join(", ")],
  ] as const;
  return (
    <>
      <h3 dir="auto">{neutralize(title)}</h3>
      <dl>
        {rows
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{neutralize(value)}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}

function FoundPreview({ group, hit }: { readonly group: SearchGroup; readonly hit: ServedHit | undefined }) {
  const { title, project, latest, totalHits, hits } = group;
  const shown = hit ? [hit] : hits;
  return (
    <>
      <h3 dir="auto">{neutralize(title)}</h3>
      <p class="quiet">
        {neutralize(projectName(project))} · {formatTime(latest)} · {formatCount(totalHits, "hit")}
      </p>
      {shown.map((one) => (
        <section key={`${one.line} ${one.kind} ${one.toolUseId}`}>
          <p class="quiet">
            {one.turn === null ? "" : `#${one.turn} `}
            {one.tool === null ? HIT_KINDS[one.kind] : `${neutralize(one.tool)} ${HIT_KINDS[one.kind]}`}
            {one.agentId === null ? "" : ", sub-agent"}
            {one.timestamp === null ? "" : ` · ${formatTime(one.timestamp)}`}
          </p>
          {one.prompt === null || one.kind === "prompt" ? null : <p class="box-prompt">{neutralize(one.prompt)}</p>}
          <Snippet text={one.snippet} marks={one.marks} />
        </section>
      ))}
    </>
  );
}
