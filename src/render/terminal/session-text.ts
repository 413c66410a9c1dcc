import type { Totals } from "../../session/outline.js";
import { formatCost, formatCount, formatTimeRange, formatTokens, totalTokens } from "../format-values.js";
import type { ShownHeader, ShownSession, ShownSubagent, ShownTurn } from "../show-session.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintText, paintWords, toText } from "./paint-text.js";
import { type Ink, toSpan } from "./spans.js";
import { createTurnPainter, type SubagentPainter, type TurnPainter } from "./turn-painter.js";

/** A session for reading, piece by piece: nothing is read before what stands above it is painted. */
export function* sessionText(session: ShownSession, paint: Omit<PaintOptions, "folder">): Generator<string> {
  const options: PaintOptions = { ...paint, folder: session.header.project };
  yield toText(paintHeader(session.header, session.totals, options));
  const told = new Set<string>();
  yield* turnPieces(session, options, told);
  yield* otherAgents(session, told, options);
  for (const { leaf, turns } of session.rewound()) {
    yield headline(`⑂ rewound branch ${leaf}`, options.style.yellow, options);
    const painter = createTurnPainter(options, subagentPainter(session, told));
    for (const turn of turns()) yield* paintTurn(turn, painter);
  }
}

/** `told` gathers the sub-agents that were shown where they were launched. */
function* turnPieces(session: ShownSession, options: PaintOptions, told: Set<string>): Generator<string> {
  const painter = createTurnPainter(options, subagentPainter(session, told));
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

function subagentPainter(session: ShownSession, told: Set<string>): SubagentPainter {
  return {
    hasAny: ({ id }) => session.launchedBy(id).length > 0,
    *paint({ id }, options) {
      for (const agent of session.launchedBy(id)) {
        told.add(agent.agentId);
        yield toText(paintBeside(sameMargin(AGENT_MARGIN), options, (inner) => paintAgent(agent, inner)));
        if (options.tools === "full") yield* agentPieces(agent, options, told);
      }
    },
  };
}

/** Its turns beside a rule, below the call that launched it. */
function* agentPieces(agent: ShownSubagent, options: PaintOptions, told: Set<string>): Generator<string> {
  const { style } = options;
  const margin = sameMargin(`${AGENT_MARGIN}${style.magenta("┃")} `, AGENT_MARGIN.length + 2);
  const isTooNarrow = options.columns - margin.columns < LEAST_COLUMNS;
  const inner = isTooNarrow ? options : { ...options, columns: options.columns - margin.columns };
  for (const piece of turnPieces(agent.open(), inner, told)) {
    const lines = piece.split("\n").slice(0, -1);
    yield toText(isTooNarrow ? lines : withMargin(lines, margin.first));
  }
}

const LEAST_COLUMNS = 16;

/** Those that no shown call launched. Warm-ups are hidden: the client launched them for itself. */
function* otherAgents(session: ShownSession, told: ReadonlySet<string>, options: PaintOptions): Generator<string> {
  const others = session.subagents().filter(({ agentId, warmup }) => !warmup && !told.has(agentId));
  if (others.length === 0) return;
  yield headline(told.size === 0 ? "sub-agents" : "other sub-agents", options.style.dim, options);
  for (const agent of others) yield toText(paintBeside(sameMargin("  "), options, (inner) => paintAgent(agent, inner)));
}

function paintAgent({ agentId, type, description, totals }: ShownSubagent, options: PaintOptions): string[] {
  const { style } = options;
  const name = [type, description].filter((part) => part).join(": ") || agentId;
  const figures = [
    formatCount(totals.messages, "message"),
    formatCount(totals.toolCalls, "tool call"),
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
    agentId,
  ];
  return paintBeside(hangingMargin(style.magenta("⤷ "), 2), options, (inner) =>
    paintWords([toSpan(name), toSpan(`  ${figures.join(" · ")}`, style.dim)], inner),
  );
}

/** The heading of a session: what it is, and what it took. */
export function paintHeader(header: ShownHeader, totals: Totals, options: PaintOptions): string[] {
  const { style } = options;
  const { title, project, gitBranch, models, startedAt, endedAt, id, forkedFrom, prLinks, note } = header;
  const unknown = totals.unknownOutputs;
  const lines: (readonly [text: string, ink?: Ink])[] = [
    [`${header.favourite ? "★ " : ""}${title}`, style.bold],
    [header.tags.map((tag) => `#${tag}`).join(" "), style.cyan],
    [[project, gitBranch, models.join(", ")].filter((part) => part).join(" · ")],
    [formatTimeRange(startedAt, endedAt)],
    [describeTotals(totals)],
    [unknown > 0 ? `output tokens of ${formatCount(unknown, "message")} are not recorded` : "", style.dim],
    [id, style.dim],
    [forkedFrom ? `forked from ${forkedFrom.sessionId}` : "", style.dim],
    [header.source === null ? "" : `source ${header.source}`, style.dim],
    [header.archived ? "archived: the client's own copy is gone" : "", style.dim],
    ...prLinks.map(({ url }) => [`pull request ${url ?? ""}`] as const),
  ];
  const painted = lines.flatMap(([text, ink]) => (text === "" ? [] : paintWords([toSpan(text, ink)], options)));
  const noted =
    note === null ? [] : paintBeside(hangingMargin("note: "), options, (inner) => paintText(note, null, inner));
  return [...painted, ...noted];
}

function describeTotals(totals: Totals): string {
  const failed = totals.toolErrors > 0 ? ` (${totals.toolErrors} failed)` : "";
  const figures = [
    formatCount(totals.turns, "turn"),
    formatCount(totals.messages, "message"),
    `${formatCount(totals.toolCalls, "tool call")}${failed}`,
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  return figures.filter((figure) => figure !== "").join(" · ");
}
