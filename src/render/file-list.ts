import stringWidth from "string-width";
import type { FileSummary } from "../session/sum-files.js";
import { cutToColumns } from "../session/titles.js";
import { formatCount } from "./format-values.js";
import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";
import { paintTable } from "./table.js";

/** What a command perhaps did to a file. */
export interface PerhapsChanged {
  readonly kind: "moved" | "removed";
  readonly path: string;
  readonly to: string | null;
  readonly turn: number;
  readonly agentId: string | null;
}

export interface FileListLayout {
  readonly columns: number;
  readonly style: Style;
}

const HEADINGS = ["read", "wrote", "edited", "+", "-", "turns"];
const GAP = "  ";
const MIN_NAME_COLUMNS = 20;
const MAX_TURN_COLUMNS = 16;

/** One line a file, as wide as the terminal; then what commands perhaps did. */
export function paintFileList(
  files: readonly FileSummary[],
  perhaps: readonly PerhapsChanged[],
  { columns, style }: FileListLayout,
): string {
  if (files.length === 0 && perhaps.length === 0) return "the session touched no files\n";
  const all = [HEADINGS, ...files.map(toFigures)];
  const { figures, used } = layOut(all, columns);
  const nameColumns = Math.max(1, columns - used - GAP.length);
  const names = ["file", ...files.map((file) => paintName(file, nameColumns, style))];
  const [head = "", ...lines] = figures.map((row, at) => `${padTo(row, used)}${GAP}${names[at]}`);
  const table = files.length === 0 ? [] : [style.dim(head), ...lines];
  const notes = perhaps.map((change) => style.yellow(cutToColumns(describePerhaps(change), columns)));
  return `${[...table, ...notes].join("\n")}\n`;
}

/** On a narrow terminal only the lines are counted. */
function layOut(rows: readonly (readonly string[])[], columns: number): { figures: string[]; used: number } {
  const figures = paintTable(rows).split("\n");
  const used = Math.max(...figures.map((row) => stringWidth(row)));
  const isTooWide = used + GAP.length + MIN_NAME_COLUMNS > columns && (rows[0]?.length ?? 0) > LINE_COUNTS.length;
  return isTooWide
    ? layOut(
        rows.map((row) => LINE_COUNTS.map((at) => row[at] ?? "")),
        columns,
      )
    : { figures, used };
}

const LINE_COUNTS = [HEADINGS.indexOf("+"), HEADINGS.indexOf("-")];

function paintName(file: FileSummary, columns: number, style: Style): string {
  const marks = marksOf(file);
  const rest = columns - stringWidth(marks);
  const name = neutralize(oneLine(file.name ?? file.path));
  return rest < MIN_NAME_COLUMNS ? cutFront(name, columns) : cutFront(name, rest) + style.dim(marks);
}

function toFigures({ reads, writes, edits, added, removed, turns }: FileSummary): string[] {
  const lines = (count: number | null) => (count === null ? "?" : String(count));
  const counts = [reads, writes, edits].map(String);
  return [...counts, lines(added), lines(removed), cutToColumns(formatTurns(turns), MAX_TURN_COLUMNS)];
}

/** 1-3, 7. */
function formatTurns(turns: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const turn of turns) {
    const last = spans.at(-1);
    if (last?.[1] === turn - 1) last[1] = turn;
    else spans.push([turn, turn]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

function marksOf({ isNew, failed, agents, bySession }: FileSummary): string {
  const byAgents = agents.length === 0 ? "" : formatCount(agents.length, "sub-agent");
  const marks = [
    isNew ? "new" : "",
    bySession && byAgents !== "" ? `also ${byAgents}` : byAgents,
    failed > 0 ? `${failed} failed` : "",
  ].filter((mark) => mark !== "");
  return marks.length === 0 ? "" : ` (${marks.join(", ")})`;
}

function describePerhaps({ kind, path, to, turn, agentId }: PerhapsChanged): string {
  const where = to === null ? "" : ` to ${to}`;
  const who = agentId === null ? "a command" : "a sub-agent's command";
  return neutralize(oneLine(`perhaps ${kind} by ${who} in turn ${turn}: ${path}${where}`));
}

function oneLine(text: string): string {
  return text.replace(/[\n\t]/g, " ");
}

/** The end of a path says more than its beginning. */
function cutFront(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  const graphemes = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let width = 1;
  let from = graphemes.length;
  while (from > 0 && width + stringWidth(graphemes[from - 1] ?? "") <= columns) {
    from -= 1;
    width += stringWidth(graphemes[from] ?? "");
  }
  return `…${graphemes.slice(from).join("")}`;
}

function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
