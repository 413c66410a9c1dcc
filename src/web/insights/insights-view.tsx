import { useState } from "preact/hooks";
import { formatCost, formatCount, formatTokens, totalTokens } from "../../render/format-values.js";
import type { StatsAnswer } from "../../server/api/stats.js";
import { setListFilter } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { useServerEvents } from "../server-events.js";
import { EmptyState, FailedState, LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import { ActivityCalendar } from "./activity-calendar.js";
import { DearestTurns, ProjectBars, TokenBars, ToolBars } from "./bars.js";
import { Blocks } from "./blocks.js";
import { CostByDay } from "./cost-by-day.js";

const RANGES = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["", "everything"],
] as const;

export function InsightsView() {
  const [since, setSince] = useState("");
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const fields = new URLSearchParams({ timezone, ...(since === "" ? {} : { since }) });
  const { answer, failure, reload } = useAnswer<StatsAnswer>(`/api/stats?${fields}`);
  useServerEvents(({ kind }) => {
    if (kind === "index" || kind === "trash") reload();
  });
  if (failure) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState label="Adding up" />;
  return (
    <div class="page-body insights">
      <header class="insights-head">
        <h1>Insights</h1>
        <fieldset class="ranges">
          <legend class="out-of-sight">Time</legend>
          {RANGES.map(([value, words]) => (
            <button
              key={value}
              type="button"
              class="button"
              aria-pressed={since === value}
              onClick={() => setSince(value)}
            >
              {words}
            </button>
          ))}
        </fieldset>
      </header>
      {answer.totals.messages === 0 ? <EmptyState title="Nothing was spent in this time" /> : <Plots stats={answer} />}
    </div>
  );
}

/** A click on a day lists the sessions behind it. */
function listDay(day: string): void {
  setListFilter({ since: day, until: day });
  navigate("/");
}

function Plots({ stats }: { readonly stats: StatsAnswer }) {
  return (
    <>
      <Totals stats={stats} />
      <CostByDay stats={stats} onDay={listDay} />
      <ActivityCalendar stats={stats} onDay={listDay} />
      <div class="pair">
        <TokenBars usage={stats.totals.usage} />
        <ProjectBars projects={stats.byProject} />
      </div>
      <ToolBars tools={stats.tools} />
      <div class="pair">
        <DearestTurns turns={stats.dearestTurns} />
        <Blocks blocks={stats.blocks} />
      </div>
    </>
  );
}

function Totals({ stats: { totals, cacheHitRate, from, to } }: { readonly stats: StatsAnswer }) {
  const unpriced = totals.unpricedModels.length > 0 ? ` without ${totals.unpricedModels.join(", ")}` : "";
  const figures = [
    [formatCost(totals.knownCostUsd), `cost${unpriced}`],
    [formatTokens(totalTokens(totals.usage)), "tokens"],
    [String(totals.sessions), "sessions"],
    [String(totals.turns), "turns"],
    [String(totals.toolCalls), `tool calls, ${totals.toolErrors} failed`],
    [cacheHitRate === null ? "unknown" : `${Math.round(cacheHitRate * 100)} %`, "of input from the cache"],
  ] as const;
  return (
    <>
      <p class="quiet">
        {from === null ? "" : `${from} to ${to}`}
        {totals.unknownOutputs > 0
          ? `; output tokens of ${formatCount(totals.unknownOutputs, "message")} not recorded`
          : ""}
      </p>
      <dl class="figures">
        {figures.map(([value, name]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
