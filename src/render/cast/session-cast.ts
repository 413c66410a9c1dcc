import type { ToolCall } from "../../session/turns/tool-calls.js";
import { formatTime } from "../format-values.js";
import type { Highlight } from "../highlight.js";
import { neutralize } from "../safe-text.js";
import type { ShownSession, ShownSubagent, ShownTurn } from "../show-session.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "../terminal/margin.js";
import { briefFailure, paintCallLine, shownParts, toCallLine } from "../terminal/paint-call.js";
import { paintMarkdown } from "../terminal/paint-markdown.js";
import type { PaintOptions } from "../terminal/paint-options.js";
import { paintPart } from "../terminal/paint-part.js";
import { paintText, paintWords, toText } from "../terminal/paint-text.js";
import { describeContext, paintClosing, paintItem } from "../terminal/paint-turn.js";
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

const LONGEST_PROMPT = 24; // lines
const LONGEST_OUTPUT = 8; // lines

/** A session as it would have looked in a terminal: prompts typed, answers streamed, tools at work. */
export function* sessionSteps(session: ShownSession, options: RecordingOptions): Generator<CastStep> {
  const paint = recordingPaintOptions(session, options);
  const stage: Playback = {
    session,
    options,
    paint,
    margin: "",
    depth: options.depth,
    shownAgents: new Set(),
    clock: { time: null },
    play: itemSteps,
  };
  yield printed(heading(stage));
  yield* itemSteps(session.preamble(), stage);
  for (const shown of session.turns()) {
    yield* promptSteps(shown, stage);
    yield* itemSteps(shown.items, stage);
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

/** People read before they type: the pause before a prompt is as long as allowed. */
function* promptSteps({ turn }: ShownTurn, stage: Playback): Generator<CastStep> {
  const { options, paint } = stage;
  const { style } = paint;
  const sign = turn.kind === "bash" ? "! " : turn.kind === "notification" ? "* " : "❯ ";
  const lines = paintBeside(hangingMargin(sign), paint, (inner) =>
    cutLines(paintText(cutLongText(turn.prompt), style.bold, inner), LONGEST_PROMPT, inner),
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
    yield printed(paintIndented(paint, (inner) => cutLines(paintText(said, style.dim, inner), LONGEST_OUTPUT, inner)));
  }
  stage.clock.time = turn.startedAt;
}

function paintIndented(options: PaintOptions, paint: (inner: PaintOptions) => readonly string[]): string {
  return toText(paintBeside(sameMargin("  "), options, paint));
}

const LONGEST_ANSWER = 150; // lines
const LONGEST_ASIDE = 8; // lines
const LONGEST_REPORT = 4; // lines, of what a sub-agent says

/** What happened in a turn, each thing after the time that it took to come. */
export function* itemSteps(items: readonly TurnItem[], stage: Playback): Generator<CastStep> {
  for (const item of items) {
    let waited = pauseUntil(item.timestamp, stage);
    for (const step of oneItemSteps(item, stage)) {
      yield { ...step, pause: step.pause + waited };
      waited = 0;
    }
  }
}

function* oneItemSteps(item: TurnItem, stage: Playback): Generator<CastStep> {
  if (item.kind === "text" && !item.isApiError) yield* answerSteps(item.text, stage);
  else if (item.kind === "call") {
    if (stage.options.tools !== "none") yield* callSteps(item.call, stage);
  } else if (item.kind !== "thinking" || stage.options.thinking) yield* asideSteps(item, stage);
}

function* answerSteps(text: string, { paint, margin }: Playback): Generator<CastStep> {
  const most = margin === "" ? LONGEST_ANSWER : LONGEST_REPORT;
  const lines = paintBeside(hangingMargin("● "), paint, (inner) =>
    cutLines(paintMarkdown(cutLongText(text), inner), most, inner),
  );
  yield* streamed(toText(withMargin(lines, margin)));
}

function* asideSteps(item: TurnItem, { paint, margin }: Playback): Generator<CastStep> {
  const lines = paintBeside(sameMargin("  "), { ...paint, tools: "brief" }, (inner) =>
    cutLines(paintItem(item, false, inner), LONGEST_ASIDE, inner),
  );
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.4);
}

const SHOWN_LINES = 16;

/** A tool at work, then how it ended; between them what its sub-agents did. */
function* callSteps(call: ToolCall, stage: Playback): Generator<CastStep> {
  const { margin, options, paint } = stage;
  const view = viewTool(call);
  const ended = toCallLine(call, view, paint);
  const agents =
    stage.depth === 0 ? [] : stage.session.launchedBy(call.id).filter(({ agentId }) => !stage.shownAgents.has(agentId));
  const running = { ...ended, sign: toSpan("▸", paint.style.yellow), facts: [] };
  yield printed(margin + paintCallLine(running, paint), 0.1);
  if (agents.length > 0) yield printed("\n");
  for (const agent of agents) yield* agentSteps(agent, stage);
  const worked = agents.length > 0 ? 0 : Math.min((call.durationMs ?? 0) / 1000, options.maxPause);
  yield reprinted(`${margin}${paintCallLine(ended, paint)}\n`, worked);
  if (call.endedAt !== null) pauseUntil(call.endedAt, stage);
  const lines = paintDetails(shownParts(view, agents.length > 0), stage);
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.3);
}

/** Of a failure its reason is shown in any case. */
function paintDetails(parts: readonly ViewPart[], { options, paint }: Playback): readonly string[] {
  return paintBeside(sameMargin("  "), paint, (inner) =>
    options.tools === "full"
      ? cutLines(
          parts.flatMap((part) => paintPart(shortenPart(part), inner)),
          SHOWN_LINES,
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

/** Its calls and what it said, in short, behind a margin. */
function* agentSteps(agent: ShownSubagent, stage: Playback): Generator<CastStep> {
  stage.shownAgents.add(agent.agentId);
  const session = agent.open();
  const columns = stage.paint.columns - AGENT_MARGIN.length;
  const beside =
    columns < MIN_AGENT_COLUMNS ? {} : { margin: stage.margin + AGENT_MARGIN, paint: { ...stage.paint, columns } };
  const inside: Playback = { ...stage, ...beside, session, depth: stage.depth - 1, clock: { time: null } };
  for (const { items } of session.turns()) yield* stage.play(items, inside);
}

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  /** How much faster than life. */
  readonly speed: number;
  readonly maxPause: number; // seconds
  readonly tools: "full" | "brief" | "none";
  readonly thinking: boolean;
  /** How many levels of sub-agents are told. */
  readonly depth: number;
  /** Code has no colours without it. */
  readonly highlight?: Highlight | null;
}

/** Where in the recording of a session we are. */
export interface Playback {
  /** The session whose turns are played: itself, or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: RecordingOptions;
  /** As in a terminal, beside the margin. */
  readonly paint: PaintOptions;
  /** Stands before every line of a sub-agent. */
  readonly margin: string;
  readonly depth: number; // levels of sub-agents that are left
  readonly shownAgents: Set<string>; // sub-agents
  /** When the last thing happened. */
  readonly clock: { time: string | null };
  /** Items hold calls, calls sub-agents, and those items again. */
  play(items: readonly TurnItem[], stage: Playback): Iterable<CastStep>;
}

/** The last column stays free: terminals differ in what they do when it is full. */
function recordingPaintOptions(
  session: ShownSession,
  { columns, tools, highlight = null }: RecordingOptions,
): PaintOptions {
  const folder = session.header.project;
  return { style: createStyle(true), columns: columns - 1, isPlain: false, thinking: false, tools, highlight, folder };
}

/** How long it took until now, as far as it is worth waiting for. */
function pauseUntil(timestamp: string | null, { clock, options }: Playback): number {
  const seconds = (Date.parse(timestamp ?? "") - Date.parse(clock.time ?? "")) / 1000;
  clock.time = timestamp ?? clock.time;
  return seconds > 0 ? Math.min(seconds, options.maxPause) : 0;
}

/** A recording shows how it was, not all that was: the rest of a long text is counted. */
function cutLines(lines: readonly string[], most: number, { style }: PaintOptions): readonly string[] {
  const left = lines.length - most + 1;
  return left <= 1 ? lines : [...lines.slice(0, most - 1), style.dim(`… ${left} more lines`)];
}

/** In characters. No recording shows more of one text, so the rest is not even painted. */
const MAX_TEXT_CHARACTERS = 20_000;

function cutLongText(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS)}\n…`;
}
