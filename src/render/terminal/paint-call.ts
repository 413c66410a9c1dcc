import { toFileCalls } from "../../format/record/file-changes.js";
import type { OrphanResult, ToolCall } from "../../session/turns/tool-calls.js";
import { cutToColumns, textWidth } from "../../text-width.js";
import { formatCount, formatDuration } from "../format-values.js";
import { describeEnd, END_LABELS, ORPHAN_RESULT_LABEL } from "../labels.js";
import { neutralize } from "../safe-text.js";
import { findError, shownToolName, type ToolView, type ViewPart } from "../tools/view-parts.js";
import { viewTool } from "../tools/view-tool.js";
import type { TurnItem } from "../turn-items.js";
import { paintBeside, sameMargin } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintFailure, paintPart } from "./paint-part.js";
import { lineColumns, paintMore } from "./paint-text.js";
import { type Ink, paintSpans, type Span, spansWidth, toSpan } from "./spans.js";
import type { Style } from "./style.js";

const INSET = sameMargin("  ");
const SHOWN_ERROR_LINES = 3;

export interface CallLine {
  readonly before?: readonly Span[];
  readonly sign: Span;
  readonly name: string;
  readonly title: string;
  /** Shown at the end of the line, the most important first. */
  readonly facts: readonly Span[];
}

export interface CallPlace {
  readonly before?: readonly Span[];
  /** Its sub-agent is painted below the call. */
  readonly isAgentShown?: boolean;
}

/** A call in one line; below it the parts of its view, or in brief mode the beginning of an error. */
export function paintCall(call: ToolCall, options: PaintOptions, place: CallPlace = {}): string[] {
  const { before = [], isAgentShown: isAgentTold = false } = place;
  const view = viewTool(call);
  const parts = shownParts(view, isAgentTold);
  const head = paintCallLine({ ...toCallLine(call, view, options), before }, options);
  const body = paintBeside(INSET, options, (inner) =>
    options.tools === "full" ? parts.flatMap((part) => paintPart(part, inner)) : briefFailure(parts, inner),
  );
  return [head, ...body];
}

/** Leaves out the prompt and answer of a sub-agent that is painted itself. */
export function shownParts({ parts }: ToolView, isAgentTold: boolean): readonly ViewPart[] {
  return isAgentTold ? parts.filter(({ kind }) => kind !== "agent" && kind !== "markdown") : parts;
}

/** On a screen one row with the facts at its end; in a pipe the whole text. */
export function paintCallLine({ before = [], sign, name, title, facts }: CallLine, options: PaintOptions): string {
  const { style, isPlain } = options;
  const start = [...before, sign, toSpan(" "), toSpan(name, style.bold), toSpan(" ")];
  if (isPlain) {
    const words = facts.map(({ text }) => text).join(", ");
    return paintSpans([...start, toSpan(title), toSpan(words === "" ? "" : ` (${words})`)]).trimEnd();
  }
  const columns = lineColumns(options);
  const room = columns - spansWidth(start);
  const shownFacts = fittingFacts(facts, room - Math.min(textWidth(title), Math.floor(room / 2)) - 2);
  const factColumns = shownFacts.length === 0 ? 0 : spansWidth(shownFacts) + 2 * shownFacts.length;
  const shown = toSpan(cutToColumns(neutralize(title), Math.max(1, room - factColumns)));
  const line = [...start, shown];
  if (shownFacts.length === 0) return cutToWidth(line, columns);
  const filler = " ".repeat(Math.max(0, columns - spansWidth(line) - factColumns));
  return paintSpans([...line, toSpan(filler), ...shownFacts.flatMap((fact) => [toSpan("  "), fact])]);
}

function cutToWidth(line: readonly Span[], columns: number): string {
  if (spansWidth(line) <= columns) return paintSpans(line).trimEnd();
  return cutToColumns(line.map(({ text }) => text).join(""), columns);
}

/** Drops facts that do not fit, the least important first. */
function fittingFacts(facts: readonly Span[], room: number): readonly Span[] {
  const shown = [...facts];
  while (shown.length > 0 && spansWidth(shown) + 2 * shown.length > room) shown.pop();
  return shown;
}

/** A result whose call is not on the branch. */
export function paintOrphanResult({ toolUseId, result, isError }: OrphanResult, options: PaintOptions): string[] {
  const { style, tools } = options;
  const head = { sign: toSpan("?", style.yellow), name: ORPHAN_RESULT_LABEL, title: toolUseId, facts: [] };
  const part: ViewPart = { kind: "text", text: result, ...(isError ? { isError: true as const } : {}) };
  const body = paintBeside(INSET, options, (inner) =>
    tools === "full" ? paintPart(part, inner) : briefFailure([part], inner),
  );
  return [paintCallLine(head, options), ...body];
}

export function toCallLine(
  call: ToolCall,
  { title, parts }: ToolView,
  { style, folder, isPlain }: PaintOptions,
): CallLine {
  const isNear = folder !== null && !isPlain;
  return {
    sign: signOf(call, style),
    name: shownToolName(call.name),
    title: isNear ? title.replaceAll(`${folder}/`, "") : title,
    facts: [
      ...endFacts(call, style),
      ...(call.status === "ok" ? changeFacts(parts, style) : []),
      ...durationFacts(call, style),
    ],
  };
}

function signOf({ status }: ToolCall, style: Style): Span {
  if (status === "ok") return toSpan("✓", style.green);
  return status === "orphan" ? toSpan("?", style.yellow) : toSpan("✗", style.red);
}

function endFacts(call: ToolCall, style: Style): Span[] {
  switch (call.status) {
    case "ok":
    case "error":
      return [];
    case "denied":
    case "interrupted":
      return [toSpan(describeEnd(call), style.red)];
    case "orphan":
      return [toSpan("no result", style.yellow)];
  }
}

/** Number of lines that an edit added and removed. */
function changeFacts(parts: readonly ViewPart[], style: Style): Span[] {
  const lines = parts.flatMap((part) => (part.kind === "diff" ? part.hunks.flatMap((hunk) => hunk.lines) : []));
  const counted = (sign: string, shownSign: string, ink: Ink): Span[] => {
    const count = lines.filter((line) => line.startsWith(sign)).length;
    return count === 0 ? [] : [toSpan(`${shownSign}${count}`, ink)];
  };
  return [...counted("+", "+", style.green), ...counted("-", "−", style.red)];
}

function durationFacts({ durationMs }: ToolCall, style: Style): Span[] {
  return durationMs === null ? [] : [toSpan(formatDuration(durationMs), style.dim)];
}

/** The first lines of an error message. */
export function briefFailure(parts: readonly ViewPart[], options: PaintOptions): string[] {
  const error = findError(parts);
  if (!error) return [];
  const { kind, label } = error;
  const lines = error.text.trim().split("\n");
  const text = lines.slice(0, SHOWN_ERROR_LINES).join("\n");
  const left = lines.length - SHOWN_ERROR_LINES;
  const more = left > 0 ? paintMore(left, "│ ", options) : [];
  const isShownAbove = label === undefined || END_LABELS.has(label);
  return [...paintFailure({ kind, text, ...(isShownAbove ? {} : { label }) }, options), ...more];
}

type CallItem = Extract<TurnItem, { kind: "call" }>;

/** Several calls that are painted as one line. */
export interface FoldedCalls {
  readonly kind: "foldedCalls";
  readonly calls: readonly CallItem[];
}

const MAX_OPEN_CALLS = 5;

/** Folds long runs of calls into one line. Calls that failed, changed a file or launched an agent stay visible below. */
export function foldCalls(items: readonly TurnItem[]): (TurnItem | FoldedCalls)[] {
  return splitRuns(items).flatMap((run): (TurnItem | FoldedCalls)[] => {
    const quiet = run.filter(isFoldable);
    if (quiet.length <= MAX_OPEN_CALLS) return run;
    return [{ kind: "foldedCalls", calls: quiet }, ...run.filter((item) => !isFoldable(item))];
  });
}

/** Consecutive calls are one run; every other item is a run of its own. */
function splitRuns(items: readonly TurnItem[]): TurnItem[][] {
  const runs: TurnItem[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (item.kind === "call" && last?.[0]?.kind === "call") last.push(item);
    else runs.push([item]);
  }
  return runs;
}

function isFoldable(item: TurnItem): item is CallItem {
  if (item.kind !== "call") return false;
  const { status, agentId, personsWords } = item.call;
  const changesFile = toFileCalls(item.call).some(({ kind }) => kind !== "read");
  return status === "ok" && agentId === null && personsWords.length === 0 && !changesFile;
}

export function paintFoldedCalls({ calls }: FoldedCalls, options: PaintOptions): string[] {
  const { style } = options;
  const counts = new Map<string, number>();
  for (const { call } of calls) {
    const name = shownToolName(call.name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", ");
  const durations = calls.flatMap(({ call }) => call.durationMs ?? []);
  const took = durations.reduce((sum, duration) => sum + duration, 0);
  const facts = durations.length === 0 ? [] : [toSpan(formatDuration(took), style.dim)];
  const sign = toSpan("✓", style.green);
  return [paintCallLine({ sign, name: formatCount(calls.length, "tool call"), title: names, facts }, options)];
}
