import type { ComponentChildren } from "preact";
import { formatCost, formatCount, formatDuration, formatTime, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { StatsAnswer } from "../../server/api/stats.js";
import { setListFilter } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { searchPath, sessionPath } from "../routes.js";
import { lastFolder } from "../words.js";

export function TokenBars({ usage }: { readonly usage: StatsAnswer["totals"]["usage"] }) {
  const rows = [
    ["Input", usage.input],
    ["Output", usage.output],
    ["Read from cache", usage.cacheRead],
    ["Written to cache", usage.cacheWrite5m + usage.cacheWrite1h],
  ] as const;
  const most = Math.max(...rows.map(([, tokens]) => tokens));
  return (
    <Bars title="Tokens by kind">
      {rows.map(([name, tokens]) => (
        <Bar key={name} name={name} value={formatTokens(tokens)} share={tokens / most} />
      ))}
    </Bars>
  );
}

const MOST_ROWS = 12;

export function ProjectBars({ projects }: { readonly projects: StatsAnswer["byProject"] }) {
  const most = Math.max(...projects.map(({ knownCostUsd }) => knownCostUsd), 0.01);
  const list = (project: string | null) => {
    setListFilter({ project: project ?? "" });
    navigate("/");
  };
  return (
    <Bars title="Cost by project">
      {projects.slice(0, MOST_ROWS).map(({ project, knownCostUsd, sessions }) => (
        <Bar
          key={project}
          name={neutralize(lastFolder(project))}
          value={`${formatCost(knownCostUsd)}, ${formatCount(sessions, "session")}`}
          share={knownCostUsd / most}
          onOpen={() => list(project)}
        />
      ))}
    </Bars>
  );
}

/** The part that failed is marked in the bar itself. */
export function ToolBars({ tools }: { readonly tools: StatsAnswer["tools"] }) {
  const most = Math.max(...tools.map(({ calls }) => calls), 1);
  return (
    <Bars title="Tools by calls, with what failed">
      {tools.slice(0, MOST_ROWS).map(({ name, calls, errors, p50Ms }) => (
        <Bar
          key={name}
          name={neutralize(name)}
          value={`${calls}${errors > 0 ? `, ${errors} failed` : ""}${p50Ms === null ? "" : `, usually ${formatDuration(p50Ms)}`}`}
          share={calls / most}
          failedShare={errors / most}
          onOpen={() => navigate(searchPath(`tool:${name}`))}
        />
      ))}
    </Bars>
  );
}

export function DearestTurns({ turns }: { readonly turns: StatsAnswer["dearestTurns"] }) {
  const most = Math.max(...turns.map(({ costUsd }) => costUsd), 0.0001);
  return (
    <Bars title="The dearest turns">
      {turns.map(({ sessionId, title, turn, costUsd, at }) => (
        <Bar
          key={`${sessionId} ${turn}`}
          name={`${neutralize(title)} #${turn}`}
          value={`${formatCost(costUsd)}, ${formatTime(at)}`}
          share={costUsd / most}
          onOpen={() => navigate(sessionPath(sessionId, { turn }))}
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
  readonly value: string;
  readonly share: number;
  readonly failedShare?: number;
  onOpen?(): void;
}

function Bar({ name, value, share, failedShare = 0, onOpen }: BarProps) {
  return (
    <li>
      {onOpen ? (
        <button type="button" class="bar-name link" onClick={onOpen}>
          {name}
        </button>
      ) : (
        <span class="bar-name">{name}</span>
      )}
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="series-0" width={Math.max(0.5, share * 100)} height={10} />
        <rect class="failed-part" width={failedShare * 100} height={10} />
      </svg>
      <span class="bar-value">{value}</span>
    </li>
  );
}
