import { stringAt } from "../../format/json.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { formatCost, formatCount, formatDuration, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { createStyle, type Style } from "../../render/terminal/style.js";
import type { Observation, ObservationEvent, Trace } from "../../trace/observe/observation.js";
import { traceSession } from "../../trace/observe/trace-session.js";
import type { SessionToTrace } from "../../trace/outbox/send-sessions.js";
import { type ContentChoice, prepareContent } from "../../trace/spans/prepare-content.js";
import type { Io } from "../io.js";
import { isColoured } from "../show-options.js";

interface TreeOptions {
  readonly content: ContentChoice | undefined;
  readonly since: number | undefined;
  readonly redactor: Redactor | null;
}

/** What would be sent, as a tree, and how much it is. */
export async function writeTraceTree(
  sessions: Iterable<SessionToTrace>,
  { content = "all", since = Number.NEGATIVE_INFINITY, redactor }: TreeOptions,
  io: Io,
): Promise<void> {
  const style = createStyle(isColoured(io));
  let turns = 0;
  let spans = 0;
  for (const { path, options } of sessions) {
    let head = `${style.bold(neutralize(path))}\n`;
    for (const { trace, isFinal } of traceSession(path, options)) {
      if ((trace.observations[0]?.startMs ?? 0) < since) continue;
      const prepared = prepareContent(trace, { content, redactor });
      await io.stdout(`${head}${paintTrace(prepared, isFinal, style, io.columns)}`);
      head = "";
      turns += 1;
      spans += trace.observations.length;
    }
  }
  io.stderr(`${formatCount(turns, "trace")}, ${formatCount(spans, "span")}; nothing was stored or sent\n`);
}

function paintTrace({ observations }: Trace, isFinal: boolean, style: Style, columns: number): string {
  const depths = new Map<string | null, number>([[null, 0]]);
  const lines = observations.map((observation) => {
    const depth = (depths.get(observation.parentSpanId) ?? 0) + 1;
    depths.set(observation.spanId, depth);
    const isOpen = observation.kind === "turn" && !isFinal;
    const events = observation.events.map((event) => paintEvent(event, depth + 1, style));
    return [paintObservation(observation, depth, isOpen, style, columns), ...events];
  });
  return `${lines.flat().join("\n")}\n`;
}

function paintObservation(
  observation: Observation,
  depth: number,
  isOpen: boolean,
  style: Style,
  columns: number,
): string {
  const { name, kind, startMs, endMs, level } = observation;
  const facts = [
    formatDuration(endMs - startMs),
    ...usageFacts(observation),
    ...(level === "DEFAULT" ? [] : [level.toLowerCase()]),
    ...(isOpen ? ["still open: held back"] : []),
  ];
  const head = `${"  ".repeat(depth)}${neutralize(name)}  `;
  const told = `${kind === "turn" ? "" : `${kind}, `}${facts.join(", ")}`;
  const words = wordsOf(observation);
  const room = columns - head.length - told.length - 2;
  const shown = words === "" || room < 10 ? "" : `  ${words.slice(0, room)}`;
  return `${head}${style.dim(told)}${shown}`;
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

function wordsOf({ kind, input, output }: Observation): string {
  const value = kind === "generation" ? output : input;
  const text = stringAt(value, "role") === undefined ? value : stringAt(value, "content");
  if (text === undefined || text === null) return "";
  return neutralize((typeof text === "string" ? text : JSON.stringify(text)).replace(/\s+/g, " "));
}
