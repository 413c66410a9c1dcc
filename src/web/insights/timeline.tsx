import { formatDuration } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { AgentSpan, OutlineCall, OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { navigate } from "../router.js";
import { isFailure } from "../session/visible-parts.js";
import { useWidth } from "./columns.js";

const [LEFT, LANE] = [52, 8];
const MAX_TURNS = 60;

interface TimelineProps {
  readonly session: SessionAnswer;
  readonly agents: readonly AgentSpan[];
  pathTo(turn: number): string;
}

/** The latest turns, one row each, from prompt to last answer; parallel calls are drawn below each other. */
export function Timeline({ session, agents, pathTo }: TimelineProps) {
  const turns = session.turns
    .filter(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null)
    .slice(-MAX_TURNS);
  const { box, width } = useWidth<HTMLElement>();
  const longest = Math.max(1, ...turns.map(lengthOf));
  if (turns.length === 0) return null;
  return (
    <figure class="plot" ref={box}>
      <figcaption>
        Duration of each turn (longest: {formatDuration(longest)})
        <ul class="series">
          <li class="series-4">turn</li>
          <li class="series-0">tool call</li>
          <li class="series-1">sub-agent</li>
          <li class="series-failed">failed</li>
        </ul>
      </figcaption>
      <ol class="timeline">
        {turns.map((turn) => (
          <li key={turn.index}>
            <Row
              turn={turn}
              agents={agents.filter((agent) => agent.turn === turn.index)}
              longest={longest}
              width={width}
              onOpen={() => navigate(pathTo(turn.index))}
            />
          </li>
        ))}
      </ol>
    </figure>
  );
}

interface RowProps {
  readonly turn: OutlineTurn;
  readonly agents: readonly AgentSpan[];
  readonly longest: number;
  readonly width: number;
  onOpen(): void;
}

function Row({ turn, agents, longest, width, onOpen }: RowProps) {
  const start = Date.parse(turn.startedAt ?? "");
  const x = (at: number) => LEFT + Math.min(1, Math.max(0, at - start) / longest) * (width - LEFT);
  const lanes = toLanes([...turn.calls.map(callSpan), ...agents.flatMap(agentSpans)]);
  const label = `Turn ${turn.index}, ${formatDuration(lengthOf(turn))}, ${turn.calls.length} calls, ${agents.length} sub-agents`;
  const height = Math.max(16, 10 + lanes.length * (LANE + 2));
  return (
    <button type="button" class="timeline-row" aria-label={label} onClick={onOpen}>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <text x={LEFT - 8} y={10} text-anchor="end">
          #{turn.index}
        </text>
        <rect
          class="turn-time"
          x={LEFT}
          y={2}
          width={Math.max(2, x(start + lengthOf(turn)) - LEFT)}
          height={5}
          rx={2}
        />
        {lanes.flatMap((lane, row) =>
          lane.map(({ id, name, kind, from, to }) => (
            <rect
              key={id}
              class={kind}
              x={x(from)}
              y={10 + row * (LANE + 2)}
              width={Math.max(2, x(to) - x(from))}
              height={LANE}
            >
              <title>{`${neutralize(name)}, ${formatDuration(Math.max(0, to - from))}`}</title>
            </rect>
          )),
        )}
      </svg>
    </button>
  );
}

function lengthOf({ startedAt, endedAt }: OutlineTurn): number {
  return Math.max(0, Date.parse(endedAt ?? "") - Date.parse(startedAt ?? ""));
}

interface Span {
  readonly id: string;
  readonly name: string;
  readonly kind: "series-0" | "series-1" | "failed-part";
  readonly from: number | null; // ms since the epoch
  readonly to: number | null;
}

function callSpan({ id, name, status, startedAt, endedAt }: OutlineCall): Span {
  return { id, name, kind: isFailure(status) ? "failed-part" : "series-0", from: startedAt, to: endedAt };
}

/** A sub-agent, and its own calls below it. */
function agentSpans({ agentId, name, startedAt, endedAt, calls }: AgentSpan): Span[] {
  return [{ id: agentId, name, kind: "series-1", from: startedAt, to: endedAt }, ...calls.map(callSpan)];
}

const MAX_LANES = 12;

interface PlacedSpan extends Span {
  readonly from: number;
  readonly to: number;
}

/** Puts each span into the first lane that is free when it starts. */
function toLanes(spans: readonly Span[]): PlacedSpan[][] {
  const lanes: PlacedSpan[][] = [];
  const placed = spans.flatMap((span) =>
    span.from === null ? [] : { ...span, from: span.from, to: span.to ?? span.from },
  );
  for (const span of placed.toSorted((a, b) => a.from - b.from)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? 0) <= span.from);
    if (free) free.push(span);
    else if (lanes.length < MAX_LANES) lanes.push([span]);
  }
  return lanes;
}
