import { formatTokens } from "../../render/format-values.js";
import type { ContextPoint } from "../../server/api/context.js";
import { navigate } from "../router.js";
import { sessionPath } from "../routes.js";

interface ContextOverTimeProps {
  readonly id: string;
  readonly points: readonly ContextPoint[];
}

const [WIDTH, HEIGHT, FLOOR, LEFT] = [960, 260, 236, 52];

const LAYERS: readonly (readonly [name: string, tokens: (point: ContextPoint) => number])[] = [
  ["system and tools", ({ system }) => system],
  ["summary", ({ summary }) => summary],
  ["prompts", ({ prompts }) => prompts],
  ["answers", ({ answers, thinking }) => answers + thinking],
  ["tool calls", ({ toolInputs }) => toolInputs],
  ["tool results", ({ toolResults }) => Object.values(toolResults).reduce((sum, tokens) => sum + tokens, 0)],
];

/** One column for each turn, with a seam where the history was compacted. */
export function ContextOverTime({ id, points }: ContextOverTimeProps) {
  if (points.length === 0) return null;
  const highest = Math.max(1, ...points.map(total));
  const step = (WIDTH - LEFT) / points.length;
  const y = (tokens: number) => FLOOR - (tokens / highest) * (FLOOR - 16);
  return (
    <figure class="plot">
      <figcaption>
        What filled the context at the end of each turn
        <ul class="series">
          {LAYERS.map(([name], index) => (
            <li key={name} class={`series-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Context by turn">
        {[0, 0.5, 1].map((share) => (
          <g key={share} class="scale">
            <line x1={LEFT} x2={WIDTH} y1={y(highest * share)} y2={y(highest * share)} />
            <text x={LEFT - 8} y={y(highest * share) + 4} text-anchor="end">
              {formatTokens(Math.round(highest * share))}
            </text>
          </g>
        ))}
        {points.map((point, index) => (
          <Column key={point.turn} id={id} point={point} x={LEFT + index * step} width={step} y={y} />
        ))}
        <text x={LEFT} y={HEIGHT - 6}>
          turn {points[0]?.turn}
        </text>
        <text x={WIDTH} y={HEIGHT - 6} text-anchor="end">
          turn {points.at(-1)?.turn}
        </text>
      </svg>
    </figure>
  );
}

interface ColumnProps {
  readonly id: string;
  readonly point: ContextPoint;
  readonly x: number;
  readonly width: number;
  readonly y: (tokens: number) => number;
}

function Column({ id, point, x, width, y }: ColumnProps) {
  const label = describe(point);
  let below = 0;
  const pieces = LAYERS.map(([name, tokens], index) => {
    const own = tokens(point);
    below += own;
    return (
      <rect
        key={name}
        class={`series-${index}`}
        x={x}
        y={y(below)}
        width={Math.max(1, width - 1)}
        height={y(0) - y(own)}
      />
    );
  });
  const open = () => navigate(sessionPath(id, { turn: Math.max(1, point.turn) }));
  return (
    <g
      class="mark"
      role="button"
      tabIndex={0}
      aria-label={label}
      onClick={open}
      onKeyDown={({ key }) => key === "Enter" && open()}
    >
      <title>{label}</title>
      {pieces}
      {point.compaction ? <line class="seam-line" x1={x} x2={x} y1={0} y2={FLOOR} /> : null}
    </g>
  );
}

function total(point: ContextPoint): number {
  return LAYERS.reduce((sum, [, tokens]) => sum + tokens(point), 0);
}

function describe(point: ContextPoint): string {
  const parts = LAYERS.flatMap(([name, tokens]) => (tokens(point) > 0 ? `${name} ${formatTokens(tokens(point))}` : []));
  const again = point.readAgain > 0 ? `, of it read again ${formatTokens(point.readAgain)}` : "";
  return `turn ${point.turn}: ${formatTokens(total(point))} (${parts.join(", ")}${again})${point.compaction ? ", compacted" : ""}`;
}
