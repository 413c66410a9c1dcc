import type { ShellGap } from "../../../format/record/file-changes.js";
import type { FileSummary } from "../../../session/file-history/file-touches.js";
import { cutToColumns } from "../../../text-width.js";
import { formatCount } from "../../format-values.js";
import { describeShellGap } from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import { paintListTable, type TableColumn, type TableLayout } from "./list-table.js";

/** A change that a shell command may have made to a file. */
export interface PossibleChange {
  readonly kind: "moved" | "removed";
  readonly path: string;
  readonly to: string | null;
  readonly turn: number;
  readonly agentId: string | null;
}

/** What is not recorded of the changes of a shell command. */
export interface UnrecordedChange extends ShellGap {
  readonly turn: number;
  readonly agentId: string | null;
}

const COLUMNS: readonly TableColumn<FileSummary>[] = [
  { title: "file", cell: ({ name, path }) => oneLine(name ?? path), isText: true, keep: "end" },
  { title: "read", cell: ({ reads }) => String(reads), dropOrder: 3 },
  { title: "wrote", cell: ({ writes }) => String(writes), dropOrder: 3 },
  { title: "edited", cell: ({ edits }) => String(edits), dropOrder: 3 },
  { title: "+", cell: ({ added }) => formatLines(added) },
  { title: "-", cell: ({ removed }) => formatLines(removed) },
  { title: "turns", cell: ({ turns }) => cutToColumns(formatTurns(turns), MAX_TURN_COLUMNS), dropOrder: 2 },
  { title: "", cell: marksOf, isText: true, dropOrder: 1 },
];

const MAX_TURN_COLUMNS = 16;

/** One line per file, then the changes that shell commands may have made. */
export function paintFileList(
  files: readonly FileSummary[],
  possible: readonly PossibleChange[],
  unrecorded: readonly UnrecordedChange[],
  layout: TableLayout,
): string {
  const words = [...possible.map(describePossibleChange), ...unrecorded.map(describeUnrecordedChange)];
  if (files.length === 0 && words.length === 0) return "the session touched no files\n";
  const notes = words.map((note) => cutToColumns(note, layout.columns));
  const table = files.length === 0 ? "" : paintListTable(files, COLUMNS, layout);
  return table + notes.map((note) => `${layout.style.yellow(note)}\n`).join("");
}

function formatLines(count: number | null): string {
  return count === null ? "?" : String(count);
}

/** 1-3,7. */
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
  ];
  return marks.filter((mark) => mark !== "").join(", ");
}

function describePossibleChange({ kind, path, to, turn, agentId }: PossibleChange): string {
  const where = to === null ? "" : ` to ${to}`;
  const who = agentId === null ? "a command" : "a sub-agent's command";
  return neutralize(oneLine(`perhaps ${kind} by ${who} in turn ${turn}: ${path}${where}`));
}

function describeUnrecordedChange({ turn, agentId, ...gap }: UnrecordedChange): string {
  const who = agentId === null ? "a command" : "a sub-agent's command";
  return neutralize(oneLine(`files changed by ${who} in turn ${turn}: ${describeShellGap(gap)}`));
}

function oneLine(text: string): string {
  return text.replace(/[\n\t]/g, " ");
}
