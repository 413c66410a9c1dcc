import { cutToColumns, textWidth } from "../../../text-width.js";
import { formatCost, formatTokens, lastFolder } from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import type { Style } from "../style.js";

/** A running session as the terminal shows it. */
export interface LiveListRow {
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly state: "working" | "waiting" | "stuck" | "finished" | "failed";
  readonly waitsFor: "permission" | "answer" | "prompt" | "other" | null;
  readonly detail: string | null;
  readonly since: string | null;
  readonly source: "registry" | "job" | "chat" | "files";
  readonly process: { readonly pid: number; readonly certain: boolean; readonly kind: string } | null;
  readonly lastLine: string | null;
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  readonly totalCostUsd: number | null;
  readonly costPerMinuteUsd: number | null;
  readonly agents: readonly { readonly type: string | null; readonly description: string | null }[];
}

export interface LiveLayout {
  readonly columns: number;
  readonly style: Style;
  readonly now: number; // ms since the epoch
}

const INDENT = "  ";

/** Two to four lines for each session: state and title, figures, what it waits for or said last, sub-agents at work. */
export function paintLiveList(rows: readonly LiveListRow[], layout: LiveLayout): string[] {
  return rows.flatMap((row) => [heading(row, layout), ...details(row, layout)]);
}

function heading(row: LiveListRow, { columns, style, now }: LiveLayout): string {
  const isNarrow = columns < NARROW;
  const age = row.since === null || isNarrow ? "" : `  for ${formatAge(Math.max(0, now - Date.parse(row.since)))}`;
  const id = isNarrow ? "" : row.id.slice(0, 8);
  const state = labelOf(row).padEnd(STATE_COLUMNS);
  const before = `${paintState(row, state, style)}  ${id === "" ? "" : `${style.cyan(id)}  `}`;
  const room = columns - STATE_COLUMNS - 2 - (id === "" ? 0 : id.length + 2) - age.length;
  const folder = lastFolder(row.project);
  const place = folder === "" ? "" : `${folder}: `;
  const title = cutToColumns(clean(place + (row.title ?? "(nothing written yet)")), Math.max(1, room));
  const filler = columns > WIDE ? "" : " ".repeat(Math.max(0, room - textWidth(title)));
  return `${before}${title}${age === "" ? "" : filler + style.dim(age)}`.trimEnd();
}

/** Columns below which the title is all that there is room for. */
const NARROW = 50;

/** Seconds of something that lasts for minutes would change with every look. */
function formatAge(ms: number): string {
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A pipe has no width, so nothing is moved to its right end. */
const WIDE = 400;
const STATE_COLUMNS = "waits: permission".length;

function labelOf({ state, waitsFor }: LiveListRow): string {
  if (state !== "waiting") return state;
  return waitsFor === "prompt" ? "idle" : `waits: ${waitsFor === "other" || waitsFor === null ? "you" : waitsFor}`;
}

function paintState({ state, waitsFor }: LiveListRow, label: string, style: Style): string {
  if (state === "waiting") return waitsFor === "prompt" ? style.dim(label) : style.yellow(label);
  if (state === "stuck" || state === "failed") return style.red(label);
  return state === "working" ? style.green(label) : style.dim(label);
}

function details(row: LiveListRow, { columns, style }: LiveLayout): string[] {
  const about = row.detail ?? row.lastLine;
  const lines = [figures(row), ...(about === null ? [] : [about]), ...row.agents.map(describeAgent)];
  return lines.filter((line) => line !== "").map((line) => style.dim(cutToColumns(`${INDENT}${clean(line)}`, columns)));
}

function figures({
  contextTokens,
  contextWindow,
  totalCostUsd,
  costPerMinuteUsd,
  process,
  source,
}: LiveListRow): string {
  const share =
    contextTokens !== null && contextWindow ? ` (${Math.round((100 * contextTokens) / contextWindow)} %)` : "";
  return [
    contextTokens === null ? "" : `context ${formatTokens(contextTokens)}${share}`,
    totalCostUsd === null ? "" : formatCost(totalCostUsd),
    (costPerMinuteUsd ?? 0) > 0 ? `${formatCost(costPerMinuteUsd)} a minute` : "",
    describeProcess(process),
    source === "files" ? "known by its files alone" : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function describeProcess(process: LiveListRow["process"]): string {
  if (process === null) return "";
  const where = process.certain ? `process ${process.pid}` : `possibly process ${process.pid} elsewhere`;
  return process.kind === "foreground" ? where : `${where}, ${process.kind === "chat" ? "turnlog chat" : "background"}`;
}

function describeAgent({ type, description }: LiveListRow["agents"][number]): string {
  return `└ ${[type ?? "sub-agent", description].filter((part) => part !== null && part !== "").join(": ")}`;
}

function clean(text: string): string {
  return neutralize(text.replaceAll(/\s+/g, " "));
}
