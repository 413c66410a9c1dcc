import "./timeline.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import { formatCost, formatTokens, totalTokens } from "../../render/format-values.js";
import type { ContextAnswer, SessionAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { IconButton } from "../shell/controls.js";
import { describeTurn, type Pointed } from "./describe-pointed.js";
import type { CurvePoint } from "./draw-timeline.js";
import { TimelineCanvas } from "./timeline-canvas.js";
import { buildTimeline } from "./timeline-model.js";
import { useWindow } from "./use-window.js";

interface TimelineViewProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  /** The turn that is read. */
  readonly current: number;
  onGo(turn: number, anchor?: string): void;
}

/** How the time and the context of a session were used, above its text. */
export function TimelineView({ session, branch, current, onGo }: TimelineViewProps) {
  const { id } = session.header;
  const fields = new URLSearchParams({ version: String(session.version), ...(branch === null ? {} : { branch }) });
  const { answer } = useAnswer<ContextAnswer>(`/api/sessions/${encodeURIComponent(id)}/context?${fields}`);
  const [cutsPauses, setCutsPauses] = useState(true);
  const [metric, setMetric] = useState<Metric>("context");
  const [pointed, setPointed] = useState<Pointed>();
  const agents = answer?.agents;
  const model = useMemo(
    () => buildTimeline(session.turns, agents ?? [], cutsPauses),
    [session.turns, agents, cutsPauses],
  );
  const zoom = useWindow(model.scale.length);
  const curve = useMemo(() => curveOf(metric, session, answer), [metric, session, answer]);
  useEffect(() => {
    const here = model.turns.find(({ turn }) => turn.index === current);
    if (here && !zoom.isWhole) zoom.reveal(here);
  }, [current]);
  if (model.turns.length === 0) return <p class="timeline-none">No times are recorded in this session.</p>;
  return (
    <section class="timeline-view" aria-label="Timeline">
      <div class="timeline-tools">
        <MetricChoice metric={metric} onMetric={setMetric} />
        <Legend />
        <label class="check">
          <input type="checkbox" checked={cutsPauses} onChange={() => setCutsPauses(!cutsPauses)} />
          Shorten pauses
        </label>
        <span class="zoom">
          <IconButton name="minus" label="Zoom out (-)" onClick={() => zoom.zoom(0.5)} />
          <IconButton name="plus" label="Zoom in (+)" onClick={() => zoom.zoom(2)} />
          <button type="button" class="link" disabled={zoom.isWhole} onClick={zoom.fit}>
            Whole session
          </button>
        </span>
      </div>
      <TimelineCanvas
        model={model}
        curve={curve}
        formatAmount={METRICS[metric].format}
        zoom={zoom}
        current={current}
        onPoint={setPointed}
        pointed={pointed}
        onGo={onGo}
      />
      <p class="timeline-words" role="status">
        {pointed?.words ?? describeTurn(model, current, curve, METRICS[metric].format)}
      </p>
    </section>
  );
}

type Metric = "context" | "tokens" | "cost";

const METRICS: Readonly<Record<Metric, { readonly label: string; format(amount: number): string }>> = {
  context: { label: "Context", format: (amount) => `${formatTokens(Math.round(amount))} tokens` },
  tokens: { label: "Tokens", format: (amount) => `${formatTokens(Math.round(amount))} tokens` },
  cost: { label: "Cost", format: (amount) => formatCost(amount) },
};

interface MetricChoiceProps {
  readonly metric: Metric;
  onMetric(metric: Metric): void;
}

function MetricChoice({ metric, onMetric }: MetricChoiceProps) {
  return (
    <fieldset class="toggle" aria-label="Curve">
      {Object.entries(METRICS).map(([name, { label }]) => (
        <button key={name} type="button" aria-pressed={metric === name} onClick={() => onMetric(name as Metric)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}

const LEGEND = [
  ["model", "model"],
  ["tool", "tool"],
  ["person", "asks you"],
  ["agent", "sub-agent"],
  ["failed", "failed"],
] as const;

function Legend() {
  return (
    <ul class="timeline-legend" aria-label="Colours">
      {LEGEND.map(([name, label]) => (
        <li key={name} class={`sample-${name}`}>
          {label}
        </li>
      ))}
    </ul>
  );
}

/** Context as far as it is known, with its compactions; or what each turn spent. */
function curveOf(metric: Metric, session: SessionAnswer, answer: ContextAnswer | undefined): CurvePoint[] {
  if (metric !== "context") {
    const amountOf = ({ usage, costUsd }: SessionAnswer["turns"][number]) =>
      metric === "tokens" ? totalTokens(usage) : (costUsd ?? 0);
    return session.turns.map((turn) => ({ turn: turn.index, amount: amountOf(turn), seam: null }));
  }
  return (answer?.points ?? []).map((point) => {
    const { recordedTokens, compaction } = point;
    const sizes = [compaction?.preTokens, compaction?.postTokens].flatMap((size) =>
      size == null ? [] : formatTokens(size),
    );
    return {
      turn: point.turn,
      amount: recordedTokens ?? sumOf(point),
      seam: compaction === null ? null : `compacted ${sizes.join(" → ")}`.trim(),
    };
  });
}

function sumOf(point: ContextAnswer["points"][number]): number {
  const { system, prompts, answers, thinking, toolInputs, toolResults, summary } = point;
  const results = Object.values(toolResults).reduce((sum, tokens) => sum + tokens, 0);
  return system + prompts + answers + thinking + toolInputs + results + summary;
}
