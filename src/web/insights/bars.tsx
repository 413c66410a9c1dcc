import type { ComponentChildren } from "preact";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
  formatTokens,
} from "../../render/format-values.js";
import { modelLabel } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { StatsAnswer } from "../../server/api/stats.js";
import { projectLabels } from "../labels.js";
import { type ListFilter, listPath } from "../list/list-filter.js";
import { sessionPath } from "../router.js";

/** The selected range of time. */
type Time = Pick<ListFilter, "since">;

interface BarsProps {
  readonly stats: StatsAnswer;
  readonly time: Time;
}

export function TokenBars({ stats: { totals }, time }: BarsProps) {
  const { usage } = totals;
  const rows = [
    ["Input", usage.input],
    ["Output", usage.output],
    ["Read from cache", usage.cacheRead],
    ["Written to cache", usage.cacheWrite5m + usage.cacheWrite1h],
  ] as const;
  const most = Math.max(...rows.map(([, tokens]) => tokens), 1);
  return (
    <Bars title="Tokens by kind">
      {rows.map(([name, tokens]) => (
        <Bar
          key={name}
          name={name}
          value={formatTokens(tokens)}
          share={tokens / most}
          href={listPath({ ...time, sort: "tokens" })}
        />
      ))}
    </Bars>
  );
}

const MAX_ROWS = 12;

export function ModelBars({ stats: { byModel }, time }: BarsProps) {
  const used = joinModels(byModel.filter(({ messages }) => messages > 0));
  const most = Math.max(...used.map(({ knownCostUsd }) => knownCostUsd), 0.01);
  return (
    <Bars title="Cost by model">
      {used.slice(0, MAX_ROWS).map(({ model, costUsd, knownCostUsd, messages }) => (
        <Bar
          key={model}
          name={neutralize(modelLabel(model))}
          value={`${costUsd === null ? "unknown price" : formatCost(knownCostUsd)}, ${formatCount(messages, "message")}`}
          share={knownCostUsd / most}
          href={model === null ? undefined : listPath({ ...time, model })}
        />
      ))}
    </Bars>
  );
}

type ModelRow = StatsAnswer["byModel"][number];

/** Requests name one model by several names: with its date, its provider, its window. */
function joinModels(rows: readonly ModelRow[]): Pick<ModelRow, "model" | "costUsd" | "knownCostUsd" | "messages">[] {
  const joined = new Map<string, Pick<ModelRow, "model" | "costUsd" | "knownCostUsd" | "messages">>();
  for (const { model, costUsd, knownCostUsd, messages } of rows) {
    const name = modelLabel(model);
    const known = joined.get(name);
    joined.set(name, {
      model: model === null ? null : name,
      costUsd: known?.costUsd === null || costUsd === null ? null : costUsd + (known?.costUsd ?? 0),
      knownCostUsd: knownCostUsd + (known?.knownCostUsd ?? 0),
      messages: messages + (known?.messages ?? 0),
    });
  }
  return [...joined.values()].toSorted((a, b) => b.knownCostUsd - a.knownCostUsd);
}

export function ProjectBars({ stats: { byProject }, time }: BarsProps) {
  const most = Math.max(...byProject.map(({ knownCostUsd }) => knownCostUsd), 0.01);
  const labelOf = projectLabels(byProject.map(({ project }) => project));
  return (
    <Bars title="Cost by project">
      {byProject.slice(0, MAX_ROWS).map(({ project, knownCostUsd, sessions }) => (
        <Bar
          key={project}
          name={neutralize(labelOf(project))}
          value={`${formatCost(knownCostUsd)}, ${formatCount(sessions, "session")}`}
          share={knownCostUsd / most}
          href={project === null ? undefined : listPath({ ...time, project })}
        />
      ))}
    </Bars>
  );
}

export function PullRequestBars({ stats: { byPullRequest }, time }: BarsProps) {
  const known = byPullRequest.filter(({ pullRequests }) => pullRequests.length > 0);
  const most = Math.max(...known.map(({ knownCostUsd }) => knownCostUsd), 0.01);
  if (known.length === 0) return null;
  return (
    <Bars title="Cost by pull request">
      {known.slice(0, MAX_ROWS).map(({ pullRequests, knownCostUsd, sessions }) => (
        <Bar
          key={pullRequests.join(" ")}
          name={neutralize(pullRequests.join(", "))}
          value={`${formatCost(knownCostUsd)}, ${formatCount(sessions, "session")}`}
          share={knownCostUsd / most}
          href={listPath({ ...time, pr: pullRequests[0] ?? "" })}
        />
      ))}
    </Bars>
  );
}

export function ToolBars({ stats: { tools }, time }: BarsProps) {
  const most = Math.max(...tools.map(({ calls }) => calls), 1);
  return (
    <Bars title="Tool calls and failures">
      {tools.slice(0, MAX_ROWS).map(({ name, calls, failed, denied }) => (
        <Bar
          key={name}
          name={neutralize(name)}
          value={
            <>
              {formatNumber(calls)}
              {failed === 0 ? null : (
                <>
                  , <a href={listPath({ ...time, tool: name, only: "errors" })}>{failed} failed</a> (
                  {Math.round((failed / calls) * 100)} %)
                </>
              )}
              {denied === 0 ? null : `, ${denied} denied`}
            </>
          }
          share={calls / most}
          failedShare={failed / most}
          href={listPath({ ...time, tool: name })}
        />
      ))}
    </Bars>
  );
}

/** Time from call to result: the median, and behind it the 95th percentile. */
export function LatencyBars({ stats: { tools }, time }: BarsProps) {
  const timed = tools.flatMap(({ name, p50Ms, p95Ms }) =>
    p50Ms === null || p95Ms === null ? [] : [{ name, p50Ms, p95Ms }],
  );
  if (timed.length === 0) return null;
  const most = Math.max(...timed.map(({ p95Ms }) => p95Ms), 1);
  return (
    <Bars title="Tool duration: median and p95">
      {timed
        .toSorted((a, b) => b.p95Ms - a.p95Ms)
        .slice(0, MAX_ROWS)
        .map(({ name, p50Ms, p95Ms }) => (
          <Bar
            key={name}
            name={neutralize(name)}
            value={`${formatDuration(p50Ms)}, p95 ${formatDuration(p95Ms)}`}
            share={p50Ms / most}
            fadedShare={p95Ms / most}
            href={listPath({ ...time, tool: name })}
          />
        ))}
    </Bars>
  );
}

export function ExpensiveTurns({ stats: { dearestTurns } }: Pick<BarsProps, "stats">) {
  const most = Math.max(...dearestTurns.map(({ costUsd }) => costUsd), 0.0001);
  return (
    <Bars title="Most expensive turns">
      {dearestTurns.map(({ sessionId, title, turn, costUsd, at }) => (
        <Bar
          key={`${sessionId} ${turn}`}
          name={`#${turn} ${neutralize(title)}`}
          value={`${formatCost(costUsd)}, ${formatTime(at)}`}
          share={costUsd / most}
          href={sessionPath(sessionId, { turn })}
        />
      ))}
    </Bars>
  );
}

function Bars({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <ul class="bars">{children}</ul>
    </figure>
  );
}

interface BarProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly share: number;
  readonly failedShare?: number;
  readonly fadedShare?: number;
  /** The list of these sessions, if there is a filter for them. */
  readonly href: string | undefined;
}

function Bar({ name, value, share, failedShare = 0, fadedShare = 0, href }: BarProps) {
  return (
    <li>
      <a class="bar-name" {...(href === undefined ? {} : { href })} title={name}>
        {name}
      </a>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="faded-part" width={fadedShare * 100} height={10} />
        <rect class="series-0" width={Math.max(0.5, share * 100)} height={10} />
        <rect class="failed-part" width={failedShare * 100} height={10} />
      </svg>
      <span class="bar-value">{value}</span>
    </li>
  );
}
