import { formatCost } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { StatsAnswer } from "../../server/api/stats.js";
import { daysBetween } from "./days.js";

interface CostByDayProps {
  readonly stats: StatsAnswer;
  onDay(day: string): void;
}

const [WIDTH, HEIGHT, FLOOR, LEFT] = [960, 220, 190, 52];
const MOST_DAYS = 120;

/** Stacked by model, the dearest at the bottom; what has no known price is hatched, not zero. */
export function CostByDay({ stats, onDay }: CostByDayProps) {
  const days = daysBetween(stats.from, stats.to).slice(-MOST_DAYS);
  const models = stats.byModel.filter(({ messages }) => messages > 0).map(({ model }) => model);
  const highest = Math.max(0.01, ...stats.byDay.map(({ knownCostUsd }) => knownCostUsd));
  const step = (WIDTH - LEFT) / Math.max(days.length, 7);
  return (
    <figure class="plot">
      <figcaption>
        Cost per day
        <ul class="series">
          {models.map((model, index) => (
            <li key={model} class={`series-${index % SERIES}`}>
              {model === null ? "unknown model" : neutralize(model)}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Cost per day, stacked by model">
        <Scale highest={highest} />
        {days.map((day, index) => (
          <Bar
            key={day}
            day={day}
            x={LEFT + index * step}
            width={Math.max(2, Math.min(28, step - 2))}
            highest={highest}
            rows={stats.byDayAndModel.filter((row) => row.day === day)}
            models={models}
            onDay={onDay}
          />
        ))}
        <text x={LEFT} y={HEIGHT - 10}>
          {days[0]}
        </text>
        {days.length > 8 ? (
          <text x={LEFT + (days.length - 1) * step + 20} y={HEIGHT - 10} text-anchor="end">
            {days.at(-1)}
          </text>
        ) : null}
      </svg>
    </figure>
  );
}

const SERIES = 6;

function Scale({ highest }: { readonly highest: number }) {
  return [0, 0.5, 1].map((share) => {
    const y = FLOOR - share * (FLOOR - 16);
    return (
      <g key={share} class="scale">
        <line x1={LEFT} x2={WIDTH} y1={y} y2={y} />
        <text x={LEFT - 8} y={y + 4} text-anchor="end">
          {formatCost(highest * share)}
        </text>
      </g>
    );
  });
}

interface BarProps {
  readonly day: string;
  readonly x: number;
  readonly width: number;
  readonly highest: number;
  readonly rows: StatsAnswer["byDayAndModel"];
  readonly models: readonly (string | null)[];
  onDay(day: string): void;
}

function Bar({ day, x, width, highest, rows, models, onDay }: BarProps) {
  if (rows.length === 0) return null;
  const total = rows.reduce((sum, { knownCostUsd }) => sum + knownCostUsd, 0);
  const isUnknown = rows.some(({ costUsd }) => costUsd === null);
  const label = `${day}: ${formatCost(total)}${isUnknown ? ", and models without a known price" : ""}`;
  let top = FLOOR;
  const pieces = models.flatMap((model, index) => {
    const row = rows.find((candidate) => candidate.model === model);
    if (!row) return [];
    const height = (row.knownCostUsd / highest) * (FLOOR - 16);
    top -= height;
    return <rect key={model} class={`series-${index % SERIES}`} x={x} y={top} width={width} height={height} />;
  });
  return (
    <g
      class="mark"
      role="button"
      tabIndex={0}
      aria-label={label}
      onClick={() => onDay(day)}
      onKeyDown={({ key }) => key === "Enter" && onDay(day)}
    >
      <title>{label}</title>
      <rect class="touch" x={x - 1} y={0} width={width + 2} height={FLOOR} />
      {pieces}
      {isUnknown ? <rect class="unknown" x={x} y={top - 8} width={width} height={8} /> : null}
    </g>
  );
}
