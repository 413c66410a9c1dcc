import { useState } from "preact/hooks";
import {
  formatCost,
  formatCount,
  formatNumber,
  formatTime,
  formatTokens,
  totalTokens,
} from "../../render/format-values.js";
import { describeCostParts } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { Period, StatsAnswer } from "../../server/api/stats.js";
import { useAnswer } from "../api.js";
import { listPath } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { useIndexState, useServerEvents } from "../server-events.js";
import { EmptyState, FailedState, IndexProgress, LoadingState } from "../shell/states.js";
import { ActivityCalendar, addDays } from "./activity-calendar.js";
import { ExpensiveTurns, LatencyBars, ModelBars, ProjectBars, PullRequestBars, TokenBars, ToolBars } from "./bars.js";
import { SpentByDay, Toggle } from "./spent-by-day.js";

const RANGES = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["", "All time"],
] as const;

export function InsightsView() {
  const [since, setSince] = useState<(typeof RANGES)[number][0]>("");
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const fields = new URLSearchParams({ timezone, ...(since === "" ? {} : { since }) });
  const { answer, failure, reload } = useAnswer<StatsAnswer>(`/api/stats?${fields}`);
  useServerEvents((event) => {
    if (event.kind === "trash" || (event.kind === "index" && event.index.state === "ready")) reload();
  });
  const isIndexing = useIndexState()?.state === "syncing";
  if (failure) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState label="Loading" />;
  return (
    <div class="page-body insights">
      <header class="insights-head">
        <h1>Insights</h1>
        <Toggle label="Time" value={since} options={RANGES} onChoose={(value) => setSince(value)} />
      </header>
      <IndexProgress />
      {answer.totals.messages === 0 ? (
        <EmptyState title={isIndexing ? "Nothing indexed yet" : "No activity in this period"} />
      ) : (
        <Plots stats={answer} time={{ since }} />
      )}
    </div>
  );
}

function listPeriod({ first, end }: Pick<Period, "first" | "end">): void {
  navigate(listPath({ since: first, until: end }));
}

interface PlotsProps {
  readonly stats: StatsAnswer;
  readonly time: { readonly since: string };
}

function Plots({ stats, time }: PlotsProps) {
  return (
    <>
      <Totals stats={stats} time={time} />
      <SpentByDay stats={stats} onPeriod={listPeriod} />
      <ActivityCalendar stats={stats} onDay={(day) => listPeriod({ first: day, end: addDays(day, 1) })} />
      <div class="pair">
        <ModelBars stats={stats} time={time} />
        <ProjectBars stats={stats} time={time} />
        <PullRequestBars stats={stats} />
        <ToolBars stats={stats} time={time} />
        <LatencyBars stats={stats} time={time} />
        <ExpensiveTurns stats={stats} />
        <div>
          <TokenBars stats={stats} time={time} />
          <Blocks blocks={stats.blocks} />
        </div>
      </div>
    </>
  );
}

function Totals({ stats: { totals, cacheHitRate, from, to }, time }: PlotsProps) {
  const { unpricedModels } = totals;
  const costParts = describeCostParts(totals).join("; ");
  const unpriced = unpricedModels.length > 0 ? ` without ${neutralize(unpricedModels.join(", "))}` : "";
  const figures = [
    [formatCost(totals.knownCostUsd), `cost${unpriced}`, listPath({ ...time, sort: "cost" })],
    [formatTokens(totalTokens(totals.usage)), "tokens", listPath({ ...time, sort: "tokens" })],
    [formatNumber(totals.sessions), "sessions", listPath(time)],
    [formatNumber(totals.turns), "turns", listPath({ ...time, sort: "turns" })],
    [formatNumber(totals.toolCalls), "tool calls", listPath({ ...time, sort: "tools" })],
    [formatNumber(totals.failedToolCalls), "failed calls", listPath({ ...time, sort: "errors", only: "errors" })],
    [formatNumber(totals.deniedToolCalls), "denied calls", listPath({ ...time, sort: "tools" })],
    [formatNumber(totals.apiErrors), "API errors", listPath({ ...time, sort: "errors", only: "errors" })],
    [
      cacheHitRate === null ? "unknown" : `${Math.round(cacheHitRate * 100)} %`,
      "input from cache",
      listPath({ ...time, sort: "tokens" }),
    ],
  ] as const;
  return (
    <>
      <p class="quiet">
        {from === null ? "" : from === to ? from : `${from} to ${to}`}
        {costParts === "" ? "" : `; cost ${costParts}`}
        {totals.unknownOutputs > 0
          ? `; cost may be low: ${formatCount(totals.unknownOutputs, "message has", "messages have")} no token count`
          : ""}
      </p>
      <dl class="key-figures">
        {figures.map(([value, name, href]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <a href={href}>{value}</a>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const MAX_BLOCKS = 10;

/** The five-hour windows of the usage limits, latest first. */
export function Blocks({ blocks }: { readonly blocks: StatsAnswer["blocks"] }) {
  const used = blocks
    .filter((block) => block.kind === "used")
    .toReversed()
    .slice(0, MAX_BLOCKS);
  if (used.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>Five-hour blocks</figcaption>
      <table class="blocks">
        <thead>
          <tr>
            <th>from</th>
            <th>tokens</th>
            <th>cost</th>
          </tr>
        </thead>
        <tbody>
          {used.map(({ startAt, endAt, usage, costUsd, isActive, projection }) => (
            <tr key={startAt}>
              <td>
                <a href={listPath({ since: startAt, until: endAt })}>{formatTime(startAt)}</a>
                {isActive ? " (now)" : ""}
              </td>
              <td>{formatTokens(totalTokens(usage))}</td>
              <td>
                {formatCost(costUsd)}
                {projection?.costUsd == null ? "" : `, projected ${formatCost(projection.costUsd)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
