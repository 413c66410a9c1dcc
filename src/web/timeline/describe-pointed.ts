import { formatCount, formatDuration } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { shownToolName } from "../../render/tools/view-parts.js";
import { agentAnchor, callAnchor } from "../session/show-target.js";
import type { CurvePoint } from "./draw-timeline.js";
import type { TimelineModel } from "./timeline-model.js";

/** Something on the timeline: a turn, a call of it, or a sub-agent. */
export interface Pointed {
  readonly turn: number;
  readonly anchor: string;
  readonly words: string;
}

/** The turn that is read or pointed at, in words; also for screen readers. */
export function describeTurn(
  model: TimelineModel,
  index: number,
  curve: readonly CurvePoint[],
  format: (amount: number) => string,
): string {
  const found = model.turns.find(({ turn }) => turn.index === index);
  if (!found) return `${formatCount(model.turns.length, "turn")}; point at one, or use the arrow keys`;
  const { turn, spent, failures, pauseMs } = found;
  const amount = curve.find((point) => point.turn === index)?.amount;
  const parts = [
    `Turn ${index}`,
    pauseMs > 0 ? `after a pause of ${formatDuration(pauseMs)}` : "",
    `${formatDuration(spent.model + spent.tool + spent.person)} (${describeSpent(spent)})`,
    formatCount(turn.calls.length, "tool call") + (failures > 0 ? `, ${failures} failed` : ""),
    amount === undefined ? "" : format(amount),
    `“${neutralize(turn.prompt)}”`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function describeSpent({ model, tool, person }: TimelineModel["turns"][number]["spent"]): string {
  return [
    `model ${formatDuration(model)}`,
    tool > 0 ? `tools ${formatDuration(tool)}` : "",
    person > 0 ? `waiting for you ${formatDuration(person)}` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

export function describeCall({ call, turn }: TimelineModel["calls"][number]): Pointed {
  const took =
    call.startedAt === null || call.endedAt === null
      ? "no end recorded"
      : formatDuration(call.endedAt - call.startedAt);
  const state = call.status === "ok" ? "" : `, ${call.status === "error" ? "failed" : call.status}`;
  const words = `Turn ${turn} · ${neutralize(shownToolName(call.name))}, ${took}${state}`;
  return { turn, anchor: callAnchor(call.id), words };
}

export function describeAgent({ agent }: TimelineModel["agents"][number]): Pointed {
  const took = formatDuration(Math.max(0, (agent.endedAt ?? 0) - (agent.startedAt ?? 0)));
  const words = `Turn ${agent.turn ?? "?"} · sub-agent ${neutralize(agent.name)}, ${took}, ${formatCount(agent.calls.length, "tool call")}`;
  return { turn: agent.turn ?? 1, anchor: agentAnchor(agent.agentId), words };
}
