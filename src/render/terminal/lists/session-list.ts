import { cutTitle } from "../../../session/choose-title.js";
import type { Usage } from "../../../session/messages/usage.js";
import { cutToColumns, textWidth } from "../../../text-width.js";
import {
  formatBytes,
  formatCost,
  formatCount,
  formatTime,
  formatTokens,
  lastFolder,
  totalTokens,
} from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import type { Style } from "../style.js";

export interface SessionListRow {
  readonly id: string;
  readonly project: string | null;
  readonly title: string;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly toolCalls: number;
  readonly totalUsage: Usage;
  readonly totalCostUsd: number | null;
  readonly subagentCostUsd: number | null; // of the total
  readonly sizeBytes: number;
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly source: string | null;
  /** How a session of another machine is to the one of the same id here, in words. */
  readonly alsoHere?: string;
  readonly archived: boolean;
  readonly running?: object | null;
  readonly archivedByClaude?: boolean;
  /** When Claude Code deletes it. */
  readonly deletedAfter?: string | null;
  /** Files of it that Claude Code deletes before. */
  readonly deletedParts?: readonly object[];
}

export interface ListLayout {
  readonly columns: number;
  readonly style: Style;
  readonly showEmpty: boolean;
}

const COLUMN_GAP = "  ";
const MIN_TITLE_COLUMNS = 20; // figures are dropped to keep it
const GOOD_TITLE_COLUMNS = 40; // what sub-agents cost is shown only beside it
const LINES_AT_ONCE = 500;

/** One line per session, cut to the terminal's width; yields the lines in pieces. */
export function* paintSessionList(
  sessions: readonly SessionListRow[],
  { columns, style, showEmpty }: ListLayout,
): Generator<string> {
  const shown = showEmpty ? sessions : sessions.filter(({ sizeBytes }) => sizeBytes > 0);
  const names = [toColumn(shown, idCell, style.cyan), toColumn(shown, timeCell, (cell) => cell)];
  const wanted = [turnsCell, tokensCell, costCell, ...(hasSources(shown) ? [sourceCell] : [])].map((cell) =>
    toColumn(shown, cell, style.dim),
  );
  const room = columns - widthOf(names);
  const inSubagents = shown.some(hasSubagentCost) ? [toColumn(shown, subagentCell, style.dim)] : [];
  const hasRoom = widthOf([...wanted, ...inSubagents]) <= room - GOOD_TITLE_COLUMNS;
  const figures = hasRoom ? [...wanted, ...inSubagents] : fitting(wanted, room - MIN_TITLE_COLUMNS);
  const titleColumns = Math.max(1, columns - widthOf(names) - widthOf(figures));
  for (let from = 0; from < shown.length; from += LINES_AT_ONCE) {
    let piece = "";
    for (const [at, session] of shown.slice(from, from + LINES_AT_ONCE).entries()) {
      for (const { cells, width, paint } of names) piece += paint(padEnd(cells[from + at] ?? "", width)) + COLUMN_GAP;
      for (const { cells, width, paint } of figures)
        piece += paint(padStart(cells[from + at] ?? "", width)) + COLUMN_GAP;
      piece += `${describeTitle(session, titleColumns)}\n`;
    }
    yield piece;
  }
  const hidden = sessions.length - shown.length;
  if (hidden > 0) yield style.dim(`${formatCount(hidden, "empty session")} hidden (--all shows them)\n`);
}

/** The columns from the left that fit. */
function fitting(columns: readonly Column[], room: number): readonly Column[] {
  const fits = columns.findLastIndex((_, at) => widthOf(columns.slice(0, at + 1)) <= room);
  return columns.slice(0, fits + 1);
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + COLUMN_GAP.length, 0);
}

interface Column {
  readonly cells: readonly string[];
  readonly width: number;
  paint(cell: string): string;
}

function toColumn(
  sessions: readonly SessionListRow[],
  cellOf: (session: SessionListRow) => string,
  paint: Column["paint"],
): Column {
  const cells = sessions.map(cellOf);
  return { cells, width: cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), 0), paint };
}

function idCell({ id }: SessionListRow): string {
  return clean(id.slice(0, 8));
}

function timeCell({ endedAt }: SessionListRow): string {
  return endedAt === null ? "" : formatTime(endedAt);
}

function turnsCell({ sizeBytes, turns }: SessionListRow): string {
  return sizeBytes === 0 ? "empty" : formatCount(turns, "turn");
}

function tokensCell({ sizeBytes, totalUsage }: SessionListRow): string {
  return sizeBytes === 0 ? "" : `${formatTokens(totalTokens(totalUsage))} tok`;
}

function costCell({ sizeBytes, totalCostUsd }: SessionListRow): string {
  return sizeBytes === 0 ? formatBytes(0) : formatCost(totalCostUsd);
}

function subagentCell({ subagentCostUsd }: SessionListRow): string {
  return subagentCostUsd === 0 ? "" : `${formatCost(subagentCostUsd)} in sub-agents`;
}

function sourceCell({ source, alsoHere }: SessionListRow): string {
  return clean(`${source ?? ""}${alsoHere === undefined ? "" : `, ${alsoHere}`}`);
}

function hasSubagentCost({ subagentCostUsd }: SessionListRow): boolean {
  return subagentCostUsd !== 0;
}

function hasSources(sessions: readonly SessionListRow[]): boolean {
  return new Set(sessions.map(({ source }) => source)).size > 1;
}

function describeTitle(session: SessionListRow, columns: number): string {
  const { project, title, favourite, tags } = session;
  const folder = lastFolder(project);
  const place = `${favourite ? "★ " : ""}${describeState(session)}${folder === "" ? "" : `${folder}: `}`;
  const text = cutTitle(clean(place + title.replaceAll("\n", " ")), columns);
  return tags.length === 0 ? text : cutToColumns([text, ...tags.map((tag) => clean(`#${tag}`))].join(" "), columns);
}

function describeState(session: SessionListRow): string {
  const { archived, running, archivedByClaude, deletedAfter, deletedParts = [] } = session;
  const states = [
    running ? "running" : "",
    archived ? "archived" : "",
    archivedByClaude ? "archived in Claude Code" : "",
    deletedAfter ? `deleted after ${formatTime(deletedAfter)}` : "",
    deletedParts.length > 0 ? `loses ${formatCount(deletedParts.length, "file or folder", "files or folders")}` : "",
  ].filter((state) => state !== "");
  return states.length === 0 ? "" : `(${states.join(", ")}) `;
}

function padEnd(text: string, columns: number): string {
  return text.padEnd(columns - textWidth(text) + text.length);
}

function padStart(text: string, columns: number): string {
  return text.padStart(columns - textWidth(text) + text.length);
}

const PLAIN = /^[ -~]*$/;

/** Fast path: nearly all names are plain ASCII, and a list may have ten thousand. */
function clean(text: string): string {
  return PLAIN.test(text) ? text : neutralize(text);
}
