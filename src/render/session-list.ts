import { textWidth } from "../session/text-width.js";
import { cutToColumns } from "../session/titles.js";
import type { Usage } from "../session/usage.js";
import {
  formatBytes,
  formatCost,
  formatCount,
  formatTime,
  formatTokens,
  lastFolder,
  totalTokens,
} from "./format-values.js";
import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";

/** What a list shows of a session. */
export interface ListedSession {
  readonly id: string;
  readonly project: string | null;
  readonly title: string;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly sizeBytes: number;
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly source: string | null;
  readonly archived: boolean;
}

export interface ListLayout {
  readonly columns: number;
  readonly style: Style;
  readonly showEmpty: boolean;
}

const COLUMN_GAP = "  ";
const MIN_TITLE_COLUMNS = 20;
const LINES_AT_ONCE = 500;

/** One line a session, grouped by nothing: latest first, as wide as the terminal. Piece by piece, as they are read. */
export function* paintSessionList(
  sessions: readonly ListedSession[],
  { columns, style, showEmpty }: ListLayout,
): Generator<string> {
  const shown = showEmpty ? sessions : sessions.filter(({ sizeBytes }) => sizeBytes > 0);
  const showSource = new Set(shown.map(({ source }) => source)).size > 1;
  const rows = shown.map((session) => toCells(session, showSource));
  const widths = (rows[0] ?? []).map((_, at) => rows.reduce((max, row) => Math.max(max, row[at]?.width ?? 0), 0));
  const used = widths.reduce((sum, width) => sum + width + COLUMN_GAP.length, 0);
  const titleColumns = Math.max(MIN_TITLE_COLUMNS, columns - used);
  const paintLine = (session: ListedSession, at: number) => {
    const [id = "", time = "", ...figures] = (rows[at] ?? []).map((cell, index) =>
      pad(cell, index, widths[index] ?? 0),
    );
    const title = cutToColumns(clean(describeTitle(session)), titleColumns);
    return `${[style.cyan(id), time, ...figures.map((figure) => style.dim(figure)), title].join(COLUMN_GAP)}\n`;
  };
  for (let from = 0; from < shown.length; from += LINES_AT_ONCE) {
    const piece = shown.slice(from, from + LINES_AT_ONCE);
    yield piece.map((session, at) => paintLine(session, from + at)).join("");
  }
  const hidden = sessions.length - shown.length;
  if (hidden > 0) yield style.dim(`${formatCount(hidden, "empty session")} hidden (--all shows them)\n`);
}

interface Cell {
  readonly text: string;
  readonly width: number;
}

function toCells(
  { id, endedAt, turns, usage, costUsd, sizeBytes, source }: ListedSession,
  showSource: boolean,
): Cell[] {
  const isEmpty = sizeBytes === 0;
  const cells = [
    clean(id.slice(0, 8)),
    endedAt === null ? "" : formatTime(endedAt),
    isEmpty ? "empty" : formatCount(turns, "turn"),
    isEmpty ? "" : `${formatTokens(totalTokens(usage))} tok`,
    isEmpty ? formatBytes(0) : formatCost(costUsd),
    ...(showSource ? [clean(source ?? "")] : []),
  ];
  return cells.map((text) => ({ text, width: textWidth(text) }));
}

function describeTitle({ project, title, favourite, tags, archived }: ListedSession): string {
  const folder = lastFolder(project);
  const parts = [
    favourite ? "★" : "",
    archived ? "(archived)" : "",
    folder === "" ? "" : `${folder}:`,
    title.replaceAll("\n", " "),
    ...tags.map((tag) => `#${tag}`),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The first two columns are names. */
function pad({ text, width }: Cell, at: number, columns: number): string {
  const filler = " ".repeat(columns - width);
  return at < 2 ? text + filler : filler + text;
}

const PLAIN = /^[ -~]*$/;

/** Nearly all names are plain, and a list may have ten thousand. */
function clean(text: string): string {
  return PLAIN.test(text) ? text : neutralize(text);
}
