import { formatDuration } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { OutlineCall, OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { navigate } from "../router.js";
import { sessionPath } from "../routes.js";
import { isFailure } from "../session/session-filter.js";

const [WIDTH, LEFT, LANE] = [960, 52, 8];
const MOST_TURNS = 60;

/** The latest turns, one row each, from prompt to last answer: calls that ran at the same time lie below each other. */
export function Timeline({ session }: { readonly session: SessionAnswer }) {
  const turns = session.turns
    .filter(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null)
    .slice(-MOST_TURNS);
  const longest = Math.max(1, ...turns.map(lengthOf));
  if (turns.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>Time of each turn and its tool calls; the longest took {formatDuration(longest)}</figcaption>
      <ol class="timeline">
        {turns.map((turn) => (
          <li key={turn.index}>
            <Row
              turn={turn}
              longest={longest}
              onOpen={() => navigate(sessionPath(session.header.id, { turn: turn.index }))}
            />
          </li>
        ))}
      </ol>
    </figure>
  );
}

interface RowProps {
  readonly turn: OutlineTurn;
  readonly longest: number;
  onOpen(): void;
}

function Row({ turn, longest, onOpen }: RowProps) {
  const start = Date.parse(turn.startedAt ?? "");
  const x = (at: number) => LEFT + (Math.max(0, at - start) / longest) * (WIDTH - LEFT);
  const lanes = toLanes(turn.calls);
  const label = `Turn ${turn.index}, ${formatDuration(lengthOf(turn))}, ${turn.calls.length} calls`;
  const height = 10 + lanes.length * (LANE + 2);
  return (
    <button type="button" class="timeline-row" aria-label={label} onClick={onOpen}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
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
          lane.map(({ id, name, status, startedAt, endedAt }) => (
            <rect
              key={id}
              class={isFailure(status) ? "failed-part" : "series-0"}
              x={x(startedAt ?? start)}
              y={10 + row * (LANE + 2)}
              width={Math.max(2, x(endedAt ?? startedAt ?? start) - x(startedAt ?? start))}
              height={LANE}
            >
              <title>{neutralize(name)}</title>
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

const MOST_LANES = 6;

/** Each call in the first lane that is free when it begins. */
function toLanes(calls: readonly OutlineCall[]): OutlineCall[][] {
  const lanes: OutlineCall[][] = [];
  for (const call of calls) {
    if (call.startedAt === null) continue;
    const begin = call.startedAt;
    const free = lanes.find((lane) => (lane.at(-1)?.endedAt ?? 0) <= begin);
    if (free) free.push(call);
    else if (lanes.length < MOST_LANES) lanes.push([call]);
  }
  return lanes;
}
