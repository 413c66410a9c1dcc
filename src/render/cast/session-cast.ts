import type { ToolCall } from "../../session/turns/tool-calls.js";
import { formatTime } from "../format-values.js";
import type { Highlight } from "../highlight.js";
import { describeContext } from "../labels.js";
import { neutralize } from "../safe-text.js";
import type { ShownSession, ShownSubagent, ShownTurn } from "../show-session.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "../terminal/margin.js";
import { briefFailure, paintCallLine, shownParts, toCallLine } from "../terminal/paint-call.js";
import { paintMarkdown } from "../terminal/paint-markdown.js";
import type { PaintOptions } from "../terminal/paint-options.js";
import { paintPart } from "../terminal/paint-part.js";
import { paintText, paintWords, toText } from "../terminal/paint-text.js";
import { paintClosing, paintItem } from "../terminal/paint-turn.js";
import { toSpan } from "../terminal/spans.js";
import { createStyle } from "../terminal/style.js";
import type { ViewPart } from "../tools/view-parts.js";
import { viewTool } from "../tools/view-tool.js";
import type { TurnItem } from "../turn-items.js";
import { type CastStep, printed, reprinted, streamed, timeSteps, typed } from "./cast-steps.js";

/** An asciicast v2 file, line by line: a header, then what is printed when. */
export function* sessionCast(session: ShownSession, options: RecordingOptions): Generator<string> {
  const { title, startedAt } = session.header;
  const seconds = Math.floor(Date.parse(startedAt ?? "") / 1000);
  const header = {
    version: 2,
    width: options.columns,
    height: options.rows,
    ...(Number.isNaN(seconds) ? {} : { timestamp: seconds }),
    title: neutralize(title).replace(/\s+/g, " "),
    env: { TERM: "xterm-256color" },
  };
  yield `${JSON.stringify(header)}\n`;
  for (const { at, text } of timeSteps(sessionSteps(session, options), options.speed)) {
    yield `${JSON.stringify([Math.round(at * 1000) / 1000, "o", text])}\n`;
  }
}

const MAX_PROMPT_LINES = 24;
const MAX_OUTPUT_LINES = 8;

/** A session as it would have looked in a terminal: prompts are typed, answers streamed, tools run. */
export function* sessionSteps(session: ShownSession, options: RecordingOptions): Generator<CastStep> {
  const paint = recordingPaintOptions(session, options);
  const playback: Playback = {
    session,
    options,
    paint,
    margin: "",
    depth: options.depth,
    shownAgents: new Set(),
    clock: { time: null },
  };
  yield printed(heading(playback));
  yield* itemSteps(session.preamble(), playback);
  for (const shown of session.turns()) {
    yield* promptSteps(shown, playback);
    yield* itemSteps(shown.items, playback);
    yield printed(
      paintIndented(paint, (inner) => paintClosing(shown.turn, shown.costUsd, inner)),
      0.5,
    );
  }
}

function heading({ session, paint }: Playback): string {
  const { title, project, gitBranch, models, startedAt } = session.header;
  const place = [project, gitBranch, models.join(", "), formatTime(startedAt)].filter((part) => part).join(" · ");
  const spans = [toSpan(title, paint.style.bold), toSpan(place, paint.style.dim)];
  return toText(spans.flatMap((span) => paintWords([span], paint)));
}

/** Pauses up to a second before a prompt, so that viewers can read the answer above it. */
function* promptSteps({ turn }: ShownTurn, playback: Playback): Generator<CastStep> {
  const { options, paint } = playback;
  const { style } = paint;
  const sign = turn.kind === "bash" ? "! " : turn.kind === "notification" ? "* " : "❯ ";
  const lines = paintBeside(hangingMargin(sign), paint, (inner) =>
    cutLines(paintText(cutLongText(turn.prompt), style.bold, inner), MAX_PROMPT_LINES, inner),
  );
  const words = lines.join("\n").slice(sign.length);
  yield printed(`\n${style.cyan(sign)}`, Math.min(1, options.maxPause));
  if (turn.kind === "notification") yield printed(words);
  else yield* typed(words);
  yield printed("\n", 0.3);
  for (const item of turn.context) {
    yield printed(paintIndented(paint, (inner) => paintText(`with ${describeContext(item)}`, style.dim, inner)));
  }
  if (turn.output) {
    const said = cutLongText(turn.output);
    yield printed(
      paintIndented(paint, (inner) => cutLines(paintText(said, style.dim, inner), MAX_OUTPUT_LINES, inner)),
    );
  }
  playback.clock.time = turn.startedAt;
}

function paintIndented(options: PaintOptions, paint: (inner: PaintOptions) => readonly string[]): string {
  return toText(paintBeside(sameMargin("  "), options, paint));
}

const MAX_ANSWER_LINES = 150;
const MAX_ASIDE_LINES = 8;
const MAX_AGENT_ANSWER_LINES = 4;

/** The items of a turn, each after the pause that the session recorded, cut to `maxPause`. */
export function* itemSteps(items: readonly TurnItem[], playback: Playback): Generator<CastStep> {
  for (const item of items) {
    let waited = pauseUntil(item.timestamp, playback);
    for (const step of oneItemSteps(item, playback)) {
      yield { ...step, pause: step.pause + waited };
      waited = 0;
    }
  }
}

function* oneItemSteps(item: TurnItem, playback: Playback): Generator<CastStep> {
  if (item.kind === "text" && !item.isApiError) yield* answerSteps(item.text, playback);
  else if (item.kind === "call") {
    if (playback.options.tools !== "none") yield* callSteps(item.call, playback);
  } else if (item.kind !== "thinking" || playback.options.thinking) yield* asideSteps(item, playback);
}

function* answerSteps(text: string, { paint, margin }: Playback): Generator<CastStep> {
  const most = margin === "" ? MAX_ANSWER_LINES : MAX_AGENT_ANSWER_LINES;
  const lines = paintBeside(hangingMargin("● "), paint, (inner) =>
    cutLines(paintMarkdown(cutLongText(text), inner), most, inner),
  );
  yield* streamed(toText(withMargin(lines, margin)));
}

function* asideSteps(item: TurnItem, { paint, margin }: Playback): Generator<CastStep> {
  const lines = paintBeside(sameMargin("  "), { ...paint, tools: "brief" }, (inner) =>
    cutLines(paintItem(item, false, inner), MAX_ASIDE_LINES, inner),
  );
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.4);
}

const MAX_DETAIL_LINES = 16;

/** A line that says the tool is running, the steps of its sub-agents, then the line with its outcome. */
function* callSteps(call: ToolCall, playback: Playback): Generator<CastStep> {
  const { margin, options, paint } = playback;
  const view = viewTool(call);
  const ended = toCallLine(call, view, paint);
  const agents =
    playback.depth === 0
      ? []
      : playback.session.launchedBy(call.id).filter(({ agentId }) => !playback.shownAgents.has(agentId));
  const running = { ...ended, sign: toSpan("▸", paint.style.yellow), facts: [] };
  yield printed(margin + paintCallLine(running, paint), 0.1);
  if (agents.length > 0) yield printed("\n");
  for (const agent of agents) yield* agentSteps(agent, playback);
  const worked = agents.length > 0 ? 0 : Math.min((call.durationMs ?? 0) / 1000, options.maxPause);
  yield reprinted(`${margin}${paintCallLine(ended, paint)}\n`, worked);
  if (call.endedAt !== null) pauseUntil(call.endedAt, playback);
  const lines = paintDetails(shownParts(view, agents.length > 0), playback);
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.3);
}

/** The reason of a failure is shown in every mode. */
function paintDetails(parts: readonly ViewPart[], { options, paint }: Playback): readonly string[] {
  return paintBeside(sameMargin("  "), paint, (inner) =>
    options.tools === "full"
      ? cutLines(
          parts.flatMap((part) => paintPart(shortenPart(part), inner)),
          MAX_DETAIL_LINES,
          inner,
        )
      : briefFailure(parts.map(shortenPart), inner),
  );
}

function shortenPart(part: ViewPart): ViewPart {
  return "text" in part ? { ...part, text: cutLongText(part.text) } : part;
}

const AGENT_MARGIN = "│ ";
const MIN_AGENT_COLUMNS = 20;

/** Calls and answers of a sub-agent, shortened, behind a margin. */
function* agentSteps(agent: ShownSubagent, playback: Playback): Generator<CastStep> {
  playback.shownAgents.add(agent.agentId);
  const session = agent.open();
  const columns = playback.paint.columns - AGENT_MARGIN.length;
  const beside =
    columns < MIN_AGENT_COLUMNS
      ? {}
      : { margin: playback.margin + AGENT_MARGIN, paint: { ...playback.paint, columns } };
  const inside: Playback = { ...playback, ...beside, session, depth: playback.depth - 1, clock: { time: null } };
  for (const { items } of session.turns()) yield* itemSteps(items, inside);
}

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  /** Factor against the recorded times. */
  readonly speed: number;
  readonly maxPause: number; // seconds
  readonly tools: "full" | "brief" | "none";
  readonly thinking: boolean;
  /** Levels of nested sub-agents to play. */
  readonly depth: number;
  /** Without it code has no colours. */
  readonly highlight?: Highlight | null;
}

export interface Playback {
  /** The session whose turns are played: the recorded one or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: RecordingOptions;
  /** Options of the terminal painters, for the width beside the margin. */
  readonly paint: PaintOptions;
  /** Printed before every line of a sub-agent. */
  readonly margin: string;
  readonly depth: number; // remaining levels of sub-agents
  /** Ids of the sub-agents that were played already. */
  readonly shownAgents: Set<string>;
  /** Time of the last step, as recorded in the session. */
  readonly clock: { time: string | null };
}

/** The last column stays empty: terminals differ in when they wrap a full row. */
function recordingPaintOptions(
  session: ShownSession,
  { columns, tools, highlight = null }: RecordingOptions,
): PaintOptions {
  const folder = session.header.project;
  return { style: createStyle(true), columns: columns - 1, isPlain: false, thinking: false, tools, highlight, folder };
}

/** Seconds since the last step, at most `maxPause`. */
function pauseUntil(timestamp: string | null, { clock, options }: Playback): number {
  const seconds = (Date.parse(timestamp ?? "") - Date.parse(clock.time ?? "")) / 1000;
  clock.time = timestamp ?? clock.time;
  return seconds > 0 ? Math.min(seconds, options.maxPause) : 0;
}

/** The rest of a long text is counted, not shown. */
function cutLines(lines: readonly string[], most: number, { style }: PaintOptions): readonly string[] {
  const left = lines.length - most + 1;
  return left <= 1 ? lines : [...lines.slice(0, most - 1), style.dim(`… ${left} more lines`)];
}

/** In characters. The rest would be cut after painting anyway; this saves painting it. */
const MAX_TEXT_CHARACTERS = 20_000;

function cutLongText(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS)}\n…`;
}
