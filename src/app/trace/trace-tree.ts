import { formatCost, formatDuration, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { Style } from "../../render/terminal/style.js";
import type { Observation, ObservationEvent } from "../../trace/observe/observation.js";
import { displayName, textOf } from "../../trace/spans/attribute.js";
import type { PreviewedTurn } from "./send-traces.js";

export interface TreeLayout {
  readonly style: Style;
  readonly columns: number;
}

/** The spans of previewed turns as trees, below the path of their session. */
export function* paintTraceTrees(turns: Iterable<PreviewedTurn>, layout: TreeLayout): Generator<string> {
  let last: string | undefined;
  for (const turn of turns) {
    const head = turn.path === last ? "" : `${layout.style.bold(neutralize(turn.path))}\n`;
    yield `${head}${paintTrace(turn, layout)}`;
    last = turn.path;
  }
}

function paintTrace({ trace: { observations }, isFinal }: PreviewedTurn, layout: TreeLayout): string {
  const depths = new Map<string | null, number>([[null, 0]]);
  const lines = observations.map((observation) => {
    const depth = (depths.get(observation.parentSpanId) ?? 0) + 1;
    depths.set(observation.spanId, depth);
    const isOpen = observation.kind === "turn" && !isFinal;
    const events = observation.events.map((event) => paintEvent(event, depth + 1, layout.style));
    return [paintObservation(observation, depth, isOpen, layout), ...events];
  });
  return `${lines.flat().join("\n")}\n`;
}

function paintObservation(
  observation: Observation,
  depth: number,
  isOpen: boolean,
  { style, columns }: TreeLayout,
): string {
  const { kind, startMs, endMs, level } = observation;
  const facts = [
    formatDuration(endMs - startMs),
    ...usageFacts(observation),
    ...(level === "DEFAULT" ? [] : [level.toLowerCase()]),
    ...(isOpen ? ["not finished: sent later"] : []),
  ];
  const head = `${"  ".repeat(depth)}${neutralize(displayName(observation))}  `;
  const details = `${kind === "turn" ? "" : `${kind}, `}${facts.join(", ")}`;
  const text = wordsIn(observation);
  const room = columns - head.length - details.length - 2;
  const shown = text === "" || room < 10 ? "" : `  ${text.slice(0, room)}`;
  return `${head}${style.dim(details)}${shown}`;
}

function paintEvent({ name, attributes }: ObservationEvent, depth: number, style: Style): string {
  const facts = Object.entries(attributes).map(([key, value]) => `, ${key} ${value}`);
  return `${"  ".repeat(depth)}${neutralize(name)}  ${style.dim(neutralize(`event${facts.join("")}`))}`;
}

function usageFacts({ generation }: Observation): string[] {
  if (!generation?.usage) return [];
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = generation.usage;
  const read = formatTokens(input + cacheRead + cacheWrite5m + cacheWrite1h);
  const written = generation.outputKnown ? formatTokens(output) : "?";
  return [`${read} in ${written} out`, ...(generation.costUsd === null ? [] : [formatCost(generation.costUsd)])];
}

function wordsIn({ kind, input, output }: Observation): string {
  const text = textOf(kind === "generation" || kind === "compaction" || kind === "lostResult" ? output : input);
  return text === undefined ? "" : neutralize(text.replace(/\s+/g, " "));
}
