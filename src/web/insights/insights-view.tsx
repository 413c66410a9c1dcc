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
import { type ListFilter, listPath } from "../list/list-filter.js";
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
  const { answer: before } = useAnswer<StatsAnswer>(pathBefore(since, timezone));
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
        <Plots stats={answer} time={{ since }} before={since === "" ? undefined : before?.totals} />
      )}
    </div>
  );
}

/** The same number of days before; null for all time. */
function pathBefore(since: string, timezone: string): string | null {
  if (since === "") return null;
  const fields = { timezone, since: `${2 * Number.parseInt(since, 10)}d`, until: since, limit: "1" };
  return `/api/stats?${new URLSearchParams(fields)}`;
}

function listPeriod({ first, end }: Pick<Period, "first" | "end">): void {
  navigate(listPath({ since: first, until: end }));
}

interface PlotsProps {
  readonly stats: StatsAnswer;
  readonly time: { readonly since: string };
  /** The totals of the period before; undefined where there is none. */
  readonly before: StatsAnswer["totals"] | undefined;
}

function Plots({ stats, time, before }: PlotsProps) {
  return (
    <>
      <KeyFigures stats={stats} time={time} before={before} />
      <SpentByDay stats={stats} onPeriod={listPeriod} />
      <ActivityCalendar stats={stats} onDay={(day) => listPeriod({ first: day, end: addDays(day, 1) })} />
      <div class="pair">
        <ModelBars stats={stats} time={time} />
        <ProjectBars stats={stats} time={time} />
        <PullRequestBars stats={stats} time={time} />
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

function KeyFigures({ stats: { totals, cacheHitRate, from, to }, time, before }: PlotsProps) {
  const { unpricedModels } = totals;
  const costParts = describeCostParts(totals).join("; ");
  const unpriced = unpricedModels.length > 0 ? ` without ${neutralize(unpricedModels.join(", "))}` : "";
  const figures = [
    [formatCost, (of) => of.knownCostUsd, `cost${unpriced}`, { sort: "cost" }],
    [formatTokens, (of) => totalTokens(of.usage), "tokens", { sort: "tokens" }],
    [formatNumber, (of) => of.sessions, "sessions", {}],
    [formatNumber, (of) => of.turns, "turns", { sort: "turns" }],
    [formatNumber, (of) => of.toolCalls, "tool calls", { sort: "tools" }],
    [formatNumber, (of) => of.failedToolCalls, "failed calls", { sort: "errors", only: "errors" }],
    [formatNumber, (of) => of.deniedToolCalls, "denied calls", { sort: "tools" }],
    [formatNumber, (of) => of.apiErrors, "API errors", { sort: "errors", only: "errors" }],
  ] satisfies readonly Figure[];
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
        {figures.map(([format, amountOf, name, filter]) => (
          <div key={name}>
            <dt>{name}</dt>
            {before ? <Change now={amountOf(totals)} before={amountOf(before)} format={format} /> : null}
            <dd>
              <a href={listPath({ ...time, ...filter })}>{format(amountOf(totals))}</a>
            </dd>
          </div>
        ))}
        <div>
          <dt>input from cache</dt>
          <dd>
            <a href={listPath({ ...time, sort: "tokens" })}>
              {cacheHitRate === null ? "unknown" : `${Math.round(cacheHitRate * 100)} %`}
            </a>
          </dd>
        </div>
      </dl>
    </>
  );
}

type Totals = StatsAnswer["totals"];
type Figure = readonly [
  format: (value: number) => string,
  amountOf: (totals: Totals) => number,
  name: string,
  filter: Partial<ListFilter>,
];

interface ChangeProps {
  readonly now: number;
  readonly before: number;
  format(value: number): string;
}

/** Against the period before; without a judgement, because more may be good or bad. */
function Change({ now, before, format }: ChangeProps) {
  const percent = before === 0 ? null : Math.round(((now - before) / before) * 100);
  const sign = percent === null ? "" : percent > 0 ? "+" : percent < 0 ? "−" : "±";
  return (
    <dd class="change" title={`${format(before)} in the period before`}>
      {percent === null ? `before: ${format(before)}` : `${sign}${Math.abs(percent)} %, was ${format(before)}`}
    </dd>
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
