import { cutToColumns, textWidth } from "../../../text-width.js";
import { formatCount, formatTime } from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import type { Style } from "../style.js";
import { wrapLines } from "../wrap-lines.js";

export interface ShownHit {
  readonly turn: number | null;
  readonly kind: string;
  readonly tool: string | null;
  readonly timestamp: string | null;
  readonly snippet: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
  readonly prompt: string | null;
  readonly agentId: string | null;
}

export interface ResultLayout {
  readonly columns: number;
  readonly style: Style;
  /** Hits of a session that are not shown because they come before these. */
  readonly skipped?: number;
}

const KIND_NAMES: Readonly<Record<string, string>> = { toolInput: "input", toolOutput: "output" };
const INDENT = "    ";
/** Columns; with less room the prompt is not shown. */
const MIN_PROMPT_COLUMNS = 16;

export interface ShownSession {
  readonly sessionId: string;
  readonly project: string | null;
  readonly title: string;
  readonly totalHits: number;
  readonly hits: readonly ShownHit[];
}

export function paintSearchResults(sessions: readonly ShownSession[], layout: ResultLayout): string {
  return sessions.map((session) => paintSession(session, layout)).join("\n");
}

function paintSession({ sessionId, title, project, totalHits, hits }: ShownSession, layout: ResultLayout): string {
  const { columns, style, skipped = 0 } = layout;
  const name = cutToColumns(neutralize(title), Math.max(20, columns - 10));
  const head = `${style.cyan(neutralize(sessionId.slice(0, 8)))}  ${style.bold(name)}`;
  const where = project === null ? "" : `  ${style.dim(neutralize(project))}`;
  const fits = textWidth(head + where) <= columns;
  const lines = fits ? head + where : `${wrapLines(head, columns)}\n${wrapLines(where, columns)}`;
  const rest = totalHits - hits.length - skipped;
  const more = rest > 0 ? `  ${style.dim(`and ${formatCount(rest, "more hit")}`)}\n` : "";
  return `${lines}\n${hits.map((hit) => paintHit(hit, layout)).join("")}${more}`;
}

function paintHit(hit: ShownHit, { columns, style }: ResultLayout): string {
  const facts = [turnName(hit), describeKind(hit), hit.timestamp === null ? "" : formatTime(hit.timestamp)];
  const place = `  ${facts.filter(Boolean).join(" · ")}`;
  const room = columns - textWidth(place) - 1;
  const context =
    hit.prompt === null || hit.kind === "prompt" || room < MIN_PROMPT_COLUMNS ? "" : neutralize(hit.prompt);
  const shown = context === "" ? "" : ` ${style.dim(cutToColumns(`"${context}"`, room))}`;
  return `${wrapLines(place, columns)}${shown}\n${wrapLines(INDENT + markMatches(hit, style), columns)}\n`;
}

function turnName({ turn, agentId }: ShownHit): string {
  const name = turn === null ? "" : `turn ${turn}`;
  return agentId === null ? name : `${name} sub-agent`.trim();
}

function describeKind({ kind, tool }: ShownHit): string {
  const name = KIND_NAMES[kind] ?? kind;
  return tool === null ? name : `${neutralize(tool)} ${name}`;
}

function markMatches({ snippet, marks }: ShownHit, style: Style): string {
  let at = 0;
  let painted = "";
  for (const [start, end] of marks) {
    painted += neutralize(snippet.slice(at, start)) + style.yellow(style.bold(neutralize(snippet.slice(start, end))));
    at = end;
  }
  return painted + neutralize(snippet.slice(at));
}
