import { formatTimeRange } from "../format-values.js";
import {
  describeForkContext,
  describeMissingCounts,
  describeRelations,
  describeSubagentTotals,
  describeTotals,
  subagentName,
} from "../labels.js";
import type { ShownHeader, ShownSession, ShownSubagent, ShownTotals, ShownTurn } from "../show-session.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintText, paintWords, toText } from "./paint-text.js";
import { type Ink, toSpan } from "./spans.js";
import { createTurnPainter, type SubagentPainter, type TurnPainter } from "./turn-painter.js";

/** A session as terminal output, piece by piece: each turn is read only when its turn to be painted comes. */
export function* sessionText(session: ShownSession, paint: Omit<PaintOptions, "folder">): Generator<string> {
  const options: PaintOptions = { ...paint, folder: session.header.project };
  yield toText(paintHeader(session.header, session.totals, options));
  const shownAgents = new Set<string>();
  yield* contextPieces(session, options);
  yield* turnPieces(session, options, shownAgents);
  yield* otherAgents(session, shownAgents, options);
  for (const { leaf, turns } of session.rewound()) {
    yield headline(`⑂ rewound branch ${leaf}`, options.style.yellow, options);
    const painter = createTurnPainter(options, subagentPainter(session, shownAgents));
    for (const turn of turns()) yield* paintTurn(turn, painter);
  }
}

/** The conversation that a forked sub-agent began with, where its file is shown alone. */
function* contextPieces(session: ShownSession, options: PaintOptions): Generator<string> {
  const context = session.context();
  if (!context) return;
  yield headline(describeForkContext(context), options.style.yellow, options);
  const painter = createTurnPainter(options, NO_AGENTS);
  for (const turn of context.turns()) yield* paintTurn(turn, painter);
  yield headline("the fork itself", options.style.yellow, options);
}

const NO_AGENTS: SubagentPainter = { hasAgents: () => false, *paint() {} };

/** Adds to `shownAgents` the sub-agents that are painted below the call that launched them. */
function* turnPieces(session: ShownSession, options: PaintOptions, shownAgents: Set<string>): Generator<string> {
  const painter = createTurnPainter(options, subagentPainter(session, shownAgents));
  const preamble = [...painter.items(session.preamble())].join("");
  if (preamble !== "") yield headline("before the first turn", options.style.dim, options) + preamble;
  for (const turn of session.turns()) yield* paintTurn(turn, painter);
}

function* paintTurn(shown: ShownTurn, painter: TurnPainter): Generator<string> {
  yield painter.opening(shown);
  yield* painter.items(shown.items);
  yield painter.closing(shown.turn, shown.costUsd);
}

function headline(words: string, ink: Ink, options: PaintOptions): string {
  return `\n${toText(paintWords([toSpan(words, ink)], options))}`;
}

const AGENT_MARGIN = "    ";

function subagentPainter(session: ShownSession, shownAgents: Set<string>): SubagentPainter {
  return {
    hasAgents: ({ id }) => session.launchedBy(id).length > 0,
    *paint({ id }, options) {
      for (const agent of session.launchedBy(id)) {
        shownAgents.add(agent.agentId);
        yield toText(paintBeside(sameMargin(AGENT_MARGIN), options, (inner) => paintAgent(agent, inner)));
        if (options.tools === "full") yield* agentPieces(agent, options, shownAgents);
      }
    },
  };
}

/** The turns of a sub-agent behind a rule, below the call that launched it. */
function* agentPieces(agent: ShownSubagent, options: PaintOptions, shownAgents: Set<string>): Generator<string> {
  const { style } = options;
  const margin = sameMargin(`${AGENT_MARGIN}${style.magenta("┃")} `, AGENT_MARGIN.length + 2);
  const isTooNarrow = options.columns - margin.columns < MIN_AGENT_COLUMNS;
  const inner = isTooNarrow ? options : { ...options, columns: options.columns - margin.columns };
  for (const piece of agentTurnPieces(agent.open(), inner, shownAgents)) {
    const lines = piece.split("\n").slice(0, -1);
    yield toText(isTooNarrow ? lines : withMargin(lines, margin.first));
  }
}

/** What a fork began with is shown in full only where its file is shown alone: here it is what stands above. */
function* agentTurnPieces(session: ShownSession, options: PaintOptions, shownAgents: Set<string>): Generator<string> {
  const context = session.context();
  if (context) yield headline(describeForkContext(context), options.style.dim, options);
  yield* turnPieces(session, options, shownAgents);
}

const MIN_AGENT_COLUMNS = 16;

/** Sub-agents that no shown call launched. Warm-ups are hidden: Claude Code launches them for itself. */
function* otherAgents(
  session: ShownSession,
  shownAgents: ReadonlySet<string>,
  options: PaintOptions,
): Generator<string> {
  const others = session.subagents().filter(({ agentId, warmup }) => !warmup && !shownAgents.has(agentId));
  if (others.length === 0) return;
  yield headline(shownAgents.size === 0 ? "sub-agents" : "other sub-agents", options.style.dim, options);
  for (const agent of others) yield toText(paintBeside(sameMargin("  "), options, (inner) => paintAgent(agent, inner)));
}

function paintAgent(agent: ShownSubagent, options: PaintOptions): string[] {
  const { style } = options;
  const figures = `  ${describeSubagentTotals(agent.totals)} · ${agent.agentId}`;
  return paintBeside(hangingMargin(style.magenta("⤷ "), 2), options, (inner) =>
    paintWords([toSpan(subagentName(agent)), toSpan(figures, style.dim)], inner),
  );
}

const RESUMES_EMPTY = "resumes empty: rewound to before its first prompt (--branch all shows what was said)";

/** The heading of a session: title, project, times and totals. */
export function paintHeader(header: ShownHeader, totals: ShownTotals, options: PaintOptions): string[] {
  const { style } = options;
  const { title, project, gitBranch, models, startedAt, endedAt, id, prLinks, note } = header;
  const lines: (readonly [text: string, ink?: Ink])[] = [
    [`${header.favourite ? "★ " : ""}${title}`, style.bold],
    [header.tags.map((tag) => `#${tag}`).join(" "), style.cyan],
    [[project, gitBranch, models.join(", ")].filter((part) => part).join(" · ")],
    [formatTimeRange(startedAt, endedAt)],
    [describeTotals(totals, header)],
    [describeMissingCounts(totals.unknownOutputs), style.dim],
    [id, style.dim],
    ...describeRelations(header).map((text) => [text, style.dim] as const),
    [header.resumesEmpty ? RESUMES_EMPTY : "", style.yellow],
    [header.source === null ? "" : `source ${header.source}`, style.dim],
    [header.archived ? "archived: the original file is gone" : "", style.dim],
    ...prLinks.map(({ url }) => [`pull request ${url ?? ""}`] as const),
  ];
  const painted = lines.flatMap(([text, ink]) => (text === "" ? [] : paintWords([toSpan(text, ink)], options)));
  const paintedNote =
    note === null ? [] : paintBeside(hangingMargin("note: "), options, (inner) => paintText(note, null, inner));
  return [...painted, ...paintedNote];
}
